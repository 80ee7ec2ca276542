// SPDX-License-Identifier: Apache-2.0
#include "firmware/main/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "firmware/log/json_text.hpp"
#include "firmware/main/console.hpp"
#include "firmware/main/version.hpp"
#include "firmware/records/product_deciders.hpp"
#include "firmware/records/record_file.hpp"
#include "firmware/records/replay.hpp"

namespace kerb {
namespace {

namespace fs = std::filesystem;
using records::Chunk;
using records::PictureHead;
using records::RecordFile;
using records::RecordSummary;
using records::ReplayResult;

constexpr int kVersionsDiffer = 3;

double seconds_of(Nanos time) { return static_cast<double>(time.count()) * 1e-9; }

std::string printable(const std::string& text) {
  std::string out;
  append_printable(out, text);
  return out;
}

std::string when(const RecordFile& file) {
  std::string out;
  append_utc(out, file.header().utc);
  return out;
}

/// The reason alone: the full path is printed beside it.
std::string reason_of(Error error) {
  if (error.code != Errc::unsupported) error.what = {};  // there it says which program can
  return printable(describe(error));
}

int broken(const std::string& path, const std::string& why) {
  return fail(printable(path) + ": " + why);
}

/// Writes one picture; returns an empty text, or what is wrong.
std::string write_picture(const RecordFile& file, const fs::path& folder, const std::string& stem,
                          const Chunk& chunk, int number) {
  PictureHead head;
  FieldReader in = file.reader(chunk);
  in(head);
  const bool jpeg = head.format == PictureHead::Format::jpeg;
  const std::size_t pixels = std::size_t{head.width} * head.height;
  if (!in.ok() || (!jpeg && in.rest().size() != pixels)) return "a picture is invalid";
  const fs::path path =
      folder / fmt::format("{}-{}-{:04}.{}", stem, chunk.source, number, jpeg ? "jpg" : "pgm");
  std::ofstream out{path, std::ios::binary};
  if (!jpeg) out << fmt::format("P5\n{} {}\n255\n", head.width, head.height);
  out.write(reinterpret_cast<const char*>(in.rest().data()),
            static_cast<std::streamsize>(in.rest().size()));
  out.flush();
  return out ? std::string{} : "cannot write " + path.string();
}

/// As write_picture().
std::string write_pictures(const RecordFile& file, const std::string& path,
                           const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return "cannot create " + folder + ": " + error.message();
  const std::string stem = fs::path{path}.stem().string();
  std::array<int, 256> numbers{};
  for (const Chunk& chunk : file.chunks()) {
    if (chunk.kind != records::ChunkKind::picture) continue;
    std::string wrong = write_picture(file, folder, stem, chunk, ++numbers[chunk.source]);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

/// "3 fields of the record are not known here: Person.mood, ..."
void print_fields(const std::vector<std::string>& fields, const char* what) {
  if (fields.empty()) return;
  constexpr std::size_t kMost = 5;
  std::string names;
  for (std::size_t i = 0; i < fields.size() && i < kMost; ++i)
    names += (i == 0 ? "" : ", ") + fields[i];
  print("  {} {}: {}{}\n", fields.size(), what, printable(names),
        fields.size() > kMost ? ", ..." : "");
}

/// The record was decided by another version, or has other fields.
void print_versions(const ReplayResult& result) {
  print("  decided by version {}, replayed by version {}: {} of {} decisions differ{}\n",
        result.decided_by, result.replayed_by, result.rounds.count - result.rounds.same,
        result.rounds.count,
        result.decision_difference ? ", first at " + printable(*result.decision_difference)
                                   : std::string{});
  print_fields(result.fields.missing, "field(s) not in the record, taken as their default");
  print_fields(result.fields.unknown, "field(s) of the record not known here, not used");
  print_fields(result.fields.retyped, "field(s) of another type in the record, not used");
}

void print_text(const std::string& path, const RecordFile& file, const RecordSummary& summary,
                const ReplayResult& result) {
  const records::RecordHeader& header = file.header();
  print("{}: kerbwatch {}, {}, {:.1f} s ({:.1f} before the {} warning), {}\n", printable(path),
        printable(header.settings.version), when(file), seconds_of(summary.last - summary.first),
        seconds_of(header.began - summary.first), name_of(header.level),
        file.whole()
            ? std::string{"whole"}
            : fmt::format("cut short: {} of {} bytes are good", file.good_bytes(), file.size()));
  for (const RecordSummary::Camera& camera : summary.cameras)
    print("  camera {}: {} frames, {} pictures, {} people at most\n", printable(camera.name),
          camera.frames, camera.pictures, camera.most_people);
  print("  {} messages of the vehicle, {} gap{}\n", summary.vehicle_frames, summary.gaps,
        summary.gaps == 1 ? "" : "s");
  print("  highest level {}, {:.2f} s of warning{}\n", name_of(summary.highest),
        seconds_of(summary.warned),
        summary.shortest_ttc_s
            ? fmt::format(", shortest time to collision {:.2f} s", *summary.shortest_ttc_s)
            : std::string{});
  print("  {} rounds, {} decisions the same; {} reports, {} the same; {} states, {} the same\n",
        result.rounds.count, result.rounds.same, result.reports.count, result.reports.same,
        result.states.count, result.states.same);
  if (result.lost > 0) print("  {} rounds and frames after a gap were not compared\n", result.lost);
  if (!result.same_version()) print_versions(result);
  if (result.difference) fmt::print("  first difference: {}\n", printable(*result.difference));
}

void print_json(const std::string& path, const RecordFile& file, const RecordSummary& summary,
                const ReplayResult& result) {
  using nlohmann::ordered_json;
  const auto compared = [](const records::Compared& c) {
    return ordered_json{{"count", c.count}, {"same", c.same}};
  };
  const records::RecordHeader& header = file.header();
  ordered_json line{{"file", path},
                    {"version", header.settings.version},
                    {"utc", when(file)},
                    {"level", name_of(header.level)},
                    {"whole", file.whole()},
                    {"bytes", file.size()},
                    {"good_bytes", file.good_bytes()},
                    {"seconds", seconds_of(summary.last - summary.first)},
                    {"seconds_before", seconds_of(header.began - summary.first)},
                    {"highest", name_of(summary.highest)},
                    {"seconds_warned", seconds_of(summary.warned)},
                    {"shortest_ttc_s", nullptr},
                    {"vehicle_messages", summary.vehicle_frames},
                    {"gaps", summary.gaps},
                    {"cameras", ordered_json::array()},
                    {"rounds", compared(result.rounds)},
                    {"reports", compared(result.reports)},
                    {"states", compared(result.states)},
                    {"lost", result.lost},
                    {"identical", result.identical()},
                    {"difference", nullptr},
                    {"difference_of", nullptr},
                    {"format", file.format()},
                    {"decided_by", result.decided_by},
                    {"replayed_by", result.replayed_by},
                    {"fields_missing", result.fields.missing},
                    {"fields_unknown", result.fields.unknown},
                    {"fields_retyped", result.fields.retyped}};
  if (summary.shortest_ttc_s) line["shortest_ttc_s"] = *summary.shortest_ttc_s;
  if (result.difference) {
    line["difference"] = *result.difference;
    line["difference_of"] = result.is_fault() ? "fault" : "versions";
  }
  for (const RecordSummary::Camera& camera : summary.cameras)
    line["cameras"].push_back({{"name", camera.name},
                               {"frames", camera.frames},
                               {"pictures", camera.pictures},
                               {"people", camera.most_people}});
  constexpr auto kReplace = ordered_json::error_handler_t::replace;  // a name may be any bytes
  print("{}\n", line.dump(-1, ' ', false, kReplace));
}

int replay_one(const std::string& path, const ReplayRequest& request) {
  const Result<RecordFile> file = RecordFile::read(path);
  if (!file) return broken(path, reason_of(file.error()));
  const RecordSummary summary = records::summarise(*file);
  const Result<ReplayResult> result = records::replay(*file, records::ProductDeciders{});
  if (!result)
    return broken(
        path, fmt::format("{} (recorded by kerbwatch {}, this is {})", reason_of(result.error()),
                          printable(file->header().settings.version), kVersion));
  if (!request.pictures.empty())
    if (const std::string wrong = write_pictures(*file, path, request.pictures); !wrong.empty())
      return broken(path, wrong);
  if (result->rounds.count == 0) return broken(path, "no round can be replayed");
  (request.json ? print_json : print_text)(path, *file, summary, *result);
  if (result->identical()) return 0;
  return result->is_fault() ? 1 : kVersionsDiffer;
}

/// The worse of two exit codes.
int worse(int a, int b) {
  constexpr std::array kFromBest{0, kVersionsDiffer, 1, 2};
  const auto rank = [&](int code) {
    return std::find(kFromBest.begin(), kFromBest.end(), code) - kFromBest.begin();
  };
  return rank(a) < rank(b) ? b : a;
}

}  // namespace

int run_replay(const ReplayRequest& request) {
  int code = 0;
  for (const std::string& path : request.files) code = worse(code, replay_one(path, request));
  return code;
}

}  // namespace kerb
