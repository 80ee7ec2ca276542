// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firmware/records/deciders.hpp"
#include "firmware/records/record_file.hpp"
#include "hal/base/result.hpp"

namespace kerb::records {

/// How many of a kind were replayed, and how many of them are the same to the last bit.
struct Compared {
  std::uint64_t count = 0, same = 0;
};

/// What a replay found. Compared are the fields that the record and this program have in common;
/// where the program that recorded is the same, these are all.
struct ReplayResult {
  Compared rounds;         ///< decisions of the warning logic
  Compared reports;        ///< people, and their contacts with the car's path, of each camera
  Compared states;         ///< of estimators and warning logic, recorded once a second
  std::uint64_t lost = 0;  ///< rounds and frames after a gap, which cannot be replayed
  /// The first thing that differs, in words, with its time since the record's first round.
  std::optional<std::string> difference;
  /// The first decision that differs, likewise.
  std::optional<std::string> decision_difference;
  std::uint32_t decided_by = 0;   ///< version of decisions that recorded: see kDecisionsVersion
  std::uint32_t replayed_by = 0;  ///< and that of `deciders`
  FieldDifference fields;         ///< of the record's fields and this program's
  std::uint32_t digest = 0;       ///< CRC-32 of what was decided and reported in the replay
  [[nodiscard]] bool identical() const noexcept { return !difference && rounds.count > 0; }
  /// Whether this program decides as the one that recorded, and has the same fields. If so, a
  /// difference is a fault: of the record, of a machine, or of the program. If not, it is expected.
  [[nodiscard]] bool same_version() const noexcept {
    return decided_by == replayed_by && !fields.any();
  }
  [[nodiscard]] bool is_fault() const noexcept { return difference && same_version(); }
};

/// Goes through the record's frames and rounds again, and compares. Fails: damaged (a chunk makes
/// no sense in spite of its CRC).
[[nodiscard]] Result<ReplayResult> replay(const RecordFile& record, const Deciders& deciders);

/// What a record holds, without going through it again.
struct RecordSummary {
  struct Camera {
    std::string name;
    std::uint64_t frames = 0, pictures = 0;
    int most_people = 0;  ///< confirmed ones in one frame
  };
  std::vector<Camera> cameras;
  std::uint64_t rounds = 0, vehicle_frames = 0, gaps = 0;
  Nanos first{}, last{};  ///< round
  WarningLevel highest = WarningLevel::none;
  std::optional<double> shortest_ttc_s;
  Nanos warned{};  ///< how long the level was above none
};
[[nodiscard]] RecordSummary summarise(const RecordFile& record);

}  // namespace kerb::records
