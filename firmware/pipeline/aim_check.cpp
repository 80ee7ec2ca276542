// SPDX-License-Identifier: Apache-2.0
#include "firmware/pipeline/aim_check.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kerb {
namespace {

using std::chrono::milliseconds;

constexpr double kDegree = 0.017453292519943295;

/// Fixed settings of AimCheck; tests/unit/firmware/pipeline shows what a change does. Smaller
/// angles and shorter times notice smaller knocks sooner, and take more bumps for knocks.
struct AimTuning {
  // Knocks: sudden shifts of the whole view.
  double min_knock_rad = 1.5 * kDegree;  ///< smaller shifts are not suspected
  double none_rad = 1 * kDegree;         ///< a smaller total shift counts as none
  double same_rad = 1 * kDegree;         ///< this near to where the view jumped it is still there,
  double same_share = 0.35;              ///< or within this share of the jump
  double good_misfit = 0.5;              ///< largest misfit of two consecutive pictures
  double better_share = 0.8;             ///< of the other's misfit: clearly the better of two fits
  double any_misfit = 0.75;  ///< largest misfit of two pictures a third of a second apart
  Nanos longest_gap = milliseconds{250};  ///< between pictures that are compared
  Nanos settles = milliseconds{110};      ///< duration of a knock itself
  Nanos stays = milliseconds{270};        ///< a view that returns within this time: a bump
  Nanos calm = milliseconds{60};          ///< after a decision, no new suspicion for this time
  Nanos undecided = milliseconds{1000};   ///< after this time a suspicion is dropped
  int min_pictures = 3;                   ///< that show the view where it jumped to

  // Slow loss: the focus of expansion moves away from where the mounting puts it.
  double straight_radps = 0.03;    ///< yaw rate up to which the car drives straight
  double aim_filter_s = 10;        ///< time constant of the mean
  double aim_evidence_s = 10;      ///< driving straight needed for a decision
  double lost_rad = 3 * kDegree;   ///< mean offset from which the camera is misaligned
  double right_rad = 1 * kDegree;  ///< mean offset below which it is aligned again
};
constexpr AimTuning kAimTuning{};

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

void AimCheck::update(const ImageView<Space::host, const std::uint8_t>& grey, Nanos captured,
                      const ego::VehicleMotion& vehicle) noexcept {
  if (grey.width != width_ || grey.height != height_ || window_.cell < 1) return;
  const double dt = seconds(captured - updated_);
  updated_ = captured;
  shrink(grey, window_, now_);
  // Turning left moves the view to the right.
  const double turned = vehicle.yaw_rate_radps.value_or(yaw_rate_) * dt;
  if (anchored_ == Nanos::zero() || captured - anchored_ > kAimTuning.longest_gap ||
      captured <= anchored_) {
    anchor_ = now_;
    anchored_ = captured;
    yaw_rate_ = turned_ = 0;
    suspected_ = suspected_ && captured - suspected_at_ <= kAimTuning.longest_gap;
    return;
  }
  turned_ += turned;
  turned_since_ += turned;
  const Turn expected{turned_, 0};
  ViewShift shift = near(anchor_, expected);
  if (shift.misfit > kAimTuning.good_misfit) {
    const ViewShift far = shift_anywhere(anchor_, now_, expected.yaw / window_.rad_a_cell, 0);
    if (far.misfit < kAimTuning.better_share * shift.misfit) shift = far;
  }
  const bool has_yaw_rate = vehicle.yaw_rate_radps.has_value();
  // A reported yaw rate that appears or vanishes changes the expected turn: no basis for a
  // decision.
  if (std::exchange(had_yaw_rate_, has_yaw_rate) != has_yaw_rate) suspected_ = false;
  bool goes_on = false;
  if (suspected_ && decide(captured, goes_on)) {
    suspected_ = false;
    calm_from_ = captured + kAimTuning.calm;  // the return of a bump is no knock
  }
  if (shift.misfit > kAimTuning.good_misfit) return;  // blurred or without detail: keep the anchor
  const Turn seen = turn_of(shift);
  const double since = std::max(seconds(captured - anchored_), 1e-3);
  // A knock is explained neither by the reported yaw rate nor by the turn a moment ago.
  const Turn jump{seen.yaw - expected.yaw, seen.pitch};
  const Turn change{seen.yaw - yaw_rate_ * since, seen.pitch};
  const bool sudden = std::min(jump.size(), change.size()) >= kAimTuning.min_knock_rad;
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

/// Decides whether the view stays where it jumped to, or is back. False: not decided yet.
bool AimCheck::decide(Nanos captured, bool& goes_on) noexcept {
  const Nanos since = captured - suspected_at_;
  const bool too_long = since > kAimTuning.undecided;
  const Turn guess{turned_since_ + jump_.yaw, jump_.pitch};
  const ViewShift there = near(before_, guess), back = near(before_, {turned_since_, 0});
  ViewShift best = there.misfit <= back.misfit ? there : back;
  if (best.misfit > kAimTuning.good_misfit) {
    const ViewShift far = shift_anywhere(before_, now_, guess.yaw / window_.rad_a_cell,
                                         guess.pitch / window_.rad_a_cell);
    if (far.misfit < best.misfit) best = far;
  }
  if (best.misfit > kAimTuning.any_misfit) return too_long;
  const Turn turn = turn_of(best);
  const Turn at{turn.yaw - turned_since_, turn.pitch};
  if (at.size() < std::max(kAimTuning.none_rad, kAimTuning.same_share * jump_.size()))
    return true;  // a bump
  const Turn moved{at.yaw - jump_.yaw, at.pitch - jump_.pitch};
  if (since <= kAimTuning.settles) {
    jump_ = at;
  } else if (moved.size() > std::max(kAimTuning.same_rad, kAimTuning.same_share * jump_.size())) {
    goes_on = true;  // the car turns, or something passes that fills the view
    return true;
  }
  ++stayed_;
  if (since < kAimTuning.stays || stayed_ < kAimTuning.min_pictures) return too_long;
  knocked_ = {knocked_.yaw + at.yaw, knocked_.pitch + at.pitch};
  if (knocked_.size() < kAimTuning.none_rad) knocked_ = {};
  aim_ = {};
  aimed_for_ = 0;  // earlier evidence is void
  lost_slowly_ = false;
  return true;
}

void AimCheck::travelled(const ego::EgoMotion& motion) noexcept {
  if (motion.state != ego::EgoState::valid || motion.travel != ego::Travel::forward ||
      !motion.foe_measured || std::abs(motion.yaw_rate_radps) > kAimTuning.straight_radps ||
      suspected_)
    return;
  const ego::Vec2 aim = ego::aim(camera_);
  const Turn seen{std::atan((motion.foe_x - aim.x) / camera_.focal_px),
                  std::atan((motion.foe_y - aim.y) / camera_.focal_px)};
  const double dt = std::min(seconds(motion.interval), 0.2);
  aimed_for_ = std::min(aimed_for_ + dt, kAimTuning.aim_evidence_s);
  const double gain = dt / std::min(aimed_for_, kAimTuning.aim_filter_s);  // first a plain mean
  aim_.yaw += gain * (seen.yaw - aim_.yaw);
  aim_.pitch += gain * (seen.pitch - aim_.pitch);
  if (aimed_for_ < kAimTuning.aim_evidence_s) return;
  lost_slowly_ = aim_.size() >=
                 (lost_slowly_ ? kAimTuning.lost_rad - kAimTuning.none_rad : kAimTuning.lost_rad);
  if (aim_.size() < kAimTuning.right_rad) knocked_ = {};
}

double AimCheck::off() const noexcept {
  return std::max(knocked_.size(), lost_slowly_ ? aim_.size() : 0);
}

}  // namespace kerb
