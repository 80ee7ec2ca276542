// SPDX-License-Identifier: Apache-2.0
#include "firmware/risk/people_estimator.hpp"

#include <utility>
#include <cstdio>
#include <cstdlib>
#include <cmath>

namespace kerb {

PeopleEstimator::PeopleEstimator(const Camera& camera, const track::TrackerSettings& settings,
                                 const risk::CarShape& car, const risk::ContactSettings& contact,
                                 std::unique_ptr<track::Appearance> appearance)
    : tracker_{camera, settings, std::move(appearance)}, judge_{car, contact} {}

void PeopleEstimator::step(const track::Senses& senses, risk::PeopleReport& out) {
  path_.update(senses.captured, senses.vehicle);
  tracker_.step(senses, out.people);
  out.at = senses.captured;
  out.path_known = path_.known();
  out.speed_mps = path_.speed_mps();
  out.acceleration_mps2 = path_.acceleration_mps2();
  out.yaw_rate_radps = path_.yaw_rate_radps();
  judge_.observe(senses.captured, out.people);
  for (int i = 0; i < out.people.count; ++i)
  {
    out.contacts[i] = judge_.judge(out.people.items[i], path_);
    const auto& q = out.people.items[i];
    if (std::getenv("KDEBUG") && q.x_m < 40 && q.y_m > -3.5 && q.y_m < 3)
      std::fprintf(stderr, "t %.3f id %u x %.1f y %.2f walks %.2f w(%.1f %.2f v %.2f %.2f sv %.2f) s(%.1f %.2f) p %.2f in %.2f cert %.2f seen %d\n",
        double(senses.captured.count())*1e-9, q.id, q.x_m, q.y_m, q.walks, q.walking.x_m, q.walking.y_m, q.walking.vx_mps, q.walking.vy_mps, std::sqrt(q.walking.covariance[15]),
        q.standing.x_m, q.standing.y_m, out.contacts[i].probability, out.contacts[i].expected_s.value_or(-1), q.certainty, int(q.seen));
  }
}

}  // namespace kerb
