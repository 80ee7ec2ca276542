// SPDX-License-Identifier: Apache-2.0
#include "firmware/risk/people_estimator.hpp"

#include <utility>

namespace kerb {
namespace {
constexpr Nanos kViewHolds = std::chrono::milliseconds{500};
}  // namespace

PeopleEstimator::PeopleEstimator(const Camera& camera, const track::TrackerSettings& settings,
                                 const risk::CarShape& car, const risk::ContactSettings& contact,
                                 std::unique_ptr<track::Appearance> appearance)
    : tracker_{camera, settings, std::move(appearance)},
      path_{contact.path},
      judge_{car, contact},
      view_{camera, car.axle_to_bumper_m} {}

void PeopleEstimator::step(const track::Senses& senses, risk::PeopleReport& out) {
  path_.update(senses.captured, senses.vehicle, senses.yaw_rate_radps);
  tracker_.step(senses, out.people);
  if (senses.looked || looked_at_ > senses.captured) looked_at_ = senses.captured;
  out.at = senses.captured;
  out.looked_at = looked_at_;
  out.path_known = path_.known();
  out.speed_mps = path_.speed_mps();
  out.acceleration_mps2 = path_.acceleration_mps2();
  out.yaw_rate_radps = path_.yaw_rate_radps();
  const risk::CarMotion motion = path_.motion();
  out.yaw_rate_known = motion.yaw_rate_radps.has_value();
  out.yaw_acceleration_radps2 = motion.yaw_acceleration_radps2;
  out.yaw_sigma_radps = motion.yaw_sigma_radps;
  out.speed_sigma_mps = motion.speed_sigma_mps;
  out.turn = motion.turn;
  judge_.observe(senses.captured, out.people);
  for (int i = 0; i < out.people.count; ++i)
    out.contacts[i] = judge_.judge(out.people.items[i], path_);
  // Without a picture it is as it was, for a moment.
  const bool has_picture = senses.looked || senses.view.known;
  if (has_picture || senses.captured - looked_at_ > kViewHolds)
    last_view_ = view_.step(senses.captured, senses.view, out.people, senses.looked);
  out.view = last_view_;
}

}  // namespace kerb
