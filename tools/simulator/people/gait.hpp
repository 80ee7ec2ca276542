// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tools/simulator/people/figure.hpp"

namespace kerb::sim::people {

/// How somebody of these measures walks or runs at a speed. The cycle begins where the heel touches
/// the ground and lasts a stride (two steps); phases are 0..1 of it.
class Gait {
 public:
  Gait(const Figure& figure, double mps);

  /// A foot relative to the pelvis's place on the ground.
  struct Foot {
    double x = 0, z = 0;  ///< of the ankle: ahead, over the ground
    double pitch = 0;     ///< toes up is positive
    double toes = 0;      ///< of the toes themselves, likewise
    double roll = 0;      ///< part of x that comes from rolling over heel or ball
    bool down = false;    ///< carries
  };
  /// Where it carries, it does not slide: x falls by the stride times the phase, but for the roll
  /// over heel and ball.
  [[nodiscard]] Foot foot(double phase) const;
  /// Of the hip joints' middle over the ground.
  [[nodiscard]] double pelvis_height(double left_phase) const;
  [[nodiscard]] bool runs() const noexcept { return runs_; }
  [[nodiscard]] double stride() const noexcept { return stride_; }  ///< m
  /// Share of the cycle a foot carries.
  [[nodiscard]] double duty() const noexcept { return duty_; }
  /// How far it strides, of what is usual at 1.4 m/s: scales the swing of everything else.
  [[nodiscard]] double vigour() const noexcept { return vigour_; }
  static constexpr double kRunsFrom = 2.2;  ///< m/s of a grown-up; by leg length for children

 private:
  [[nodiscard]] Foot carrying(double phase) const;
  /// The ankle from the published angles of thigh and knee, relative to the hip.
  [[nodiscard]] Vec2 swing(double phase) const;
  [[nodiscard]] double bob(double left_phase) const;
  double thigh_, shank_, ankle_, heel_, ball_, leg_;
  double stride_ = 0, duty_ = 0.62, vigour_ = 1, first_x_ = 0, height_ = 0, bob_ = 0;
  double strike_pitch_ = 0, off_pitch_ = 0;
  bool runs_ = false;
};

/// Alexander's relation of stride length to speed and hip height, for walking and running:
/// stride / hip = 2.3 * (v * v / (g * hip)) ^ 0.3.
double stride_length(double hip_height, double mps);

}  // namespace kerb::sim::people
