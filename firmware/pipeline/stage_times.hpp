// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <cstdint>

#include "hal/base/clock.hpp"

namespace kerb {

/// The stages of one frame, in order. `capture` is the time from exposure to processing; `flow`
/// measures the motion in the picture, `motion` separates the car's own motion from it; `spectral`
/// searches for people by the bands of their clothes; `track` tracks people and computes their
/// probabilities of contact; `total` is the time from exposure to that.
enum class Stage : std::uint8_t {
  capture,
  prepare,
  check,
  detect,
  flow,
  motion,
  spectral,
  track,
  total
};
inline constexpr int kStageCount = 9;
[[nodiscard]] const char* name_of(Stage stage) noexcept;

/// Times of a stage so far.
struct StageReport {
  std::uint64_t frames = 0;
  std::uint64_t over_budget = 0;
  Nanos sum{};  ///< of all frames: two reports give the mean between them
  Nanos budget{}, mean{}, median{}, p95{}, p99{}, max{};  ///< median, p95 and p99 to within 7 %
};

/// Times of one stage against its budget. One thread adds, any thread reads; never allocates, never
/// locks.
class StageTimes {
 public:
  void set_budget(Nanos budget) noexcept {
    budget_.store(budget.count(), std::memory_order_relaxed);
  }
  void add(Nanos spent) noexcept;
  [[nodiscard]] StageReport report() const noexcept;
  /// The longest since the last call. For one reader.
  Nanos take_recent_max() noexcept {
    return Nanos{recent_max_.exchange(0, std::memory_order_relaxed)};
  }

 private:
  static constexpr int kPerOctave = 10;             // buckets grow by 2^(1/10), 7 %
  static constexpr int kBuckets = 24 * kPerOctave;  // from 1 us to 16 s
  static int bucket_of(Nanos spent) noexcept;

  std::atomic<Nanos::rep> budget_{0}, sum_{0}, max_{0}, recent_max_{0};
  std::atomic<std::uint64_t> frames_{0}, over_{0};
  std::array<std::atomic<std::uint32_t>, kBuckets> histogram_{};
};

}  // namespace kerb
