// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/track/follower.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "firmware/ego/configured.hpp"
#include "firmware/lens/camera_geometry.hpp"
#include "firmware/track/colour_appearance.hpp"

namespace kerb::lab {
namespace {

flow::Method method_of(kerb::FlowMethod method) {
  switch (method) {
    case kerb::FlowMethod::lucas_kanade:
      return flow::Method::lucas_kanade;
    case kerb::FlowMethod::block_matching:
      return flow::Method::block_matching;
    case kerb::FlowMethod::points:
      return flow::Method::points;
    case kerb::FlowMethod::automatic:
      break;
  }
  return flow::Method::automatic;
}

constexpr double kYawMemory = 0.2;  // seconds

}  // namespace

Follower::Follower(const Config& config, const track::TrackerSettings& settings,
                   const AssumedCar& car, int width, int height)
    : camera_{camera_of(config.cameras.front(), width, height)},
      ego_{ego::camera_of(config.cameras.front(), width, height), ego::settings_of(config.ego)},
      watch_{camera_,
             settings,
             {config.car.width_m, config.car.length_m, config.car.axle_to_bumper_m},
             {},
             track::make_colour_appearance()},
      car_{car},
      field_{std::make_unique<MotionField>()},
      report_{std::make_unique<ego::MotionReport>()},
      senses_{std::make_unique<track::Senses>()},
      last_{std::make_unique<track::PersonList>()},
      points_{config.flow.points} {}

Result<std::unique_ptr<Follower>> Follower::create(const Context& context, Workers& workers,
                                                   const Config& config,
                                                   const track::TrackerSettings& settings,
                                                   const AssumedCar& car, int width, int height) {
  std::unique_ptr<Follower> made{new Follower{config, settings, car, width, height}};
  if (!config.flow.enabled) return made;
  flow::MotionPointsSettings flow_settings;
  flow_settings.method = method_of(config.flow.method);
  flow_settings.widest = config.flow.width;
  Result<std::unique_ptr<flow::MotionPoints>> flow =
      flow::MotionPoints::create(context, workers, flow_settings, width, height);
  if (!flow) return flow.error();
  made->flow_ = std::move(*flow);
  return made;
}

void Follower::judge_motion(Nanos captured, const DetectionList* found) {
  // Whoever is followed is a suspect too: the detector may not have looked, or may have missed
  // them.
  std::vector<Detection> boxes;
  std::vector<ego::Region> suspects;
  if (found != nullptr) boxes.assign(found->items, found->items + found->count);
  const std::size_t detected = boxes.size();
  for (int i = 0; i < last_->count; ++i)
    if (last_->items[i].confirmed) boxes.push_back(last_->items[i].box);
  suspects.reserve(boxes.size());
  for (const Detection& b : boxes)
    suspects.push_back({double{b.x}, double{b.y}, double{b.w}, double{b.h}});
  flow_->add_points_within(boxes.data(), static_cast<int>(boxes.size()), ego::kPointsPerPerson,
                           *field_);
  report_->at = captured;
  report_->ego = ego_.update(*field_, captured - before_, vehicle_, suspects);
  report_->people = static_cast<int>(detected);
  for (std::size_t i = 0; i < detected; ++i) {
    report_->boxes[i] = boxes[i];
    report_->of[i] = ego_.region(suspects[i]);
  }
}

void Follower::assume_vehicle(Nanos interval) {
  if (car_.by_the_road) vehicle_.speed_mps = road_speed_.update(ego_, interval);
  if (!vehicle_.speed_mps || report_->ego.state != ego::EgoState::valid) return;
  const double dt = std::chrono::duration<double>(interval).count();
  const double seen = *vehicle_.speed_mps == 0 ? 0 : report_->ego.yaw_rate_radps;
  const double before = vehicle_.yaw_rate_radps.value_or(seen);
  vehicle_.yaw_rate_radps = before + (1 - std::exp(-dt / kYawMemory)) * (seen - before);
}

Status Follower::step(const LoadedPicture& picture, Nanos captured, const DetectionList* found,
                      risk::PeopleReport& out) {
  PreparedImage image;
  image.grey = picture.view().grey;
  image.rgb = picture.view().rgb;
  const Nanos start = clock_.now();
  if (flow_)
    if (Status ok = flow_->estimate(image, points_, *field_); !ok) return ok;
  const Nanos flowed = clock_.now();
  if (!car_.by_the_road) vehicle_.speed_mps = car_.speed_mps;
  if (flow_) {
    judge_motion(captured, found);
    assume_vehicle(captured - before_);
  }
  before_ = captured;
  const bool measured = flow_ && field_->has_previous;
  watch_.sense(captured, image, found, measured ? field_.get() : nullptr,
               measured ? report_.get() : nullptr, vehicle_, *senses_);
  watch_.step(*senses_, out);
  path_.update(captured, vehicle_);
  *last_ = out.people;
  flow_time_ += flowed - start;
  track_time_ += clock_.now() - flowed;
  return Done{};
}

}  // namespace kerb::lab
