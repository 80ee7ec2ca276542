// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/people/rig.hpp"

#include <algorithm>
#include <cmath>

namespace kerb::sim::people {
namespace {

using Shares = std::array<double, kBones>;

constexpr double kHeld = 0.6;  // of a thigh's swing that a hem at the hips takes part in

/// The four largest, made to sum to one.
void keep(const Shares& shares, Bound& out) {
  std::array<std::uint8_t, kBones> order{};
  for (std::uint8_t i = 0; i < kBones; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint8_t a, std::uint8_t b) { return shares[a] > shares[b]; });
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) sum += shares[order[i]];
  for (std::size_t i = 0; i < 4; ++i) {
    out.bone[i] = order[i];
    out.weight[i] = static_cast<float>(shares[order[i]] / sum);
  }
}

}  // namespace

Rig::Rig(const Figure& f, double hem)
    : f_{f},
      hem_{hem},
      trunk_{{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, trunk_sections(f), 2.3, 0.01},
      arms_{Loft{f.joint[kUpperArm], f.arm_axis(0), {1, 0, 0}, arm_sections(f)},
            Loft{f.joint[kUpperArm + 1], f.arm_axis(1), {1, 0, 0}, arm_sections(f)}} {}

void Rig::bind(const Vec3& p, const Layer& layer, Bound& out) const {
  Shares w{};
  const double s = f_.scale;
  const auto& j = f_.joint;
  if (layer.cling == Cling::rigid) {
    w[layer.bone] = 1;
    keep(w, out);
    return;
  }
  if (layer.cling == Cling::lead) {  // its end at the hand is round the origin
    w[length(p) < 0.05 ? kThing : kGround] = 1;
    keep(w, out);
    return;
  }
  if (layer.cling == Cling::hair) {
    const double low = smooth_step(j[kHead].z - 0.02 * s, j[kNeck].z - 0.02 * s, p.z);
    w[kHead] = 1 - low;
    w[kChest] = 0.75 * low;
    w[kNeck] = 0.25 * low;
    keep(w, out);
    return;
  }
  // An arm's share, by whose surface is nearer.
  const std::size_t right = p.y < 0 ? 1 : 0;
  const Loft& arm = arms_[right];
  const double t = arm.along(p);
  const bool above = p.z > j[kPelvis].z - 0.02 || std::abs(p.y) > 0.27 * s + 0.05;
  // Softly at the shoulder, sharply below the armpit.
  const double blend = s * (0.050 - 0.038 * smooth_step(0.05 * s, 0.17 * s, t));
  double on_arm =
      above ? smooth_step(-0.9 * blend, 1.1 * blend, trunk_.distance(p) - arm.distance(p)) : 0;
  on_arm *= smooth_step(-0.06 * s, 0.03 * s, t);
  const double fore = smooth_step(f_.upper_arm - 0.05 * s, f_.upper_arm + 0.05 * s, t);
  const double wrist = f_.upper_arm + f_.forearm;
  const double hand =
      layer.part == BodyPart::skin ? smooth_step(wrist - 0.025 * s, wrist + 0.02 * s, t) : 0;
  w[kUpperArm + right] = on_arm * (1 - fore);
  w[kForearm + right] = on_arm * fore * (1 - hand);
  w[kHand + right] = on_arm * fore * hand;
  // The rest: legs below, the spine above.
  const double rest = 1 - on_arm;
  const bool skirt = layer.cling == Cling::skirt;
  const double hip = j[kPelvis].z;
  const double slanted = p.z - 0.45 * (std::abs(p.y) - 0.09 * s);
  double on_legs = smooth_step(hip + 0.055 * s, hip - 0.095 * s, slanted);
  if (layer.part == BodyPart::top || layer.part == BodyPart::trim) {
    if (p.z > 0.2 * s) on_legs *= kHeld;
  }
  // Trousers, too, where they are under a hem: else they would come through it.
  if (layer.cling == Cling::legs)
    on_legs *= 1 - (1 - kHeld) * smooth_step(hem_ - 0.09 * s, hem_ - 0.01 * s, p.z);
  if (skirt) on_legs = 0.88 * smooth_step(hip + 0.06 * s, hip - 0.20 * s, p.z);
  const double apart = (skirt ? 0.15 : 0.022) * s;
  const double left_share = smooth_step(-apart, apart, p.y);
  for (std::size_t side = 0; side < 2; ++side) {
    const double share = rest * on_legs * (side == 0 ? left_share : 1 - left_share);
    const Vec3 axis = unit(j[kFoot + side] - j[kThigh + side]);
    const double down = dot(p - j[kThigh + side], axis);
    double shank = smooth_step(f_.thigh - 0.06 * s, f_.thigh + 0.06 * s, down);
    if (skirt) shank *= 0.45;
    double foot = 0;
    if (layer.cling == Cling::body)
      foot = smooth_step(f_.leg() - 0.045 * s, f_.leg() - 0.005 * s, down);
    if (layer.part == BodyPart::shoes || (layer.part == BodyPart::trim && p.z < 0.2 * s))
      foot = smooth_step(f_.ankle_height + 0.05 * s, f_.ankle_height + 0.005 * s, p.z);
    const Vec3 ball = j[kToes + side];
    const double toes = smooth_step(ball.x - 0.025 * s, ball.x + 0.025 * s, p.x);
    w[kThigh + side] += share * (1 - shank);
    w[kShank + side] += share * shank * (1 - foot);
    w[kFoot + side] += share * shank * foot * (1 - toes);
    w[kToes + side] += share * shank * foot * toes;
  }
  const double spine = rest * (1 - on_legs);
  const double k = 0.07 * s;
  const double waist = smooth_step(j[kWaist].z - k, j[kWaist].z + k, p.z);
  const double chest = smooth_step(j[kChest].z - k, j[kChest].z + k, p.z);
  const double neck = smooth_step(j[kNeck].z - 0.035 * s, j[kNeck].z + 0.03 * s, p.z);
  const double head =
      layer.part == BodyPart::skin ? smooth_step(j[kNeck].z + 0.02 * s, j[kHead].z, p.z) : 0;
  w[kPelvis] = spine * (1 - waist);
  w[kWaist] = spine * waist * (1 - chest);
  w[kChest] = spine * chest * (1 - neck);
  w[kNeck] = spine * neck * (1 - head);
  w[kHead] = spine * neck * head;
  keep(w, out);
}

Rig::Cloth Rig::cloth(const Vec3& p, const Bound& bound) const {
  const std::size_t bone = bound.bone[0];
  Cloth c;
  if (bone >= kUpperArm && bone < kThigh) {
    const std::size_t right = (bone - kUpperArm) % 2;
    const Vec3 axis = f_.arm_axis(static_cast<int>(right));
    const Vec3 d = p - f_.joint[kUpperArm + right];
    c.piece = right != 0 ? 2 : 1;
    c.along = -dot(d, axis);
    c.angle = std::atan2(dot(d, cross(axis, {1, 0, 0})), d.x);
    c.radius = 0.05 * f_.girth;
  } else if (bone >= kThigh && bone < kThing && std::abs(p.y) > 0.01) {
    const std::size_t right = p.y < 0 ? 1 : 0;
    const Vec3 j = f_.joint[kThigh + right];
    c.piece = right != 0 ? 4 : 3;
    c.along = p.z;
    c.angle = std::atan2(p.y - j.y, p.x - j.x);
    c.radius = 0.075 * f_.girth;
  } else {
    c.along = p.z;
    c.angle = std::atan2(p.y, p.x);
    c.radius = 0.155 * f_.girth;
  }
  return c;
}

}  // namespace kerb::sim::people
