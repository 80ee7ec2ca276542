// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/people/gait.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kerb::sim::people {
namespace {

constexpr double kPi = std::numbers::pi;

/// Degrees over the cycle. Thigh against the vertical (forward is positive) and knee flexion, of
/// healthy adults on level ground: walking after Winter (1991) and Perry (1992), running at about
/// 3 m/s after Novacheck (1998).
const std::vector<Key> kWalkThigh{{-0.10, 25}, {0.00, 22},  {0.10, 18}, {0.30, 0},
                                  {0.50, -18}, {0.58, -14}, {0.66, 1},  {0.75, 17},
                                  {0.84, 25},  {0.90, 25},  {1.00, 22}, {1.10, 18}};
const std::vector<Key> kWalkKnee{{-0.10, 14}, {0.00, 5},  {0.14, 18}, {0.38, 5},
                                 {0.50, 12},  {0.60, 38}, {0.70, 62}, {0.80, 50},
                                 {0.90, 14},  {0.97, 4},  {1.00, 5},  {1.14, 18}};
const std::vector<Key> kRunThigh{{-0.10, 40}, {0.00, 30}, {0.18, 10}, {0.36, -22}, {0.44, -20},
                                 {0.60, 12},  {0.76, 38}, {0.86, 43}, {1.00, 30},  {1.18, 10}};
const std::vector<Key> kRunKnee{{-0.10, 30}, {0.00, 15}, {0.15, 40}, {0.36, 18}, {0.50, 68},
                                {0.62, 96},  {0.74, 84}, {0.90, 28}, {1.00, 15}, {1.15, 40}};

double wrapped(double phase) { return phase - std::floor(phase); }

}  // namespace

double stride_length(double hip_height, double mps) {
  return 2.3 * hip_height * std::pow(mps * mps / (9.81 * hip_height), 0.3);
}

Gait::Gait(const Figure& f, double mps)
    : thigh_{f.thigh},
      shank_{f.shank},
      ankle_{f.ankle_height},
      heel_{f.heel_back + 0.005 * f.height},
      ball_{f.ball_ahead},
      leg_{f.leg()} {
  const double hip = f.joint[kPelvis].z;
  mps = std::clamp(mps, 0.15, 8.0);
  const double froude = mps * mps / (9.81 * hip);
  runs_ = froude > kRunsFrom * kRunsFrom / (9.81 * 0.91);
  stride_ = stride_length(hip, mps);
  vigour_ = std::clamp(stride_ / (stride_length(0.91, 1.4) * hip / 0.91), 0.25, 1.6);
  if (runs_) {
    duty_ = std::clamp(0.36 * std::pow(froude / 0.9, -0.3), 0.22, 0.42);
    first_x_ = 0.30 * duty_ * stride_;
    strike_pitch_ = radians(8);
    off_pitch_ = -radians(62);
    bob_ = 0.034 * hip / 0.91;
  } else {
    duty_ = std::clamp(0.52 * std::pow(froude, -0.12), 0.58, 0.68);  // Alexander's, for man
    first_x_ = 0.37 * duty_ * stride_;
    strike_pitch_ = radians(22) * std::min(vigour_, 1.2);
    off_pitch_ = -radians(60) * std::clamp(vigour_, 0.4, 1.15);
    bob_ = 0.015 * vigour_ * vigour_ * hip / 0.91;
  }
  // As high as the legs reach, a little bent.
  height_ = hip - 0.004;
  const double reach = 0.992 * leg_;
  for (int i = 0; i <= 40; ++i) {
    const double phase = duty_ * i / 40;
    const Foot p = carrying(phase);
    const double room = reach * reach - p.x * p.x;
    const double most = p.z + std::sqrt(std::max(room, 0.25 * reach * reach));
    height_ = std::min(height_, most - bob(phase));
  }
}

double Gait::bob(double left_phase) const {
  // Walking: highest while one leg stands upright. Running: lowest there, highest in flight.
  const double middle = runs_ ? 0.5 * duty_ : 0.5 * duty_ - 0.03;
  const double c = std::cos(4 * kPi * (left_phase - middle));
  return runs_ ? -bob_ * c : bob_ * c;
}

double Gait::pelvis_height(double left_phase) const { return height_ + bob(left_phase); }

Gait::Foot Gait::carrying(double phase) const {
  const double u = phase / duty_;
  const double flat = runs_ ? 0.18 : 0.19, rises = runs_ ? 0.45 : 0.48;
  Foot out;
  out.down = true;
  const double x = first_x_ - stride_ * phase;  // of the ankle, were the foot flat
  double from = 0, over = 0;  // the point it rolls over, ahead of the ankle and over the ground
  if (u < flat) {
    out.pitch = strike_pitch_ * (1 - smooth_step(0, flat, u));
    from = -heel_;
    out.toes = out.pitch;
  } else if (u > rises) {
    const double k = (u - rises) / (1 - rises);
    out.pitch = off_pitch_ * k * (0.25 + 0.75 * k * k);
    from = ball_;  // the toes' joint: they stay where they are
    over = 0.2 * ankle_;
  }
  const double c = std::cos(out.pitch), s = std::sin(out.pitch);
  out.roll = from + (-from * c - (ankle_ - over) * s);
  out.x = x + out.roll;
  out.z = over + (-from * s + (ankle_ - over) * c);
  return out;
}

Vec2 Gait::swing(double phase) const {
  const double scale = runs_ ? 1 : std::min(vigour_, 1.25);
  const double bend = runs_ ? 1 : 0.55 + 0.45 * std::min(vigour_, 1.2);
  const double thigh = radians(curve(runs_ ? kRunThigh : kWalkThigh, phase)) * scale;
  const double knee = radians(curve(runs_ ? kRunKnee : kWalkKnee, phase)) * bend;
  return {thigh_ * std::sin(thigh) + shank_ * std::sin(thigh - knee),
          -thigh_ * std::cos(thigh) - shank_ * std::cos(thigh - knee)};
}

Gait::Foot Gait::foot(double phase) const {
  phase = wrapped(phase);
  if (phase <= duty_) return carrying(phase);
  // In the air: the published angles, brought to where the foot left the ground and where it will
  // touch it. The curves' own toe-off is at 0.62 (walking) and 0.36 (running) of the cycle.
  const double own_off = runs_ ? 0.36 : 0.60;
  const double u = (phase - duty_) / (1 - duty_);
  const Foot from = carrying(duty_), to = carrying(0);
  const auto hung = [this, own_off](double k) {
    const Vec2 p = swing(own_off + (1 - own_off) * k);
    return Vec2{p.x, p.y + height_};
  };
  const Vec2 at = hung(u), first = hung(0), last = hung(1);
  const double k = smooth_step(0, 1, u);
  Foot out;
  out.x = at.x + (1 - k) * (from.x - first.x) + k * (to.x - last.x);
  out.z = at.y + (1 - k) * (from.z - first.y) + k * (to.z - last.y);
  out.roll = from.roll + k * (to.roll - from.roll);
  out.pitch = from.pitch + (to.pitch - from.pitch) * smooth_step(0, runs_ ? 0.9 : 0.85, u);
  out.toes = out.pitch + (from.toes - from.pitch) * (1 - smooth_step(0, 0.25, u));
  // Neither toe nor heel through the ground.
  const double s = std::sin(out.pitch), c = std::cos(out.pitch);
  const double clear = 0.012 * std::sin(kPi * std::min(u * 1.5, 1.0));
  const double toe = 1.55 * ball_ * std::min(s, std::sin(out.toes)), heel = -heel_ * s;
  const double least = ankle_ * c - std::min(toe, heel) + clear;
  const double edge = smooth_step(0, 0.12, u) * smooth_step(0, 0.04, 1 - u);
  if (out.z < least) out.z += edge * (least - out.z);
  return out;
}

}  // namespace kerb::sim::people
