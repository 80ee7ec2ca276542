// SPDX-License-Identifier: Apache-2.0
// kerblab eval track: tracks held against the truth, as the literature counts.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tools/eval/track_scores.hpp"
#include "tools/kerblab/app/command.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"

namespace kerb::lab {
namespace {

using Json = nlohmann::ordered_json;
using eval::TrackScores;
namespace fs = std::filesystem;

struct EvalTrackOptions {
  std::vector<std::string> truth, tracks;
  std::string json;
};

struct Row {
  std::string name, tracks;
  TrackScores scores;
};

/// SEQ of SEQ/gt/gt.txt or of the folder SEQ; any other file's name less its ending.
std::string name_of_sequence(const std::string& path) {
  const fs::path file = fs::path{path}.lexically_normal();
  std::error_code ignored;
  if (fs::is_directory(file, ignored))
    return (file.has_filename() ? file : file.parent_path()).filename().string();
  if (file.parent_path().filename() == "gt" && file.parent_path().has_parent_path())
    return file.parent_path().parent_path().filename().string();
  return file.stem().string();
}

Json to_json(const Row& row) {
  const TrackScores& s = row.scores;
  Json out = {{"name", row.name}};
  if (!row.tracks.empty()) out["tracks_file"] = row.tracks;
  Json by_alpha = Json::array();
  for (int i = 0; i < TrackScores::kAlphas; ++i) {
    const TrackScores::AtAlpha& at = s.at[static_cast<std::size_t>(i)];
    by_alpha.push_back({{"alpha", TrackScores::alpha(i)},
                        {"hits", at.hits},
                        {"misses", at.misses},
                        {"false_alarms", at.false_alarms}});
  }
  out.update({{"mota", s.mota()},
              {"motp", s.motp()},
              {"idf1", s.idf1()},
              {"id_recall", s.id_recall()},
              {"id_precision", s.id_precision()},
              {"hota", s.hota()},
              {"det_a", s.det_a()},
              {"ass_a", s.ass_a()},
              {"loc_a", s.loc_a()},
              {"recall", s.recall()},
              {"precision", s.precision()},
              {"hits", s.hits},
              {"false_positives", s.false_alarms},
              {"misses", s.misses},
              {"id_switches", s.switches},
              {"fragmentations", s.fragments},
              {"mostly_tracked", s.mostly_tracked},
              {"partly_tracked", s.partly_tracked},
              {"mostly_lost", s.mostly_lost},
              {"frames", s.frames},
              {"people", s.people},
              {"identities", s.identities},
              {"boxes", s.boxes},
              {"tracks", s.tracks},
              {"ignored", s.ignored},
              {"by_alpha", by_alpha}});
  return out;
}

std::string to_text(const std::vector<Row>& rows) {
  std::size_t width = 8;
  for (const Row& row : rows) width = std::max(width, row.name.size());
  std::string text = fmt::format(
      "{:<{}} {:>7} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>5} {:>5} {:>4} {:>4} "
      "{:>4} {:>6} {:>7}\n",
      "sequence", width, "MOTA", "IDF1", "HOTA", "DetA", "AssA", "MOTP", "recall", "prec.", "FP",
      "FN", "IDSW", "Frag", "MT", "PT", "ML", "people", "ignored");
  for (const Row& row : rows) {
    const TrackScores& s = row.scores;
    text += fmt::format(
        "{:<{}} {:>7.3f} {:>6.3f} {:>6.3f} {:>6.3f} {:>6.3f} {:>6.3f} {:>6.3f} {:>6.3f} {:>6} "
        "{:>6} {:>5} {:>5} {:>4} {:>4} {:>4} {:>6} {:>7}\n",
        row.name, width, s.mota(), s.idf1(), s.hota(), s.det_a(), s.ass_a(), s.motp(), s.recall(),
        s.precision(), s.false_alarms, s.misses, s.switches, s.fragments, s.mostly_tracked,
        s.partly_tracked, s.mostly_lost, s.people, s.ignored);
  }
  return text;
}

Status run(const EvalTrackOptions& options) {
  if (options.truth.size() != options.tracks.size())
    return Error{Errc::invalid_argument, 0, "eval track", "each --truth needs one --tracks"};
  if (!options.json.empty()) {
    if (Status ok = check_output(options.json); !ok) return ok;
    std::vector<std::string> inputs = options.truth;
    inputs.insert(inputs.end(), options.tracks.begin(), options.tracks.end());
    if (Status ok = check_apart({options.json}, inputs); !ok) return ok;
  }
  std::vector<std::pair<eval::MotBoxes, eval::MotBoxes>> read;  // all, before the first is judged
  for (std::size_t i = 0; i < options.truth.size(); ++i) {
    Result<eval::MotBoxes> truth = eval::read_mot_truth_tracks(options.truth[i]);
    if (!truth) return truth.error();
    Result<eval::MotBoxes> tracks = eval::read_mot_tracks(options.tracks[i]);
    if (!tracks) return tracks.error();
    read.emplace_back(*std::move(truth), *std::move(tracks));
  }
  std::vector<Row> rows;
  for (std::size_t i = 0; i < read.size(); ++i)
    rows.push_back({name_of_sequence(options.truth[i]), options.tracks[i],
                    eval::score_tracks(read[i].first, read[i].second)});
  Row all{"all", {}, {}};
  for (const Row& row : rows) all.scores += row.scores;
  if (!options.json.empty()) {
    Json sequences = Json::array();
    for (const Row& row : rows) sequences.push_back(to_json(row));
    const Json report = {{"sequences", sequences}, {"all", to_json(all)}};
    if (Status ok = write_output(options.json,
                                 report.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
        !ok)
      return ok;
  }
  if (rows.size() > 1) rows.push_back(std::move(all));
  return options.json == "-" ? Status{Done{}} : write_output("-", to_text(rows));
}

}  // namespace

void add_eval_track(CLI::App& group, Action& action) {
  CLI::App* command = group.add_subcommand("track", "Compare tracks with the truth");
  command->footer(
      "Both are MOT text, frame,id,x,y,w,h,conf,... In the truth, conf 0 means ignore. In lines of "
      "nine\n"
      "columns (MOT16), class 1 is a person; people on vehicles, static people, distractors and\n"
      "reflections (2, 7, 8, 12) are ignored; other classes are left out. Boxes of tracks and of "
      "the\n"
      "truth are paired for the largest sum of overlaps, each at least 0.5; a track's box paired "
      "with\n"
      "an ignored box counts neither as hit nor as error.\n"
      "MOTA, MOTP (mean overlap), FP, FN, IDSW, Frag, MT, PT and ML use an overlap of 0.5; a "
      "person\n"
      "keeps the track of the previous frame while they overlap by 0.5. IDF1: one track per person "
      "over\n"
      "the whole sequence. HOTA, DetA, AssA: means over 0.05 to 0.95. Same counting as TrackEval.\n"
      "Several sequences: repeat --truth and --tracks in the same order; 'all' counts the boxes of "
      "all\n"
      "sequences together.\n"
      "Example: kerblab eval track --truth SEQ/gt/gt.txt --tracks tracks.txt --json scores.json");
  const auto o = std::make_shared<EvalTrackOptions>();
  const auto list = [command](const char* name, std::vector<std::string>& out, const char* help) {
    command->add_option(name, out, help)
        ->required()
        ->check(not_empty)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  list("--truth", o->truth,
       "Truth: MOT text, or the folder of a sequence with gt/gt.txt; repeatable");
  list("--tracks", o->tracks, "Output of a tracker: MOT text; repeatable");
  add_name_option(
      *command, "--json", o->json,
      "Write all results as JSON to this file; - is stdout (the table is then not printed)");
  run_when_chosen(*command, action, [o] { return run(*o); });
}

}  // namespace kerb::lab
