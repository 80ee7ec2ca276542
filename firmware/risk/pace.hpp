// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "firmware/types/fields.hpp"
#include "firmware/types/person.hpp"
#include "hal/base/clock.hpp"

namespace kerb::risk {

/// How people change their pace across the car's way (along it, far away, hardly anything is
/// known): who has begun to walk will not stay as slow as they are, and who slows down is about to
/// stop. A memory of half a second for everybody who is followed. One thread at a time; allocates
/// nothing; exact (see firmware/exact).
class PaceEstimator {
 public:
  /// Everybody, once a frame.
  void look(Nanos at, const track::PersonList& people) noexcept;
  /// How fast somebody's speed across grows, m/s^2; nothing for whom it has not seen before.
  [[nodiscard]] std::optional<double> change_mps2(std::uint32_t id) const noexcept;
  void reset() noexcept { *this = PaceEstimator{}; }
  /// All that it remembers, for records of warnings; see types/fields.hpp.
  void save(FieldWriter& out) const noexcept;
  void load(FieldReader& in) noexcept;
  void describe(FieldLister& out) const;

 private:
  struct Walker {
    std::uint32_t id = 0;
    double speed = 0, before = 0;  ///< now, and as it was a while ago
    double seen_s = 0;             ///< for so long
  };
  template <typename F, typename Self>
  static void list(F& f, Self& s);
  Nanos at_{};
  int count_ = 0;
  std::array<Walker, track::PersonList::kCapacity> walkers_{};
};

/// What somebody may do next, with the share of each: go on as they do, stop, or walk faster.
struct PaceShares {
  double keeps = 1, stops = 0, speeds_up = 0;
  double speed_up_mps2 = 0;  ///< until
  double fastest_mps = 0;    ///< this speed
};
/// Of somebody of this speed over ground, known so well, whose speed changes like this, as far as
/// that is known. Whoever walks may stop; whoever has surely begun to walk, and is not as fast yet,
/// will walk as people do. (Nobody is believed to begin to run: who does so would pass ahead of the
/// car, and would not be warned of.)
[[nodiscard]] PaceShares pace_shares(double speed_mps, double sigma_mps,
                                     std::optional<double> change_mps2) noexcept;

inline constexpr double kStopsWithin = 1;    ///< metres
inline constexpr double kWalkingPace = 1.4;  ///< m/s

}  // namespace kerb::risk
