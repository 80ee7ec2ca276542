// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tools/simulator/base/scenario.hpp"

/// A scenario as written in its file, before derived values are computed.
namespace kerb::sim {

/// A person who walks into the car's path and is hit at the given time and place if nobody reacts.
struct ImpactDraft {
  double percent = 50;  ///< of the car's width, from its right edge
  double at_s = 4;      ///< when
  bool from_left = false;
  double distance_m = 4;  ///< of the start, from the car's middle line
  double mps = 5 / 3.6;
  double heading = 0;  ///< 0: straight across; positive: with the car
  double speed_up_m = 1;
  std::optional<double> ahead_m;  ///< distance ahead of the front at `at_s`, instead of contact
};
/// A person who walks ahead of the car in its direction and is hit from behind at the given time
/// and place.
struct AlongDraft {
  double percent = 50;
  double at_s = 4;
  double mps = 5 / 3.6;
};

enum class Frame : std::uint8_t { world, impact };

struct WalkDraft {
  WalkLeg leg;
  bool has_to = false;
};
struct ClothesGiven {  // values not given are chosen at random
  bool top = false, bottom = false, top_surface = false, bottom_surface = false, shoes = false,
       hair = false, skin = false, pattern = false;
};
struct PersonDraft {
  PersonSpec spec;
  ClothesGiven given;
  bool has_start = false, has_seed = false, has_heading = false;
  std::vector<WalkDraft> walk;
  std::optional<ImpactDraft> impact;
  std::optional<AlongDraft> along;
  Frame frame = Frame::world;
  int abreast = 1;
};
struct PropDraft {
  PropSpec spec;
  bool has_place = false, has_surface = false, has_seed = false;
  std::optional<double> mps;
  Frame frame = Frame::world;
};
/// Random people on the pavements.
struct CrowdDraft {
  int people = 10;
  double from_m = 0, to_m = 200;  ///< along the street
  enum class On : std::uint8_t { both, left, right } on = On::both;
  enum class Way : std::uint8_t { both, with, against } way = Way::both;
  double standing = 0.15;  ///< share of people who stand
  double slowest_mps = 3.5 / 3.6, fastest_mps = 6.5 / 3.6;
  double kerb_m = 0.5;  ///< smallest distance to the kerb
  double children = 0.1, prams = 0.05;
  double trolleys = 0, dogs = 0, phones = 0, wheelchairs = 0;
  std::uint32_t seed = 0;
};
struct CarDraft {
  CarSpec spec;
  double mps = 0;
  bool has_mps = false;
};
struct FaultDraft {
  FaultSpec spec;
  bool has_to = false;
  std::optional<double> lasts_s;
  Frame frame = Frame::world;
};
struct ScenarioDraft {
  Scenario scenario;  ///< the parts that need no computing
  CarDraft car;
  std::vector<PersonDraft> people;
  std::vector<PropDraft> props;
  std::vector<CrowdDraft> crowds;
  std::vector<FaultDraft> faults;
};

}  // namespace kerb::sim
