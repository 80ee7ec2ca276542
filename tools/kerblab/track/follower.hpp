// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>

#include "firmware/config/config.hpp"
#include "firmware/ego/ego_estimator.hpp"
#include "firmware/ego/motion_estimator.hpp"
#include "firmware/risk/car_path.hpp"
#include "firmware/risk/people_estimator.hpp"
#include "gpu/flow/motion_points.hpp"
#include "gpu/memory/context.hpp"
#include "gpu/memory/workers.hpp"
#include "hal/base/clock.hpp"
#include "hal/base/result.hpp"
#include "tools/kerblab/pictures/pictures.hpp"
#include "tools/kerblab/track/road_speed.hpp"

namespace kerb::lab {

/// Replacement for the car's speed, for recordings without a bus.
struct AssumedCar {
  std::optional<double> speed_mps;  ///< constant; unset: unknown
  bool by_the_road = false;         ///< estimated by RoadSpeed
};

/// The product's way from a picture and its detections to the people followed and what the next
/// seconds hold for them: flow, the camera's own motion and firmware/watch, as a configuration has
/// them, for pictures of one size. One thread at a time.
class Follower {
 public:
  /// The first camera of `config` is the one that took them. `context` and `workers` must outlive
  /// it. Fails: as flow::MotionPoints::create().
  static Result<std::unique_ptr<Follower>> create(const Context& context, Workers& workers,
                                                  const Config& config,
                                                  const track::TrackerSettings& settings,
                                                  const AssumedCar& car, int width, int height);

  /// The next frame; `found` null: the detector did not look. Where the car's speed is known, so is
  /// its yaw rate: as the pictures have it, evened out. Fails: as the flow.
  Status step(const LoadedPicture& picture, Nanos captured, const DetectionList* found,
              risk::PeopleReport& out);

  [[nodiscard]] const Camera& camera() const noexcept { return camera_; }
  [[nodiscard]] const ego::EgoMotion& motion() const noexcept { return report_->ego; }
  /// The car's motion assumed for this frame, and the path that follows from it.
  [[nodiscard]] const ego::VehicleMotion& vehicle() const noexcept { return vehicle_; }
  [[nodiscard]] const risk::CarPath& path() const noexcept { return path_; }
  [[nodiscard]] Nanos flow_time() const noexcept { return flow_time_; }    ///< of all frames
  [[nodiscard]] Nanos track_time() const noexcept { return track_time_; }  ///< ego motion included

 private:
  Follower(const Config& config, const track::TrackerSettings& settings, const AssumedCar& car,
           int width, int height);
  void judge_motion(Nanos captured, const DetectionList* found);
  void assume_vehicle(Nanos interval);

  SystemClock clock_;
  Camera camera_;
  std::unique_ptr<flow::MotionPoints> flow_;
  ego::EgoEstimator ego_;
  PeopleEstimator watch_;
  risk::CarPath path_;
  AssumedCar car_;
  RoadSpeed road_speed_;
  ego::VehicleMotion vehicle_;
  std::unique_ptr<MotionField> field_;
  std::unique_ptr<ego::MotionReport> report_;
  std::unique_ptr<track::Senses> senses_;
  std::unique_ptr<track::PersonList> last_;  // people after the frame before
  int points_;
  Nanos before_{}, flow_time_{}, track_time_{};
};

}  // namespace kerb::lab
