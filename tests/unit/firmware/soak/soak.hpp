// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/support/process_memory.hpp"
#include "tests/unit/firmware/soak/soak_faults.hpp"
#include "tests/unit/firmware/soak/soak_judge.hpp"

namespace kerb::test {

struct SoakOptions {
  std::uint64_t seed = 1;
  double minutes = 60;  ///< of the product's clock
  int cameras = 1;
  bool progress = false;  ///< a line for each tenth of the way
};

/// What is left on the disk, read back.
struct SoakFiles {
  std::uint64_t lines = 0, runs = 0, lost = 0, repairs = 0;  ///< of the event log
  std::uint64_t records = 0, cut_records = 0;  ///< whole; of power cuts or a full disk
  std::uint64_t replayed = 0;
  std::vector<std::string> wrong;  ///< in words
};

struct SoakMemory {
  ProcessMemory process;
  std::uint64_t live = 0;  ///< allocations that were not freed
};

struct SoakResult {
  std::uint64_t rounds = 0, encounters = 0, warned = 0, power_cuts = 0;
  std::map<std::string, std::uint64_t> breaches;
  std::vector<std::string> first_breaches;  ///< in words, the first few
  std::array<int, kSoakFaults> faults{};
  std::uint64_t recoveries = 0, due = 0, given = 0;
  Nanos longest_recovery{};
  SoakMemory first, last;  ///< after a sixth of the time, and at the end
  /// Bytes, the most in each tenth of the way: buffers of a new process are touched bit by bit, so
  /// that one moment says little.
  std::array<std::size_t, 10> most_resident{};
  SoakFiles files;
};

/// The product on a road, in steps of its clock: cameras, pipelines, controller, event log and
/// recorder run as in a car. Now and then somebody stands in the way or walks into it; all the time
/// something breaks and is mended; every few minutes the power goes, with the last bytes of what
/// was being written. Each round is judged (SoakJudge). The same seed gives the same drive, but for
/// the times of the disk, which are life's.
[[nodiscard]] SoakResult soak(const SoakOptions& options);

}  // namespace kerb::test
