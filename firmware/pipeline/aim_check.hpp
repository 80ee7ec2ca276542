// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/ego/geometry.hpp"
#include "firmware/pipeline/small_view.hpp"
#include "firmware/types/ego_motion.hpp"
#include "hal/base/clock.hpp"
#include "hal/base/view.hpp"

namespace kerb {

/// Whether a camera still looks where its calibration says. Two things tell that it does not:
///
/// - A knock: from one picture to the next the whole view shifts by more than the car can have
///   turned, and stays so for 0.27 s. A pothole or a bump lets it come back before; a turn goes on;
///   the yaw rate, where the car tells it, says how much of a shift is the car's own. The way back
///   is another knock. Shifts add up, and less than a degree of them is none.
/// - A slow loss: where the car drives to, as the motion in the pictures shows it (the focus of
///   expansion), has been 3 degrees or more from where the mounting puts it, over 10 s of driving
///   straight. The same says that a camera is right again whose way back was not seen.
///
/// What it does not see: a knock while no pictures come or there is nothing in them to hold on to
/// (the second tells it later, unless the car stands), one of less than 1.5 degrees, and roll.
/// One thread; allocates nothing; the time it takes: docs/health.md.
class AimCheck {
 public:
  AimCheck(const Camera& camera, int width, int height) noexcept;

  /// A picture that is not the same as the last, and what the car told since it.
  void look(const ImageView<Space::host, const std::uint8_t>& grey, Nanos captured,
            const ego::VehicleMotion& vehicle) noexcept;
  /// What the motion in the last pictures says.
  void travelled(const ego::EgoMotion& motion) noexcept;

  /// How far it looks past where it should, radians; 0: as calibrated, for all that is known.
  [[nodiscard]] double off() const noexcept;
  /// The view has jumped, and it is not known yet why: for the moment nobody is where it shows
  /// them.
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
  Nanos looked_{}, anchored_{};      // zero: never
  double yaw_rate_ = 0;              // as the pictures showed it last
  double turned_ = 0;                // by the car, since the anchor
  bool told_yaw_ = false;

  bool suspected_ = false;
  Nanos suspected_at_{}, calm_from_{};
  Turn jump_;
  double turned_since_ = 0;  // by the car, since before_
  int stayed_ = 0;

  Turn knocked_;  // by knocks, in all

  Turn aim_;              // of the focus of expansion, over the last seconds
  double aimed_for_ = 0;  // seconds of evidence
  bool lost_slowly_ = false;
};

}  // namespace kerb
