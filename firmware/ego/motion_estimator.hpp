// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <memory>

#include "firmware/ego/ego_estimator.hpp"
#include "hal/base/clock.hpp"
#include "hal/motion.hpp"
#include "hal/vision.hpp"

namespace kerb::ego {

inline constexpr int kPointsPerPerson = 40;  ///< requested where a person's box holds fewer

struct MotionEstimatorSettings {
  int points = 1200;                                    ///< most motion vectors per frame
  Nanos longest_gap = std::chrono::milliseconds{250};   ///< between frames; longer: starts anew
  Nanos longest_pair = std::chrono::milliseconds{120};  ///< between compared frames, where frames
                                                        ///< between them were skipped
  /// Mean time that the flow may take per frame. A slower method skips frames, the more the slower
  /// it is. Zero: never skips.
  Nanos flow_budget{};
  Nanos frame_interval = std::chrono::milliseconds{33};  ///< of the camera
  /// Where the budget allows less than one measurement in this time, measuring stops.
  Nanos slowest_measurement = std::chrono::seconds{1};
  /// It then pauses and tries again. Each failed try doubles the pause, up to the longest.
  Nanos first_rest = std::chrono::seconds{5}, longest_rest = std::chrono::minutes{5};
};

struct MotionTotals {
  std::uint64_t frames = 0;  ///< measured
  std::uint64_t passed = 0;  ///< not compared with the previous one, to save time
  std::uint64_t valid = 0;   ///< frames whose ego-motion was found
  std::uint64_t moving = 0, standing = 0, unknown = 0;  ///< people, frame by frame
};

/// The result of one frame's motion.
struct MotionReport {
  Nanos at{};  ///< when the frame was taken; zero: never measured
  EgoMotion ego;
  int people = 0;  ///< of the frame's detections, in order
  std::array<RegionMotion, DetectionList::kCapacity> of{};
  std::array<Detection, DetectionList::kCapacity> boxes{};
  MotionTotals totals;  ///< since the start
};

/// Optical flow, ego-motion and people's own motion, frame after frame, for one camera. One thread
/// at a time; allocates only when constructed.
class MotionEstimator {
 public:
  MotionEstimator(std::unique_ptr<FlowEstimator> flow, const Camera& camera, const EgoSettings& ego,
                  const MotionEstimatorSettings& settings);

  /// Measures the motion since the previous frame. True: measured. False: not measured, to save
  /// time: this frame is skipped, or only kept for comparison with the next; judge() must not be
  /// called. Fails: as the flow; the next frame starts anew.
  Result<bool> measure(const PreparedImage& image, Nanos captured);
  /// How long measure() took, whatever its result: decides how many of the next frames are skipped.
  void spent(Nanos time) noexcept;
  /// How long one measurement took in a test before the first frame: a method that is far too slow
  /// for this machine is not started.
  void expect(Nanos time) noexcept;
  /// After measure() returned true: the car's own motion, and whether these people move. `vehicle`
  /// is what the car reported between from() and to().
  void judge(const VehicleMotion& vehicle, const DetectionList& people, MotionReport& out);
  /// The vectors of the last measure() that returned true.
  [[nodiscard]] const MotionField& field() const noexcept { return *field_; }
  [[nodiscard]] Nanos from() const noexcept { return last_ - interval_; }
  [[nodiscard]] Nanos to() const noexcept { return last_; }

  /// The budget allows less than one measurement in `slowest_measurement`: motion is not measured,
  /// apart from a try now and then.
  [[nodiscard]] bool too_slow() const noexcept { return slow_count_ >= kSlowCount; }
  /// Of the last comparison.
  [[nodiscard]] Nanos measurement_time() const noexcept { return measurement_time_; }
  /// Fills a report with the state too_slow.
  void report_too_slow(Nanos at, MotionReport& out) const noexcept;
  [[nodiscard]] const char* flow_name() const noexcept { return flow_->name(); }

 private:
  std::unique_ptr<FlowEstimator> flow_;
  EgoEstimator ego_;
  MotionEstimatorSettings settings_;
  std::unique_ptr<MotionField> field_;
  std::array<Region, DetectionList::kCapacity> suspects_;
  MotionTotals totals_;
  static constexpr int kSlowCount = 4;  // slow measurements in a row: one stall does not count

  [[nodiscard]] double share() const noexcept;
  [[nodiscard]] bool is_too_long(Nanos time) const noexcept;
  void rest() noexcept;

  Nanos seen_{};               // time of the newest frame; zero: none
  Nanos last_{}, interval_{};  // the last frame kept, and its distance from the one before
  Nanos debt_{};               // time taken beyond the budget, to be made up for
  Nanos rest_{},
      next_rest_{};  // rest of the pause; the pause after the next failed try, zero: first
  Nanos measurement_time_{}, keeping_{};
  int slow_count_ = 0;
  bool compared_ = false, kept_ = false;  // by the last measure()
};

}  // namespace kerb::ego
