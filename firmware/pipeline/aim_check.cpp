// SPDX-License-Identifier: Apache-2.0
#include "firmware/pipeline/aim_check.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kerb {
namespace {

using std::chrono::milliseconds;

constexpr double kDegree = 0.017453292519943295;
constexpr double kLeastKnock = 1.5 * kDegree;
constexpr double kBack = 1 * kDegree;  // less than this is none
constexpr double kSame = 1 * kDegree;  // so far from where it jumped to it is still there,
constexpr double kSameShare = 0.35;    // or so much of the jump
constexpr double kGoodFit = 0.5;       // of two pictures one after the other
constexpr double kClearly = 0.8;       // of the other's misfit: the better of two
constexpr double kAnyFit = 0.75;       // of two pictures a third of a second apart
constexpr Nanos kLongestGap = milliseconds{250};  // between pictures that are compared
constexpr Nanos kSettles = milliseconds{110};     // a knock takes so long
constexpr Nanos kStays = milliseconds{270};       // what comes back within it is a bump
constexpr Nanos kCalm = milliseconds{60};         // after it was decided
constexpr Nanos kUndecided = milliseconds{1000};  // after it, it is not known what it was
constexpr int kLeastLooks = 3;                    // that show it where it jumped to

constexpr double kStraight = 0.03;               // rad/s of yaw, and below
constexpr double kAimMemory = 10, kAimFor = 10;  // seconds
constexpr double kLostSlowly = 3 * kDegree, kAimsRight = 1 * kDegree;

double seconds(Nanos time) { return std::chrono::duration<double>{time}.count(); }

}  // namespace

double AimCheck::Turn::size() const noexcept { return std::sqrt(yaw * yaw + pitch * pitch); }

AimCheck::AimCheck(const Camera& camera, int width, int height) noexcept
    : camera_{camera},
      width_{width},
      height_{height},
      window_{view_window(camera.focal_px, camera.center_x, camera.center_y, width, height)} {}

ViewShift AimCheck::near(const SmallView& before, const Turn& guess) const noexcept {
  return shift_near(before, now_, guess.yaw / window_.rad_a_cell, guess.pitch / window_.rad_a_cell,
                    3);
}

AimCheck::Turn AimCheck::turn_of(const ViewShift& shift) const noexcept {
  return {shift.x * window_.rad_a_cell, shift.y * window_.rad_a_cell};
}

void AimCheck::look(const ImageView<Space::host, const std::uint8_t>& grey, Nanos captured,
                    const ego::VehicleMotion& vehicle) noexcept {
  if (grey.width != width_ || grey.height != height_ || window_.cell < 1) return;
  const double dt = seconds(captured - looked_);
  looked_ = captured;
  shrink(grey, window_, now_);
  // Turning left moves the view to the right.
  const double turned = vehicle.yaw_rate_radps.value_or(yaw_rate_) * dt;
  if (anchored_ == Nanos::zero() || captured - anchored_ > kLongestGap || captured <= anchored_) {
    anchor_ = now_;
    anchored_ = captured;
    yaw_rate_ = turned_ = 0;
    suspected_ = suspected_ && captured - suspected_at_ <= kLongestGap;
    return;
  }
  turned_ += turned;
  turned_since_ += turned;
  const Turn expected{turned_, 0};
  ViewShift shift = near(anchor_, expected);
  if (shift.misfit > kGoodFit) {
    const ViewShift far = shift_anywhere(anchor_, now_, expected.yaw / window_.rad_a_cell, 0);
    if (far.misfit < kClearly * shift.misfit) shift = far;
  }
  const bool tells = vehicle.yaw_rate_radps.has_value();
  if (std::exchange(told_yaw_, tells) != tells) suspected_ = false;  // another idea of the turn
  bool goes_on = false;
  if (suspected_ && decide(captured, goes_on)) {
    suspected_ = false;
    calm_from_ = captured + kCalm;  // the way back of a bump is no knock
  }
  if (shift.misfit > kGoodFit) return;  // blurred, or nothing to see: the anchor waits for the next
  const Turn seen = turn_of(shift);
  const double since = std::max(seconds(captured - anchored_), 1e-3);
  // Neither what the car tells nor how it turned a moment ago explains a knock.
  const Turn jump{seen.yaw - expected.yaw, seen.pitch};
  const Turn change{seen.yaw - yaw_rate_ * since, seen.pitch};
  const bool sudden = std::min(jump.size(), change.size()) >= kLeastKnock;
  if (!suspected_ && captured >= calm_from_ && sudden) {
    suspected_at_ = captured;
    suspect(jump, turned_);
  }
  if (goes_on || !sudden) yaw_rate_ = seen.yaw / since;
  anchor_ = now_;
  anchored_ = captured;
  turned_ = 0;
}

void AimCheck::suspect(const Turn& jump, double turned) noexcept {
  suspected_ = true;
  before_ = anchor_;
  jump_ = jump;
  turned_since_ = turned;
  stayed_ = 0;
}

/// Is the view still where it jumped to, or back where it was? False: it is not known yet.
bool AimCheck::decide(Nanos captured, bool& goes_on) noexcept {
  const Nanos since = captured - suspected_at_;
  const bool too_long = since > kUndecided;
  const Turn guess{turned_since_ + jump_.yaw, jump_.pitch};
  const ViewShift there = near(before_, guess), back = near(before_, {turned_since_, 0});
  ViewShift best = there.misfit <= back.misfit ? there : back;
  if (best.misfit > kGoodFit) {
    const ViewShift far = shift_anywhere(before_, now_, guess.yaw / window_.rad_a_cell,
                                         guess.pitch / window_.rad_a_cell);
    if (far.misfit < best.misfit) best = far;
  }
  if (best.misfit > kAnyFit) return too_long;
  const Turn turn = turn_of(best);
  const Turn at{turn.yaw - turned_since_, turn.pitch};
  if (at.size() < std::max(kBack, kSameShare * jump_.size())) return true;  // a bump
  const Turn moved{at.yaw - jump_.yaw, at.pitch - jump_.pitch};
  if (since <= kSettles) {
    jump_ = at;
  } else if (moved.size() > std::max(kSame, kSameShare * jump_.size())) {
    goes_on = true;  // the car turns, or something passes that fills the view
    return true;
  }
  ++stayed_;
  if (since < kStays || stayed_ < kLeastLooks) return too_long;
  knocked_ = {knocked_.yaw + at.yaw, knocked_.pitch + at.pitch};
  if (knocked_.size() < kBack) knocked_ = {};
  aim_ = {};
  aimed_for_ = 0;  // what was seen before counts no more
  lost_slowly_ = false;
  return true;
}

void AimCheck::travelled(const ego::EgoMotion& motion) noexcept {
  if (motion.state != ego::EgoState::valid || motion.travel != ego::Travel::forward ||
      !motion.foe_measured || std::abs(motion.yaw_rate_radps) > kStraight || suspected_)
    return;
  const ego::Vec2 aim = ego::aim(camera_);
  const Turn seen{std::atan((motion.foe_x - aim.x) / camera_.focal_px),
                  std::atan((motion.foe_y - aim.y) / camera_.focal_px)};
  const double dt = std::min(seconds(motion.interval), 0.2);
  aimed_for_ = std::min(aimed_for_ + dt, kAimFor);
  const double gain = dt / std::min(aimed_for_, kAimMemory);  // a mean, until there is enough
  aim_.yaw += gain * (seen.yaw - aim_.yaw);
  aim_.pitch += gain * (seen.pitch - aim_.pitch);
  if (aimed_for_ < kAimFor) return;
  lost_slowly_ = aim_.size() >= (lost_slowly_ ? kLostSlowly - kBack : kLostSlowly);
  if (aim_.size() < kAimsRight) knocked_ = {};
}

double AimCheck::off() const noexcept {
  return std::max(knocked_.size(), lost_slowly_ ? aim_.size() : 0);
}

}  // namespace kerb
