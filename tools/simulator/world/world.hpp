// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "tools/simulator/base/scenario.hpp"
#include "tools/simulator/base/things.hpp"
#include "tools/simulator/base/vec.hpp"
#include "tools/simulator/world/speed_profile.hpp"
#include "tools/simulator/world/walk.hpp"
#include "tools/simulator/world/way.hpp"

namespace kerb::sim {

struct CarState {
  Place place;  ///< middle of the front bumper, which follows the way
  double mps = 0;
  double yaw_radps = 0;  ///< to the left is positive
  double metres = 0;     ///< driven since the start
  double mps2 = 0;
};
struct PersonState {
  Place place;
  Vec2 velocity;
  double mps = 0;
  double walked_m = 0;  ///< on foot since the start: drives the gait
  double turned = 0;    ///< rad/s
};
struct PropState {
  Place place;
  double mps = 0;
  double metres = 0;  ///< rolled: turns the wheels, moves a dog's legs
  double door = 0;    ///< rad: how far its door is open
};
/// Where everything is at an instant. Vectors are in the scenario's order.
struct Moment {
  double t = 0;
  CarState car;
  std::vector<PersonState> people;
  std::vector<PropState> props;
};

/// When and where the car would touch a person if neither reacts.
struct Contact {
  double t = 0;
  int person = 0;
  /// Where on the front, 0 at its right edge, 1 at its left one; outside 0..1: at the side.
  double across = 0;
  bool front = true;
};

/// Where somebody is, for a driver.
enum class Zone : std::uint8_t {
  elsewhere,
  path,  ///< on the ground the car will cover within World::kHorizon if it goes on as now
  close  ///< right in front: at most kCloseAhead ahead, and kCloseBeside beside the car's width
};

/// What is true of a person as the car has them, at an instant. Lengths in metres, seconds.
struct PersonTruth {
  double distance = 0;     ///< between the outlines; 0 or less: they touch
  double ahead = 0;        ///< of the person's middle, from the front bumper
  double left = 0;         ///< of the car's middle line
  double path_offset = 0;  ///< left of the line the front's middle takes if the car goes on as now
  Vec2 relative;           ///< velocity ahead and to the left, of the person less the car's own
  std::optional<double> ttc;  ///< until contact if both go on as now (the car with its yaw rate)
  std::optional<double> contact;  ///< until the contact that will happen, uncorrected
  Zone zone = Zone::elsewhere;
};

/// A scenario's motion, exact at any time, without state: any instant may be asked for.
class World {
 public:
  explicit World(const Scenario& scenario);
  void at(double t, Moment& out) const;
  /// The first contact of the run, by the outlines, to 1e-6 s. A person on foot is a disc of
  /// kPersonRadius, who rides is the discs of outline_of(): of the nearest one.
  [[nodiscard]] std::optional<Contact> contact() const;
  /// The first contact with each person, in the scenario's order.
  [[nodiscard]] const std::vector<std::optional<Contact>>& contacts() const noexcept {
    return contacts_;
  }
  /// The truth about each person at a moment of this world.
  void truth(const Moment& now, std::vector<PersonTruth>& out) const;
  [[nodiscard]] const Scenario& scenario() const noexcept { return scenario_; }
  static constexpr double kPersonRadius = 0.25;
  static constexpr double kHorizon = 6;        ///< seconds looked ahead for ttc and Zone::path
  static constexpr double kCloseAhead = 3.7;   ///< metres, to the person's nearest part
  static constexpr double kCloseBeside = 0.5;  ///< metres, likewise

 private:
  [[nodiscard]] CarState car_at(double t) const;
  [[nodiscard]] std::optional<Contact> contact_with(std::size_t person) const;
  [[nodiscard]] std::optional<Contact> contact_with(std::size_t person, OutlineDisc disc) const;
  struct Mover {
    Way way;
    SpeedProfile speed;
  };
  Scenario scenario_;
  Mover car_;
  std::vector<Walk> walks_;
  std::vector<std::vector<OutlineDisc>> outlines_;  // of people
  std::vector<Mover> props_;
  std::vector<std::optional<Contact>> contacts_;
};

}  // namespace kerb::sim
