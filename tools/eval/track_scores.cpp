// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/track_scores.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tools/eval/assignment.hpp"

namespace kerb::eval {
namespace {

constexpr double kLeast = 0.5;  // overlap of a match
constexpr double kTiny = std::numeric_limits<double>::epsilon();

double ratio(double part, double whole, double of_nothing) {
  return whole > 0 ? part / whole : of_nothing;
}

/// Numbers from 0 in the order of first coming.
class Places {
 public:
  std::size_t of(int id) { return places_.try_emplace(id, places_.size()).first->second; }
  [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }

 private:
  std::map<int, std::size_t> places_;
};

/// One frame: who is there, which tracks, and how they overlap.
struct Scene {
  std::vector<std::size_t> people, tracks;
  Table overlaps{0, 0};  // a row a person
};

struct Sequence {
  std::vector<Scene> scenes;
  std::size_t people = 0, tracks = 0;
  int ignored = 0;
};

Table overlaps_of(const std::vector<MotBox>& people, const std::vector<MotBox>& tracks) {
  Table table{people.size(), tracks.size()};
  for (std::size_t i = 0; i < people.size(); ++i)
    for (std::size_t j = 0; j < tracks.size(); ++j)
      table.at(i, j) = overlap(people[i].box, tracks[j].box);
  return table;
}

/// The tracks' boxes that do not lie on what is to be ignored.
std::vector<MotBox> counted(const std::vector<MotBox>& truth, const std::vector<MotBox>& tracks) {
  if (std::none_of(truth.begin(), truth.end(), [](const MotBox& b) { return b.ignore; }))
    return tracks;
  Table worth = overlaps_of(truth, tracks);
  for (std::size_t i = 0; i < truth.size(); ++i)
    for (std::size_t j = 0; j < tracks.size(); ++j)
      if (worth.at(i, j) < kLeast - kTiny) worth.at(i, j) = 0;
  const std::vector<int> pairs = best_pairs(worth);
  std::set<std::size_t> gone;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (pairs[i] < 0 || !truth[i].ignore) continue;
    const auto j = static_cast<std::size_t>(pairs[i]);
    if (worth.at(i, j) > 0) gone.insert(j);
  }
  std::vector<MotBox> left;
  for (std::size_t j = 0; j < tracks.size(); ++j)
    if (gone.count(j) == 0) left.push_back(tracks[j]);
  return left;
}

const std::vector<MotBox>& at_frame(const MotBoxes& boxes, int frame) {
  static const std::vector<MotBox> none;
  const auto found = boxes.find(frame);
  return found == boxes.end() ? none : found->second;
}

Sequence prepare(const MotBoxes& truth, const MotBoxes& tracks) {
  std::set<int> frames;
  for (const auto& [frame, boxes] : truth) frames.insert(frame);
  for (const auto& [frame, boxes] : tracks) frames.insert(frame);
  Sequence out;
  if (frames.empty()) return out;
  Places people, followed;
  // Every frame between counts: who is nowhere in one is lost there.
  for (int frame = *frames.begin(); frame <= *frames.rbegin(); ++frame) {
    const std::vector<MotBox>&all = at_frame(truth, frame), &said = at_frame(tracks, frame);
    std::vector<MotBox> there;
    for (const MotBox& b : all)
      if (!b.ignore) there.push_back(b);
    const std::vector<MotBox> left = counted(all, said);
    out.ignored += static_cast<int>(said.size() - left.size());
    Scene& scene = out.scenes.emplace_back();
    for (const MotBox& b : there) scene.people.push_back(people.of(b.id));
    for (const MotBox& b : left) scene.tracks.push_back(followed.of(b.id));
    scene.overlaps = overlaps_of(there, left);
  }
  out.people = people.size();
  out.tracks = followed.size();
  return out;
}

/// What CLEAR-MOT remembers of a person.
struct Followed {
  int frames = 0, found = 0, begins = 0;
  int last = -1;    // track when last found; -1: never
  int before = -1;  // in the frame before
};

void score_clear(const Sequence& sequence, TrackScores& out) {
  std::vector<Followed> people(sequence.people);
  for (const Scene& scene : sequence.scenes) {
    const auto track_of = [&](std::size_t j) { return static_cast<int>(scene.tracks[j]); };
    Table worth{scene.people.size(), scene.tracks.size()};
    for (std::size_t i = 0; i < worth.rows(); ++i)
      for (std::size_t j = 0; j < worth.columns(); ++j) {
        const double shared = scene.overlaps.at(i, j);
        if (shared < kLeast - kTiny) continue;
        // Keeping one match outweighs any number of others that can be in a picture.
        worth.at(i, j) = shared + (people[scene.people[i]].before == track_of(j) ? 1000 : 0);
      }
    const std::vector<int> pairs = best_pairs(worth);
    std::vector<int> now(people.size(), -1);
    int hits = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      Followed& person = people[scene.people[i]];
      ++person.frames;
      if (pairs[i] < 0 || worth.at(i, static_cast<std::size_t>(pairs[i])) <= 0) continue;
      const auto j = static_cast<std::size_t>(pairs[i]);
      ++hits;
      ++person.found;
      out.overlap_sum += scene.overlaps.at(i, j);
      if (person.last >= 0 && person.last != track_of(j)) ++out.switches;
      if (person.before < 0) ++person.begins;
      person.last = track_of(j);
      now[scene.people[i]] = track_of(j);
    }
    for (std::size_t i = 0; i < people.size(); ++i) people[i].before = now[i];
    out.hits += hits;
    out.misses += static_cast<int>(scene.people.size()) - hits;
    out.false_alarms += static_cast<int>(scene.tracks.size()) - hits;
  }
  for (const Followed& person : people) {
    out.fragments += std::max(0, person.begins - 1);
    const double share = ratio(person.found, person.frames, 0);
    ++(share > 0.8 ? out.mostly_tracked : share >= 0.2 ? out.partly_tracked : out.mostly_lost);
  }
}

void score_identities(const Sequence& sequence, TrackScores& out) {
  Table together{sequence.people, sequence.tracks};  // frames
  for (const Scene& scene : sequence.scenes)
    for (std::size_t i = 0; i < scene.people.size(); ++i)
      for (std::size_t j = 0; j < scene.tracks.size(); ++j)
        if (scene.overlaps.at(i, j) >= kLeast - kTiny)
          together.at(scene.people[i], scene.tracks[j]) += 1;
  const std::vector<int> pairs = best_pairs(together);
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (pairs[i] >= 0)
      out.identity_hits += static_cast<int>(together.at(i, static_cast<std::size_t>(pairs[i])));
}

/// How well each person and each track agree over the whole sequence, whatever the alpha.
Table alignment_of(const Sequence& sequence, std::vector<double>& person_boxes,
                   std::vector<double>& track_boxes) {
  Table shared{sequence.people, sequence.tracks};
  for (const Scene& scene : sequence.scenes) {
    std::vector<double> of_person(scene.people.size()), of_track(scene.tracks.size());
    for (std::size_t i = 0; i < scene.people.size(); ++i)
      for (std::size_t j = 0; j < scene.tracks.size(); ++j) {
        of_person[i] += scene.overlaps.at(i, j);
        of_track[j] += scene.overlaps.at(i, j);
      }
    for (std::size_t i = 0; i < scene.people.size(); ++i) {
      person_boxes[scene.people[i]] += 1;
      for (std::size_t j = 0; j < scene.tracks.size(); ++j) {
        const double both = scene.overlaps.at(i, j), any = of_person[i] + of_track[j] - both;
        if (any > kTiny) shared.at(scene.people[i], scene.tracks[j]) += both / any;
      }
    }
    for (const std::size_t track : scene.tracks) track_boxes[track] += 1;
  }
  for (std::size_t i = 0; i < sequence.people; ++i)
    for (std::size_t j = 0; j < sequence.tracks; ++j)
      shared.at(i, j) /= person_boxes[i] + track_boxes[j] - shared.at(i, j);
  return shared;
}

void score_hota(const Sequence& sequence, TrackScores& out) {
  std::vector<double> person_boxes(sequence.people), track_boxes(sequence.tracks);
  const Table alignment = alignment_of(sequence, person_boxes, track_boxes);
  std::vector<Table> matches(TrackScores::kAlphas, Table{sequence.people, sequence.tracks});
  for (const Scene& scene : sequence.scenes) {
    Table worth{scene.people.size(), scene.tracks.size()};
    for (std::size_t i = 0; i < worth.rows(); ++i)
      for (std::size_t j = 0; j < worth.columns(); ++j)
        worth.at(i, j) = scene.overlaps.at(i, j) * alignment.at(scene.people[i], scene.tracks[j]);
    const std::vector<int> pairs = best_pairs(worth);
    for (int a = 0; a < TrackScores::kAlphas; ++a) {
      TrackScores::AtAlpha& at = out.at[static_cast<std::size_t>(a)];
      double hits = 0;
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (pairs[i] < 0) continue;
        const auto j = static_cast<std::size_t>(pairs[i]);
        const double shared = scene.overlaps.at(i, j);
        if (shared < TrackScores::alpha(a) - kTiny) continue;
        hits += 1;
        at.overlap += shared;
        matches[static_cast<std::size_t>(a)].at(scene.people[i], scene.tracks[j]) += 1;
      }
      at.hits += hits;
      at.misses += static_cast<double>(scene.people.size()) - hits;
      at.false_alarms += static_cast<double>(scene.tracks.size()) - hits;
    }
  }
  for (std::size_t a = 0; a < matches.size(); ++a)
    for (std::size_t i = 0; i < sequence.people; ++i)
      for (std::size_t j = 0; j < sequence.tracks; ++j) {
        const double both = matches[a].at(i, j);
        out.at[a].association += both * both / (person_boxes[i] + track_boxes[j] - both);
      }
}

template <typename Of>
double mean_over_alphas(const TrackScores& scores, const Of& of) {
  double sum = 0;
  for (const TrackScores::AtAlpha& at : scores.at) sum += of(at);
  return sum / TrackScores::kAlphas;
}

double det_at(const TrackScores::AtAlpha& at) {
  return ratio(at.hits, at.hits + at.misses + at.false_alarms, 1);
}

double ass_at(const TrackScores::AtAlpha& at) {
  return ratio(at.association, at.hits, at.misses + at.false_alarms > 0 ? 0 : 1);
}

}  // namespace

double TrackScores::mota() const noexcept {
  const int wrong = misses + false_alarms + switches;
  return people > 0 ? 1 - static_cast<double>(wrong) / people : wrong > 0 ? 0 : 1;
}

double TrackScores::motp() const noexcept { return ratio(overlap_sum, hits, 0); }

double TrackScores::recall() const noexcept { return ratio(hits, people, 1); }

double TrackScores::precision() const noexcept { return ratio(hits, boxes, 1); }

double TrackScores::idf1() const noexcept { return ratio(2.0 * identity_hits, people + boxes, 1); }

double TrackScores::id_recall() const noexcept { return ratio(identity_hits, people, 1); }

double TrackScores::id_precision() const noexcept { return ratio(identity_hits, boxes, 1); }

double TrackScores::hota() const noexcept {
  return mean_over_alphas(*this, [](const AtAlpha& a) { return std::sqrt(det_at(a) * ass_at(a)); });
}

double TrackScores::det_a() const noexcept { return mean_over_alphas(*this, det_at); }

double TrackScores::ass_a() const noexcept { return mean_over_alphas(*this, ass_at); }

double TrackScores::loc_a() const noexcept {
  return mean_over_alphas(*this, [](const AtAlpha& a) { return ratio(a.overlap, a.hits, 1); });
}

TrackScores& TrackScores::operator+=(const TrackScores& other) noexcept {
  for (int TrackScores::*member :
       {&TrackScores::frames, &TrackScores::people, &TrackScores::identities, &TrackScores::boxes,
        &TrackScores::tracks, &TrackScores::ignored, &TrackScores::hits, &TrackScores::false_alarms,
        &TrackScores::misses, &TrackScores::switches, &TrackScores::fragments,
        &TrackScores::mostly_tracked, &TrackScores::partly_tracked, &TrackScores::mostly_lost,
        &TrackScores::identity_hits})
    this->*member += other.*member;
  overlap_sum += other.overlap_sum;
  for (std::size_t a = 0; a < at.size(); ++a)
    for (double AtAlpha::*member : {&AtAlpha::hits, &AtAlpha::false_alarms, &AtAlpha::misses,
                                    &AtAlpha::association, &AtAlpha::overlap})
      at[a].*member += other.at[a].*member;
  return *this;
}

TrackScores score_tracks(const MotBoxes& truth, const MotBoxes& tracks) {
  const Sequence sequence = prepare(truth, tracks);
  TrackScores out;
  out.identities = static_cast<int>(sequence.people);
  out.tracks = static_cast<int>(sequence.tracks);
  out.ignored = sequence.ignored;
  for (const Scene& scene : sequence.scenes) {
    if (!scene.people.empty() || !scene.tracks.empty()) ++out.frames;
    out.people += static_cast<int>(scene.people.size());
    out.boxes += static_cast<int>(scene.tracks.size());
  }
  score_clear(sequence, out);
  score_identities(sequence, out);
  score_hota(sequence, out);
  return out;
}

}  // namespace kerb::eval
