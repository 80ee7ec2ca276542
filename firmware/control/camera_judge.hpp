// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <optional>

#include "firmware/config/config.hpp"
#include "firmware/health/health_monitor.hpp"
#include "firmware/pipeline/camera_pipeline.hpp"

namespace kerb {

/// What a camera has done over the last two seconds.
struct CameraRates {
  double frames_per_s = 0;
  double dropped_percent = 0;  ///< by the camera, or by us for a newer one
  double damaged_percent = 0;
};

/// Turns what one pipeline tells of itself into parts of the health monitor. Pure logic; one
/// thread.
class CameraJudge {
 public:
  CameraJudge(const HealthSettings& settings, int camera, Nanos start) noexcept
      : settings_{settings}, camera_{camera}, start_{start}, dull_since_{start} {}

  /// Call it every tick, with what the pipeline says then.
  void judge(const PipelineFacts& facts, const StageReport& total, Nanos now,
             HealthMonitor& monitor) noexcept;
  [[nodiscard]] const CameraRates& rates() const noexcept { return rates_; }

 private:
  /// One look at the counters; the window runs from the oldest to the newest.
  struct Sample {
    Nanos at{};
    std::uint64_t delivered = 0, dropped = 0, skipped = 0,
                  damaged = 0;  // of the camera, but `skipped`
    Nanos spent{};
    std::uint64_t frames = 0, over_budget = 0;  // of the whole pipeline
  };
  static constexpr int kSamples = 21;
  static constexpr Nanos kSampleStep = std::chrono::milliseconds{100};
  static constexpr double kEnoughFrames = 5;  // fewer say nothing in per cent
  // A camera streams from its opening on, and the rest of the machine takes a while: what found no
  // room until then, and what piled up, shows in the first few frames and is nobody's fault.
  static constexpr Nanos kSettle = std::chrono::milliseconds{250};  // after the first frame

  static constexpr Nanos kDirtyFor = std::chrono::milliseconds{250};

  void judge_presence(const PipelineFacts& facts, Nanos now, HealthMonitor& monitor) noexcept;
  void judge_rates(const PipelineFacts& facts, const StageReport& total, Nanos now,
                   HealthMonitor& monitor) noexcept;
  void judge_picture(const PipelineFacts& facts, Nanos now, HealthMonitor& monitor) noexcept;

  HealthSettings settings_;
  int camera_;
  Nanos start_;
  Nanos dull_since_;  ///< now, while it is not
  std::array<Sample, kSamples> window_{};
  int filled_ = 0, newest_ = -1;
  std::optional<Nanos> settled_at_;
  CameraRates rates_;
  std::uint64_t damaged_at_last_frame_ = 0, delivered_ = 0;
};

}  // namespace kerb
