// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "firmware/risk/car_way.hpp"
#include "firmware/types/fields.hpp"
#include "firmware/types/risk_settings.hpp"
#include "firmware/types/turn_outlook.hpp"
#include "firmware/types/vehicle_body.hpp"

namespace kerb::risk {

/// How the car moves now, for the turn that may follow.
struct TurnStart {
  double speed_mps = 0, acceleration_mps2 = 0;
  double yaw_rate_radps = 0;
  double yaw_rate_soon_radps = 0;  ///< which the present change of it leads to
  double yaw_sigma_radps = 0;
};

inline constexpr double kLeastTurnSpeed_mps = 0.5;  ///< the turn of a slower car is not planned

/// Estimates whether the car is about to turn into another street: the indicator says so, and
/// slowing down, the speed of turns, and the heading already turned since then confirm it. Without
/// an indicator nothing is expected before a turn (slowing down alone has many reasons, and where
/// the junctions are is not known); in a bend as narrow as turns are, that it ends as turns do. One
/// thread at a time; allocates nothing; exact (see firmware/exact).
class TurnEstimator {
 public:
  /// Once a frame; `dt` seconds since the last. Hazard lights tell of no turn.
  void update(const TurnSettings& settings, double dt, std::optional<TurnSignal> signal,
              const TurnStart& now) noexcept;
  [[nodiscard]] const TurnOutlook& outlook() const noexcept { return outlook_; }
  void set(const TurnOutlook& outlook) noexcept { outlook_ = outlook; }

  template <typename F, typename Self>
  static void list(F& f, Self& s) {
    f.structure("TurnEstimator")("share", s.outlook_.share)("turned_rad", s.outlook_.turned_rad);
    f("side", s.outlook_.side)("done", s.done_);
  }
  void save(FieldWriter& out) const noexcept { list(out, *this); }
  void load(FieldReader& in) noexcept { list(in, *this); }
  void describe(FieldLister& out) const { list(out, *this); }

 private:
  [[nodiscard]] std::int8_t side(const TurnSettings& settings, std::int8_t told,
                                 const TurnStart& now) const noexcept;

  TurnOutlook outlook_;
  bool done_ = false;  ///< the turn has been driven
};

/// The ways of a turn: always the same ones, spread over where it begins, its radius and its angle.
inline constexpr int kTurnWays = 5;
/// Plans one of them, 0..kTurnWays - 1: straight on to the beginning of the turn, braking for it as
/// late as is comfortable (or as the car brakes now), an arc that begins and ends gradually, and
/// straight on. `share` is the outlook's divided by kTurnWays. The speed is at least
/// kLeastTurnSpeed_mps.
void plan_turn(const PathSettings& settings, const TurnOutlook& outlook, const TurnStart& now,
               int which, CarWay& out) noexcept;

}  // namespace kerb::risk
