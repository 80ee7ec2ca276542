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
  double dropped_percent = 0;  ///< by the camera, or by the pipeline for a newer one
  double damaged_percent = 0;
};

/// Turns the facts of one pipeline into parts of the health monitor. Pure logic; one thread.
class CameraJudge {
 public:
  /// `live`: its frames come by our clock. A recording's wait for the processing, however long.
  CameraJudge(const HealthSettings& settings, int camera, Nanos start,
              Imaging imaging = Imaging::visible, bool live = true) noexcept
      : settings_{settings},
        camera_{camera},
        shutter_{imaging == Imaging::thermal ? settings.shutter : Nanos::zero()},
        live_{live},
        start_{start},
        progress_at_{start},
        extreme_since_{start},
        dull_since_{start} {}

  /// Call it every round. `reported`: when the picture of the newest report of people was taken;
  /// zero: there is none.
  void judge(const PipelineFacts& facts, const StageReport& total, Nanos reported, Nanos now,
             HealthMonitor& monitor) noexcept;
  [[nodiscard]] const CameraRates& rates() const noexcept { return rates_; }

 private:
  /// The counters at one time; the window runs from the oldest sample to the newest.
  struct Sample {
    Nanos at{};
    std::uint64_t delivered = 0, dropped = 0, skipped = 0,
                  damaged = 0;  // of the camera, but `skipped`
    Nanos spent{};
    std::uint64_t frames = 0, over_budget = 0;  // of the whole pipeline
  };
  static constexpr int kSamples = 21;
  static constexpr Nanos kSampleStep = std::chrono::milliseconds{100};
  static constexpr double kEnoughFrames = 5;  // with fewer, percentages are not computed
  // A camera streams as soon as it is open, and the rest of the program starts later. Frames that
  // were dropped or late until then show in the first few counters and are not a fault.
  static constexpr Nanos kSettle = std::chrono::milliseconds{250};    // after the first frame
  static constexpr Nanos kDirtyFor = std::chrono::milliseconds{250};  // longer than under a bridge

  void judge_presence(const PipelineFacts& facts, Nanos now, HealthMonitor& monitor) noexcept;
  void judge_progress(const PipelineFacts& facts, Nanos now, HealthMonitor& monitor) noexcept;
  void judge_rates(const PipelineFacts& facts, const StageReport& total, Nanos now,
                   HealthMonitor& monitor) noexcept;
  [[nodiscard]] bool is_too_late(Nanos reported, Nanos now) noexcept;
  void judge_picture(const PipelineFacts& facts, Nanos now, HealthMonitor& monitor) noexcept;

  HealthSettings settings_;
  int camera_;
  Nanos shutter_;  ///< time for which the picture may be bad: a thermal camera calibrates
  bool live_;
  Nanos start_;
  Nanos reported_{};                 ///< of the newest report that was seen
  std::optional<Nanos> late_since_;  ///< reports have been too old when they came
  Nanos late_by_{};                  ///< the newest one
  bool too_late_ = false;
  Nanos progress_at_;    ///< when the processing last finished a frame, or none waited for it
  Nanos extreme_since_;  ///< since when it is white or black; the current time while it is not
  Nanos dull_since_;     ///< since when detail is lost; the current time while it is not
  std::array<Sample, kSamples> window_{};
  int filled_ = 0, newest_ = -1;
  std::optional<Nanos> settled_at_;
  CameraRates rates_;
  std::uint64_t damaged_at_last_frame_ = 0, delivered_ = 0, finished_ = 0;
};

}  // namespace kerb
