// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>
#include <optional>

#include "firmware/risk/car_path.hpp"
#include "firmware/track/person.hpp"

namespace kerb::risk {

/// What the next seconds hold for one person and the car.
struct Contact {
  double probability = 0;                   ///< that the car touches them within the horizon
  std::optional<double> time_s;             ///< to the contact their likeliest paths lead to
  double closest_m = std::numeric_limits<double>::infinity();  ///< between car and person, on those
  double closest_in_s = 0;
  double ahead_m = 0;   ///< now, from the front bumper; negative: beside or behind it
  double beside_m = 0;  ///< now, from the car's side; 0: within its width
};

struct ContactSettings {
  double horizon_s = 4;
  double person_radius_m = 0.3;
};

/// One thread at a time; allocates nothing; exact (see firmware/exact).
class ContactJudge {
 public:
  ContactJudge(const CarShape& car, const ContactSettings& settings) noexcept
      : car_{car}, settings_{settings} {}
  /// Person and path as of the same moment.
  [[nodiscard]] Contact judge(const track::Person& person, const CarPath& path) const noexcept;

 private:
  CarShape car_;
  ContactSettings settings_;
};

}  // namespace kerb::risk
