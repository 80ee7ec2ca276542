// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "tools/simulator/base/random.hpp"
#include "tools/simulator/scenario/hours_ground.hpp"
#include "tools/simulator/scenario/hours_route.hpp"
#include "tools/simulator/scenario/hours_rule.hpp"

namespace kerb::sim::hours {

/// Puts people into a drive, each so that they keep the rule: what does not is drawn again, and
/// left out after some tries.
class PeopleMaker {
 public:
  PeopleMaker(const Route& route, const DriveGround& ground, const QuietCheck& check,
              Scenario& scenario, Random& random)
      : route_{route}, ground_{ground}, check_{check}, scenario_{scenario}, random_{random} {}

  /// Somebody who does one of these things where the car passes at `t`; false: nobody fits.
  bool add(const std::string& does, double t);
  /// People along the pavements, so many in 100 m of street.
  void add_crowd(double per_100m);
  /// Those who cross before the standing car, from when it is slow until before it leaves.
  void add_crossing(const Crossing& crossing, double stands_s, double leaves_s);
  /// Of those at the corners of a turning, and of those who cross a side street.
  void add_corner(const Turning& turning);
  void add_side_crossing(const Mouth& mouth);
  /// Somebody on a bicycle at the edge of the road, who meets the car at `t`; or whom it overtakes
  /// then.
  void add_cyclist(double t, bool overtaken);

  /// Somebody with a name, a body and clothes, on foot; without a place.
  PersonSpec somebody(const std::string& does);
  void dress_up(PersonSpec& person);

 private:
  bool place(const std::string& does, double t, std::vector<PersonSpec>& out);
  void stroll(PersonSpec& person, double s, double d, double way, double mps, double seconds);
  bool keep(std::vector<PersonSpec>& people);
  [[nodiscard]] bool is_free(const PersonSpec& person) const;
  double between(double low, double high);
  Vec2 at(double s, double d) const { return ground_.at(s, d); }

  const Route& route_;
  const DriveGround& ground_;
  const QuietCheck& check_;
  Scenario& scenario_;
  Random& random_;
};

}  // namespace kerb::sim::hours
