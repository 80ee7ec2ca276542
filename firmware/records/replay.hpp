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

/// How many of a kind were gone through again, and how many of them came out the same to the last
/// bit.
struct Compared {
  std::uint64_t count = 0, same = 0;
};

/// What a replay found.
struct ReplayResult {
  Compared rounds;         ///< decisions of the warning logic
  Compared reports;        ///< people and what the next seconds hold for them, each camera's
  Compared states;         ///< written down once a second: the hidden half
  std::uint64_t lost = 0;  ///< rounds and frames behind a gap, that nobody can follow
  /// The first thing that differs, in words, with its time since the record's first round.
  std::optional<std::string> difference;
  [[nodiscard]] bool identical() const noexcept { return !difference && rounds.count > 0; }
};

/// Goes through the record's frames and rounds again, and compares. Fails: damaged (a chunk makes
/// no sense in spite of its CRC), unsupported (the states in it are of another version's classes).
[[nodiscard]] Result<ReplayResult> replay(const RecordFile& record, const Deciders& deciders);

/// What a record holds, without going through it again.
struct RecordSummary {
  struct Camera {
    std::string name;
    std::uint64_t frames = 0, pictures = 0;
    int most_people = 0;  ///< confirmed, in one frame
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
