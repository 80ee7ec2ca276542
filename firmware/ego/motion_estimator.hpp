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

struct MotionEstimatorSettings {
  int points = 1200;                                    ///< motion vectors a frame, at most
  Nanos longest_gap = std::chrono::milliseconds{250};   ///< between frames of one drive
  Nanos longest_pair = std::chrono::milliseconds{120};  ///< where frames between are left out
  /// What the flow may take of each frame's time, on average: a method that takes longer leaves
  /// frames out, the more the longer it takes. Zero: it always looks.
  Nanos flow_budget{};
  Nanos frame_interval = std::chrono::milliseconds{33};  ///< of the camera
  Nanos slowest_look = std::chrono::seconds{1};  ///< fewer looks than one in this time are none
  /// Then it rests, and tries again; each time in vain it rests twice as long, up to the longest.
  Nanos first_rest = std::chrono::seconds{5}, longest_rest = std::chrono::minutes{5};
};

struct MotionTotals {
  std::uint64_t frames = 0;  ///< looked at
  std::uint64_t passed = 0;  ///< not compared with the one before, to save time
  std::uint64_t valid = 0;   ///< frames whose own motion was found
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
class MotionEstimator {
 public:
  MotionEstimator(std::unique_ptr<FlowEstimator> flow, const Camera& camera, const EgoSettings& ego,
                  const MotionEstimatorSettings& settings);

  /// Measures the motion since the frame before. True: it has. False: it has not, to save time:
  /// this frame is left out, or only kept for the next to be compared with; judge() is not to be
  /// called. Fails: as the flow; the next frame starts anew.
  Result<bool> measure(const PreparedImage& image, Nanos captured);
  /// How long measure() took, whatever it said: what decides how many frames are left out next.
  void spent(Nanos time) noexcept;
  /// How long one comparison took before the first frame came: a method that is far too slow for
  /// this machine is not even begun with.
  void expect(Nanos time) noexcept;
  /// After a measure() that did: the car's own motion, and whether these people move. `vehicle` is
  /// what the car told between from() and to().
  void judge(const VehicleMotion& vehicle, const DetectionList& people, MotionReport& out);
  /// What the last measure() that did has measured.
  [[nodiscard]] const MotionField& field() const noexcept { return *field_; }
  [[nodiscard]] Nanos from() const noexcept { return last_ - interval_; }
  [[nodiscard]] Nanos to() const noexcept { return last_; }

  /// The flow's share of the time would give less than a look in `slowest_look`: nobody looks, but
  /// for a try now and then.
  [[nodiscard]] bool too_slow() const noexcept { return slow_looks_ >= kSlowLooks; }
  [[nodiscard]] Nanos look_time() const noexcept { return look_time_; }  ///< of the last comparison
  /// A report that says so.
  void report_too_slow(Nanos at, MotionReport& out) const noexcept;
  [[nodiscard]] const char* flow_name() const noexcept { return flow_->name(); }

 private:
  std::unique_ptr<FlowEstimator> flow_;
  EgoEstimator ego_;
  MotionEstimatorSettings settings_;
  std::unique_ptr<MotionField> field_;
  std::array<Region, DetectionList::kCapacity> suspects_;
  MotionTotals totals_;
  static constexpr int kSlowLooks = 4;  // in a row: one hiccup is not slowness

  [[nodiscard]] double share() const noexcept;
  [[nodiscard]] bool is_too_long(Nanos look) const noexcept;
  void rest() noexcept;

  Nanos seen_{};                // the last frame there was; zero: none
  Nanos last_{}, interval_{};   // the last frame kept, and how long before the other one was
  Nanos debt_{};                // time taken beyond the share, to be made up for
  Nanos rest_{}, next_rest_{};  // still to go; how long after the next try in vain, zero: first
  Nanos look_time_{}, keeping_{};
  int slow_looks_ = 0;
  bool compared_ = false, kept_ = false;  // by the last measure()
};

}  // namespace kerb::ego
