// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/ego/geometry.hpp"
#include "firmware/pipeline/small_view.hpp"
#include "firmware/types/ego_motion.hpp"
#include "hal/base/clock.hpp"
#include "hal/base/view.hpp"

namespace kerb {

/// Checks whether a camera still points where its calibration says. It detects:
///
/// - A knock: from one picture to the next the whole view shifts by more than the car can have
///   turned, and stays so for 0.27 s. After a pothole or a bump the view returns sooner; a turn
///   continues. A reported yaw rate tells how much of a shift is the car's own. A knock back is
///   another knock: shifts add up, and a sum below one degree counts as none.
/// - A slow loss: the focus of expansion (where the car drives to, from the motion in the pictures)
///   is 3 degrees or more from where the mounting puts it, over 10 s of driving straight. This
///   check also finds that a camera is aligned again when the knock back was missed.
///
/// Limits: it does not see a knock while there are no pictures or no detail in them (the second
/// check finds it later, once the car drives), a knock below 1.5 degrees, or roll.
/// One thread; allocates nothing; for the time it takes see docs/health.md.
class AimCheck {
 public:
  AimCheck(const Camera& camera, int width, int height) noexcept;

  /// A picture that differs from the last one, and the car's motion since that.
  void update(const ImageView<Space::host, const std::uint8_t>& grey, Nanos captured,
              const ego::VehicleMotion& vehicle) noexcept;
  /// The ego-motion of the last pictures.
  void travelled(const ego::EgoMotion& motion) noexcept;

  /// Misalignment in radians; 0: as calibrated, as far as is known.
  [[nodiscard]] double off() const noexcept;
  /// The view has jumped, and the reason is not known yet: people's positions are wrong meanwhile.
  [[nodiscard]] bool suspects() const noexcept { return suspected_; }

 private:
  struct Turn {
    double yaw = 0, pitch = 0;  // radians of shift in the picture: to the right, down
    [[nodiscard]] double size() const noexcept;
  };
  [[nodiscard]] ViewShift near(const SmallView& before, const Turn& guess) const noexcept;
  [[nodiscard]] Turn turn_of(const ViewShift& shift) const noexcept;
  void suspect(const Turn& jump, double turned) noexcept;
  bool decide(Nanos captured, bool& goes_on) noexcept;

  Camera camera_;
  int width_, height_;  // of the pictures the window is for
  ViewWindow window_;
  SmallView now_, anchor_, before_;  // before_: the last view before a suspected knock
  Nanos updated_{}, anchored_{};     // zero: never
  double yaw_rate_ = 0;              // from the last pictures
  double turned_ = 0;                // by the car, since the anchor
  bool had_yaw_rate_ = false;        // the car reported one

  bool suspected_ = false;
  Nanos suspected_at_{}, calm_from_{};
  Turn jump_;
  double turned_since_ = 0;  // by the car, since before_
  int stayed_ = 0;

  Turn knocked_;  // sum of all knocks

  Turn aim_;              // of the focus of expansion, over the last seconds
  double aimed_for_ = 0;  // seconds of evidence
  bool lost_slowly_ = false;
};

}  // namespace kerb
