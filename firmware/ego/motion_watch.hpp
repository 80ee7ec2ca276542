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

inline constexpr int kPointsAPerson = 40;  ///< asked for where a person's box holds few

struct MotionWatchSettings {
  int points = 1200;                                     ///< motion vectors a frame, at most
  Nanos longest_gap = std::chrono::milliseconds{250};    ///< between frames that are compared
  Nanos longest_pause = std::chrono::milliseconds{120};  ///< that may be made to save time
  /// What the flow may take of each frame's time; a method that takes longer looks at every second
  /// frame, or third... Zero: it always looks.
  Nanos flow_budget{};
};

struct MotionTotals {
  std::uint64_t frames = 0;                             ///< looked at
  std::uint64_t passed = 0;                             ///< not looked at, for lack of time
  std::uint64_t valid = 0;                              ///< frames whose own motion was found
  std::uint64_t moving = 0, standing = 0, unknown = 0;  ///< people, frame by frame
};

/// What one frame's motion says.
struct MotionReport {
  Nanos at{};  ///< when the frame was taken; zero: never looked
  EgoMotion ego;
  int people = 0;  ///< of the frame's detections, in order
  std::array<RegionMotion, DetectionList::kCapacity> of{};
  std::array<Detection, DetectionList::kCapacity> boxes{};
  MotionTotals totals;  ///< since the start
};

/// Flow and what it means, frame after frame, for one camera. One thread at a time; allocates only
/// when made.
class MotionWatch {
 public:
  MotionWatch(std::unique_ptr<FlowEstimator> flow, const Camera& camera, const EgoSettings& ego,
              const MotionWatchSettings& settings);

  /// Measures the motion since the frame before. True: it has; false: it left this frame out to
  /// save time, and judge() is not to be called. Fails: as the flow; the next frame starts anew.
  Result<bool> measure(const PreparedImage& image, Nanos captured);
  /// How long measure() took: what decides whether the next frame is left out.
  void spent(Nanos time) noexcept;
  /// After a measure() that did: the car's own motion, and whether these people move.
  void judge(const VehicleMotion& vehicle, const DetectionList& people, MotionReport& out);
  [[nodiscard]] const char* flow_name() const noexcept { return flow_->name(); }

 private:
  std::unique_ptr<FlowEstimator> flow_;
  EgoEstimator ego_;
  MotionWatchSettings settings_;
  std::unique_ptr<MotionField> field_;
  std::array<Region, DetectionList::kCapacity> suspects_;
  MotionTotals totals_;
  Nanos last_{}, interval_{};  // of the last frame looked at; zero: none
  Nanos debt_{};               // time taken beyond the budget, to be made up for
};

}  // namespace kerb::ego
