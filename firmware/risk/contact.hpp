// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include "firmware/risk/car_path.hpp"
#include "firmware/risk/pace.hpp"
#include "firmware/types/contact.hpp"
#include "firmware/types/person.hpp"
#include "firmware/types/risk_settings.hpp"

namespace kerb::risk {

/// The probability that the car touches a person. The car is a rectangle that moves along its path,
/// the person a disc. For each behaviour of the person (keep the pace, stop within a metre, walk
/// faster: see pace.hpp; walk along the road: see along_road.hpp) it computes kMembers futures,
/// always the same ones: places and velocities drawn from the person's covariance, each with a path
/// of the car drawn from its standard deviations. The probability is the share of futures in which
/// they touch while the car moves: a person who walks into a standing car is not hit by it. Where
/// the car may take several ways (CarPath::ways()), this is done for each, and their probabilities
/// are added by their shares. Futures in which somebody who stands, hardly moves, or walks along
/// the road is touched count less than others (PaceSettings::in_way_ratio): people who do so are
/// seldom in the way of cars, so where somebody stands says something about where the car goes.
/// Behind a car that reverses they are: there all count alike.
///
/// A member's path is the most likely one through its place at the time of the closest approach:
/// exact at that time, a straight line before and after. Compared with sampling of everything
/// uncertain, the probability is correct to 0.05 (tests/unit/firmware/risk).
///
/// One thread at a time; allocates nothing; exact (see firmware/exact). On one x86 core about 50 us
/// for a person who may be touched, 2 us for others; three times that in a bend, six times before
/// and in a turn.
class ContactJudge {
 public:
  static constexpr int kMembers = 64;

  ContactJudge(const CarShape& car, const ContactSettings& settings) noexcept;
  /// Updates the people's change of pace, for judge(): once a frame, before it. Without it, people
  /// keep their pace or stop.
  void observe(Nanos at, const track::PersonList& people) noexcept { paces_.observe(at, people); }
  /// Person and path as of the same moment. A person with values that are not finite: no contact.
  [[nodiscard]] Contact judge(const track::Person& person, const CarPath& path) const noexcept;
  void reset() noexcept { paces_.reset(); }
  /// The people's change of pace, for records of warnings; see firmware/types/fields.hpp.
  void save(FieldWriter& out) const noexcept { paces_.save(out); }
  void load(FieldReader& in) noexcept { paces_.load(in); }
  void describe(FieldLister& out) const { paces_.describe(out); }

 private:
  struct Walk;
  struct Doubt;
  struct Approach;
  struct Outside;
  struct Futures;
  struct Outlook;
  enum class Kind : std::uint8_t { keeps_side, any_way };  ///< of futures
  [[nodiscard]] Outside outside(const Walk& walk, const Doubt& doubt, const CarWay& way,
                                double t) const noexcept;
  [[nodiscard]] double gap(const Walk& walk, const Doubt& doubt, const CarWay& way,
                           double t) const noexcept;
  [[nodiscard]] std::optional<double> touch(const Walk& walk, const Doubt& doubt, const CarWay& way,
                                            double finest) const noexcept;
  [[nodiscard]] Approach scan(const track::Person& person, const Walk& walk,
                              const CarWay& way) const noexcept;
  void find_closest(const Walk& walk, const CarWay& way, const Approach& approach,
                    Contact& out) const noexcept;
  void count(const track::Person& person, const Walk& walk, const CarWay& way, double at,
             double share, Kind kind, Outlook& out) const noexcept;

  void add(const track::Person& person, const CarWay& way, Outlook& out) const noexcept;
  void add_walking(const track::Person& person, const CarWay& way, double share, bool likeliest,
                   Outlook& out) const noexcept;
  void add_free_walk(const track::Person& person, const CarWay& way, double share, bool likeliest,
                     Outlook& out) const noexcept;
  void add_standing(const track::Person& person, const CarWay& way, double share, bool likeliest,
                    Outlook& out) const noexcept;

  [[nodiscard]] Contact weigh(const Outlook& outlook, bool reverses) const noexcept;

  CarShape car_;
  ContactSettings settings_;
  double reach_;  ///< from the rear axle to the farthest corner
  PaceEstimator paces_;
};

}  // namespace kerb::risk
