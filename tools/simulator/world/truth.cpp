// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "tools/simulator/world/outline.hpp"
#include "tools/simulator/world/world.hpp"

namespace kerb::sim {
namespace {

/// The line the front's middle takes at constant speed and yaw rate.
class Forecast {
 public:
  explicit Forecast(const CarState& car) : car_{car}, way_{car.place, stretches(car)} {}
  [[nodiscard]] Place after(double seconds) const { return way_.at(car_.mps * seconds); }
  [[nodiscard]] double curvature() const { return car_.mps == 0 ? 0 : car_.yaw_radps / car_.mps; }
  /// How far left of the line a point is, as the car has it.
  [[nodiscard]] double left_of_line(Vec2 seen) const {
    const double k = curvature();
    if (std::abs(k) < 1e-9) return seen.y;
    // The circle's middle is 1/k to the left. Written so that a wide one loses no digits.
    const double to_middle = std::hypot(k * seen.x, 1 - k * seen.y);
    return (2 * seen.y - k * dot(seen, seen)) / (1 + to_middle);
  }

 private:
  static std::vector<Stretch> stretches(const CarState& car) {
    if (car.yaw_radps == 0 || car.mps == 0) return {};
    return {{.length_m = 1e6, .radius_m = car.mps / car.yaw_radps}};
  }
  CarState car_;
  Way way_;
};

}  // namespace

void World::truth(const Moment& now, std::vector<PersonTruth>& out) const {
  const CarSpec& car = scenario_.car;
  const Forecast forecast{now.car};
  const Vec2 ahead = direction(now.car.place.heading);
  const double reach = std::hypot(car.length_m, car.width_m / 2);
  const double car_fastest = std::abs(now.car.mps) * (1 + std::abs(forecast.curvature()) * reach);
  out.resize(now.people.size());
  for (std::size_t i = 0; i < now.people.size(); ++i) {
    const PersonState& person = now.people[i];
    PersonTruth& truth = out[i];
    const Vec2 seen = seen_from(now.car.place, person.place.at);
    truth.ahead = seen.x;
    truth.left = seen.y;
    const auto nearest = [&](const Place& front, Vec2 moved) {
      double least = 1e30;
      for (const OutlineDisc& disc : outlines_[i]) {
        const Vec2 at = disc_at(person.place, disc) + moved;
        least = std::min(
            least, outline_distance(car.length_m, car.width_m, seen_from(front, at)) - disc.radius);
      }
      return least;
    };
    truth.distance = nearest(now.car.place, {});
    truth.path_offset = forecast.left_of_line(seen);
    const Vec2 relative = person.velocity - now.car.mps * ahead;
    truth.relative = {dot(relative, ahead), dot(relative, left_of(ahead))};
    const auto after = [&](Vec2 velocity) {
      return [&, velocity](double s) { return nearest(forecast.after(s), s * velocity); };
    };
    truth.ttc = first_touch(after(person.velocity), car_fastest + person.mps, 0, kHorizon);
    const std::optional<Contact>& contact = contacts_[i];
    truth.contact.reset();
    if (contact && contact->t >= now.t) truth.contact = contact->t - now.t;
    bool close = false;
    for (const OutlineDisc& disc : outlines_[i]) {
      const Vec2 at = seen_from(now.car.place, disc_at(person.place, disc));
      close = close || (at.x >= 0 && at.x - disc.radius <= kCloseAhead &&
                        std::abs(at.y) - disc.radius <= car.width_m / 2 + kCloseBeside);
    }
    const bool on_path = !close && first_touch(after({}), car_fastest, 0, kHorizon).has_value();
    truth.zone = close ? Zone::close : on_path ? Zone::path : Zone::elsewhere;
  }
}

}  // namespace kerb::sim
