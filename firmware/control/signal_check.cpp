// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/signal_check.hpp"

#include <algorithm>
#include <cmath>

namespace kerb {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Fixed settings of SignalCheck; tests/unit/firmware/control shows what a change does.
struct SignalTuning {
  double stands_mps = 0.5;            ///< a speed below is a standstill,
  double drives_mps = 1;              ///< one above is none
  double flows_s = 0.4;               ///< so long the road must flow by, or not any more
  Nanos just_before = seconds{2};     ///< a speed that was told so recently is held,
  Nanos holds = seconds{10};          ///< for so long,
  double change_mps2 = 1.5;           ///< with this standard deviation for each second,
  double most_sigma_mps = 4;          ///< up to this
  double forward_mps = 2;             ///< in reverse gear a car rolls forward more slowly,
  double reverse_most_mps = 7;        ///< and backwards
  Nanos backward_holds = seconds{1};  ///< for so long the pictures have shown the direction
  Nanos gear_s = milliseconds{200};   ///< so long the gear must contradict
};
constexpr SignalTuning kTuning{};

double in_seconds(Nanos t) noexcept { return static_cast<double>(t.count()) * 1e-9; }

}  // namespace

void SignalCheck::see(const ego::MotionReport& motion, const can::VehicleState& told) noexcept {
  const ego::EgoMotion& ego = motion.ego;
  if (ego.state != ego::EgoState::valid) return;
  if (ego.travel == ego::Travel::backward && ego.travel_from_flow) backward_at_ = motion.at;
  const can::Reading<double>& speed = told.speed_mps;
  const bool refused = speed.validity == can::Validity::implausible;  // it came too suddenly
  const bool still = refused ? std::abs(speed.number) < kTuning.stands_mps
                             : speed.value && std::abs(*speed.value) < kTuning.stands_mps;
  // While the speed counts as wrong the pictures are compared with the one that is held.
  const bool holds = speed_wrong_ || refused;
  const bool flows = ego.travel != ego::Travel::none && ego.speed_distrusted != holds;
  const double passed = std::min(in_seconds(ego.interval), kTuning.flows_s / 2);
  flows_for_s_ = still && flows ? flows_for_s_ + passed : 0;
  calm_for_s_ = speed_wrong_ && !flows ? calm_for_s_ + passed : 0;
  if (!speed_wrong_ && flows_for_s_ >= kTuning.flows_s) {
    speed_wrong_ = true;
    wrong_since_ = motion.at;
  } else if (speed_wrong_ && calm_for_s_ >= kTuning.flows_s) {
    speed_wrong_ = false;
    flows_for_s_ = 0;
  }
}

void SignalCheck::step(Nanos now, const can::VehicleState& told) noexcept {
  if (const std::optional<double>& speed = told.speed_mps.value) {
    told_mps_ = *speed;
    if (std::abs(*speed) >= kTuning.drives_mps) {
      driven_ = Driven{*speed, now};
      speed_wrong_ = false;
      flows_for_s_ = 0;
    }
  }
  const double speed = told.speed_mps.value.value_or(0);
  const bool backwards = now - kTuning.backward_holds <= backward_at_;
  const bool forward =
      speed >= kTuning.reverse_most_mps || (speed >= kTuning.forward_mps && !backwards);
  if (told.gear.value != Gear::reverse || !forward) {
    reverse_since_.reset();
  } else if (!reverse_since_) {
    reverse_since_ = now;
  }
  gear_wrong_ = reverse_since_ && now - *reverse_since_ >= kTuning.gear_s;
}

can::VehicleState SignalCheck::believed(Nanos now, can::VehicleState told) const noexcept {
  if (reverse_since_) {  // not believed at once, and told where it lasts
    told.gear.value.reset();
    told.gear.validity = can::Validity::implausible;
  }
  if (!speed_wrong_) return told;
  told.speed_mps.value.reset();
  told.speed_mps.validity = can::Validity::implausible;
  told.speed_mps.number = told_mps_;
  told.held_speed = {};
  if (!driven_ || wrong_since_ - driven_->at > kTuning.just_before) return told;
  const Nanos age = now - driven_->at;
  if (age > kTuning.holds) return told;
  told.held_speed = {driven_->mps,
                     std::min(kTuning.change_mps2 * in_seconds(age), kTuning.most_sigma_mps)};
  return told;
}

std::optional<can::HealthFault> SignalCheck::fault() const noexcept {
  if (speed_wrong_) return can::HealthFault{Cause::signals_implausible, told_mps_};
  if (gear_wrong_)
    return can::HealthFault{Cause::signals_implausible, static_cast<double>(Gear::reverse)};
  return std::nullopt;
}

}  // namespace kerb
