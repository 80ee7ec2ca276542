// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "firmware/risk/car_path.hpp"
#include "firmware/risk/pace.hpp"
#include "firmware/types/contact.hpp"
#include "firmware/types/person.hpp"

namespace kerb::risk {

struct ContactSettings {
  double horizon_s = 4;  ///< up to CarPath::kHorizon
  double person_radius_m = 0.3;
};

/// Whether the car and a person meet: the car a rectangle that is driven along its path, the person
/// a disc. Nobody knows the future, so many futures are looked at, always the same ones: for each
/// thing the person may do (go on as they do, stop within a metre, walk faster; see pace.hpp)
/// kMembers places and velocities out of their covariance, each with a path of the car out of its
/// doubt. The probability is the share of those in which they touch while the car moves: whoever
/// walks into a standing car is not hit by it.
///
/// A member's path is the likeliest one through the place it has at the time of the closest
/// approach: exact at that time, a straight line before and after. Against sampling of all that is
/// doubtful the probability is right to 0.05 (tests/unit/firmware/risk).
///
/// One thread at a time; allocates nothing; exact (see firmware/exact). On one x86 core some 50 us
/// for somebody who may be touched, 2 us for others.
class ContactJudge {
 public:
  static constexpr int kMembers = 64;

  ContactJudge(const CarShape& car, const ContactSettings& settings) noexcept;
  /// Remembers how everybody walks, for judge(): once a frame, before it. Without, nobody changes
  /// their pace but by stopping.
  void look(Nanos at, const track::PersonList& people) noexcept { paces_.look(at, people); }
  /// Person and path as of the same moment. What is not a number is nobody: no contact.
  [[nodiscard]] Contact judge(const track::Person& person, const CarPath& path) const noexcept;
  void reset() noexcept { paces_.reset(); }
  /// How everybody walks, for records of warnings; see types/fields.hpp.
  void save(FieldWriter& out) const noexcept { paces_.save(out); }
  void load(FieldReader& in) noexcept { paces_.load(in); }
  void describe(FieldLister& out) const { paces_.describe(out); }

 private:
  struct Walk;
  struct Doubt;
  struct Look;
  struct Outside;
  [[nodiscard]] Outside outside(const Walk& walk, const Doubt& doubt, const CarPath& path,
                                double t) const noexcept;
  [[nodiscard]] double gap(const Walk& walk, const Doubt& doubt, const CarPath& path,
                           double t) const noexcept;
  [[nodiscard]] std::optional<double> touch(const Walk& walk, const Doubt& doubt,
                                            const CarPath& path, double finest) const noexcept;
  [[nodiscard]] Look scan(const track::Person& person, const Walk& walk,
                          const CarPath& path) const noexcept;
  void find_closest(const Walk& walk, const CarPath& path, const Look& look,
                    Contact& out) const noexcept;
  void count(const track::Person& person, const Walk& walk, const CarPath& path, double at,
             double share, Contact& out) const noexcept;

  CarShape car_;
  ContactSettings settings_;
  double reach_;  ///< from the rear axle to the farthest corner
  PaceEstimator paces_;
};

}  // namespace kerb::risk
