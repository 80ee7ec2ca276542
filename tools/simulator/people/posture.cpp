// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/people/posture.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tools/simulator/people/dog.hpp"
#include "tools/simulator/people/limbs.hpp"

namespace kerb::sim::people {
namespace {

constexpr double kPi = std::numbers::pi;

struct Mover {
  const Figure& f;
  const Manner& manner;
  const Gait& gait;
  const Step& step;
  double turned, t;
  Posture& out;

  void place(Bone bone, Bone parent, const Turn3& turn) {
    out[bone] = {turn, out[parent].at + out[parent].turn * (f.joint[bone] - f.joint[parent])};
  }
  void trunk();
  void leg(std::size_t right);
  void arm(std::size_t right);
  /// Where a wrist goes, and which way the elbow points.
  struct Reach {
    Vec3 wrist, pole;
  };
  [[nodiscard]] Reach free_arm(std::size_t right, bool loaded_arm) const;
  [[nodiscard]] Reach goal(std::size_t right, Hands doing) const;
  void things();
  [[nodiscard]] Hands hands() const {
    return step.walking > 0.5 ? manner.walking : manner.standing;
  }
};

void Mover::trunk() {
  const double w = step.walking, v = gait.vigour() * w, h = f.height / 1.75;
  const double a = 2 * kPi * step.phase;
  const bool runs = gait.runs();
  const double sway = std::sin(0.9 * t + manner.rhythm), slow = std::sin(0.37 * t + manner.rhythm);
  const double rest = 1 - w;
  // Standing, the weight is on one leg and wanders a little.
  const double on = manner.side * (0.75 + 0.25 * slow);
  const double yaw = -0.085 * v * std::cos(a - 0.1) + 0.04 * rest * slow;
  const double list = (runs ? 0.05 : 0.060) * v * std::sin(a - 0.1) + 0.045 * on * rest;
  const double y =
      (0.020 * std::min(v, 1.0) * std::sin(a - 0.15) + 0.026 * on * rest + 0.004 * sway * rest) * h;
  const double tall = f.joint[kPelvis].z - 0.006 * h;
  const double tilt = (runs ? 0.10 : 0.03) * w + manner.lean * 0.4;
  out[kPelvis] = {about_z(yaw) * (about_x(list) * about_y(tilt)),
                  {0.003 * sway * rest, y, mix(tall, gait.pelvis_height(step.phase), w)}};
  const double lean = (runs ? 0.17 : 0.045) * w + manner.lean +
                      0.010 * rest * std::sin(1.7 * t + manner.rhythm);  // breathing
  const double chest_yaw = 0.085 * v * std::cos(a - 0.1) - 0.03 * rest * slow;
  const double chest_list = -0.025 * v * std::sin(a) - 0.03 * on * rest;
  place(kWaist, kPelvis,
        about_z(0.4 * (yaw + chest_yaw)) *
            (about_x(0.3 * list + 0.5 * chest_list) * about_y(mix(tilt, lean, 0.6))));
  place(kChest, kWaist, about_z(chest_yaw) * (about_x(chest_list) * about_y(lean)));
  const double look =
      std::clamp(0.25 * turned, -0.5, 0.5) + 0.15 * rest * std::sin(0.23 * t + manner.rhythm);
  const double nod = manner.look_down + 0.03 * v * std::cos(2 * a) + 0.02;
  place(kNeck, kChest, about_z(0.5 * look + 0.3 * chest_yaw) * about_y(0.5 * (nod + lean)));
  place(kHead, kNeck, about_z(look) * about_y(nod));
}

void Mover::leg(std::size_t right) {
  const double side = right != 0 ? -1 : 1, w = step.walking, h = f.height;
  const Gait::Foot g = gait.foot(step.phase + (right != 0 ? 0.5 : 0.0));
  const bool free_leg = side * manner.side < 0;
  double lift = 0;
  if (w < 0.5 && std::abs(turned) > 0.2)  // small steps on the spot
    lift = 0.03 * std::max(0.0, std::sin(2 * kPi * 1.7 * t + (right != 0 ? kPi : 0.0)));
  const double x = mix((free_leg ? 0.016 : -0.010) * h, g.x, w);
  const double y = side * mix(0.056, gait.runs() ? 0.022 : 0.030, w) * h;
  const double pitch = g.pitch * w, z = mix(f.ankle_height, g.z, w) + lift;
  const double yaw = side * (manner.toe_out * mix(1.4, gait.runs() ? 0.5 : 1.0, w) +
                             (free_leg ? 0.12 * (1 - w) : 0));
  const Vec3 hip =
      out[kPelvis].at + out[kPelvis].turn * (f.joint[kThigh + right] - f.joint[kPelvis]);
  // The roll over heel and ball goes where the foot points.
  const double roll = w * g.roll;
  const Vec3 ankle{x - roll * (1 - std::cos(yaw)), y + roll * std::sin(yaw), z};
  const Vec3 front = about_z(0.6 * yaw) * Vec3{1, 0, 0};
  const Limb limb = reach(hip, ankle, f.thigh, f.shank, front);
  const Vec3 rest = unit(f.joint[kFoot + right] - f.joint[kThigh + right]);
  out[kThigh + right] = {between(rest, {1, 0, 0}, limb.upper, limb.front), hip};
  out[kShank + right] = {between(rest, {1, 0, 0}, limb.lower, limb.front),
                         hip + f.thigh * limb.upper};
  out[kFoot + right] = {about_z(yaw) * about_y(-pitch), ankle};
  place(kToes + right, kFoot + right, about_z(yaw) * about_y(-g.toes * w));
}

Mover::Reach Mover::free_arm(std::size_t right, bool loaded_arm) const {
  const double side = right != 0 ? -1 : 1, w = step.walking;
  const double phase = step.phase + (right != 0 ? 0.5 : 0.0);
  const double back = std::cos(2 * kPi * phase - 0.15);  // 1: furthest behind
  const bool runs = gait.runs();
  const double loaded = loaded_arm ? 0.35 : 1;
  const double amount = (runs ? 0.60 : 0.36 * gait.vigour()) * manner.swing * w * loaded;
  const double flex = -amount * back + mix(0.03, runs ? -0.20 : -0.03, w) +
                      0.015 * (1 - w) * std::sin(0.8 * t + manner.rhythm + side);
  const double forward = 0.5 * (1 - back);
  const double bend =
      mix(0.22, runs ? 1.55 + 0.30 * forward : 0.17 + 0.24 * gait.vigour() * forward * loaded, w);
  const double out_by = 0.115 + 0.05 * std::max(f.build, 0.0) + (runs ? 0.10 * w : 0);
  const Vec3 hang{std::sin(flex) * std::cos(out_by), side * std::sin(out_by),
                  -std::cos(flex) * std::cos(out_by)};
  const Turn3& chest = out[kChest].turn;
  const Vec3 d = chest * hang;
  const Vec3 front = across(chest * Vec3{1, -side * mix(0.25, runs ? 0.45 : 0.18, w), 0}, d);
  const Vec3 lower = std::cos(bend) * d + std::sin(bend) * front;
  return {out[kUpperArm + right].at + f.upper_arm * d + f.forearm * lower, -1.0 * front};
}

Mover::Reach Mover::goal(std::size_t right, Hands doing) const {
  const double side = right != 0 ? -1 : 1, h = f.height;
  const Vec3 shoulder = out[kUpperArm + right].at;
  const bool holds = side * manner.side > 0;
  switch (doing) {
    case Hands::push:
      return {{0.275 * h, side * 0.10 * h, 0.585 * h}, {-0.3, side * 0.6, -1}};
    case Hands::pockets:
    case Hands::one_pocket:
      if (doing == Hands::one_pocket && !holds) break;
      return {out[kPelvis].at +
                  out[kPelvis].turn *
                      Vec3{0.035 * h, side * 0.189 * f.girth * (1 + 0.12 * f.build), 0.040 * h},
              {-0.8, 0.5 * side, -0.5}};
    case Hands::phone:
      if (!holds) break;
      return {{shoulder.x + 0.155 * h, side * 0.035 * h, shoulder.z - 0.085 * h},
              {-0.5, 0.5 * side, -1}};
    case Hands::hold_up:
      if (!holds) break;
      return {{shoulder.x + 0.12 * h, side * 0.075 * h, shoulder.z - 0.075 * h},
              {-0.4, 0.5 * side, -1}};
    case Hands::lead:
      if (!holds) break;
      return {{shoulder.x + 0.13 * h, side * 0.14 * h, shoulder.z - 0.24 * h},
              {-0.6, 0.4 * side, -1}};
    case Hands::clasped:
      return {{0.095 * h + 0.05 * f.girth, side * 0.022 * h, f.joint[kPelvis].z + 0.015 * h},
              {-0.7, 0.8 * side, 0}};
    default:
      break;
  }
  return free_arm(right, doing == Hands::bag && holds);
}

void Mover::arm(std::size_t right) {
  place(kUpperArm + right, kChest, {});
  Reach to = goal(right, manner.standing);
  if (manner.walking != manner.standing) {
    const Reach other = goal(right, manner.walking);
    to.wrist = to.wrist + step.walking * (other.wrist - to.wrist);
    to.pole = to.pole + step.walking * (other.pole - to.pole);
  }
  const Vec3 shoulder = out[kUpperArm + right].at;
  const Limb limb = reach(shoulder, to.wrist, f.upper_arm, f.forearm, to.pole);
  const Vec3 rest = f.arm_axis(static_cast<int>(right)), ahead{1, 0, 0};
  const Vec3 front = -1.0 * limb.front;  // the elbow bends away from its pole
  out[kUpperArm + right].turn = between(rest, ahead, limb.upper, front);
  out[kForearm + right] = {between(rest, ahead, limb.lower, front),
                           shoulder + f.upper_arm * limb.upper};
  const double side = right != 0 ? -1 : 1, curl = 0.15;
  const Vec3 lower_front = across(front, limb.lower);
  const Vec3 fingers =
      unit(std::cos(curl) * limb.lower - std::sin(curl) * side * cross(limb.lower, lower_front));
  out[kHand + right] = {between(rest, ahead, fingers, lower_front),
                        out[kForearm + right].at + f.forearm * limb.lower};
}

void Mover::things() {
  const std::size_t holding = manner.side > 0 ? 0 : 1;
  const BonePose& hand = out[kHand + holding];
  const Vec3 grip = hand.at + hand.turn * (0.45 * f.hand * f.arm_axis(static_cast<int>(holding)));
  const double swing = 0.10 * step.walking * std::sin(2 * kPi * step.phase);
  out[kThing] = {hands() == Hands::hold_up ? about_y(0.06) : about_y(swing), grip};
  out[kGround] = {{}, {0, 0, 0}};
  for (std::size_t i = 0; i < 4; ++i) {
    out[kTurning + i] = {{}, {0, 0, 0}};
    if (!manner.dog) continue;
    const DogLeg leg = dog_leg(*manner.dog, static_cast<int>(i), manner.dog_stride, step.rolled);
    out[kTurning + i] = {about_y(-leg.swing * step.walking), dog_beside(f, manner) + leg.pivot};
  }
}

}  // namespace

void take_posture(const Figure& f, const Manner& manner, const Gait& gait, const Step& step,
                  double turned, double t, Posture& out) {
  Mover mover{f, manner, gait, step, turned, t, out};
  mover.trunk();
  for (std::size_t right = 0; right < 2; ++right) {
    mover.leg(right);
    mover.arm(right);
  }
  mover.things();
}

}  // namespace kerb::sim::people
