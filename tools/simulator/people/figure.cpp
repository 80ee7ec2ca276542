// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/people/figure.hpp"

#include <algorithm>
#include <cmath>

namespace kerb::sim::people {

double child_head_share(double height) {
  return curve(
      {{0.75, 0.222}, {0.87, 0.200}, {1.16, 0.167}, {1.40, 0.149}, {1.52, 0.141}, {1.75, 0.131}},
      height);
}

Vec3 Figure::arm_axis(int right) const {
  const double side = right != 0 ? -1 : 1;
  return {0, side * std::sin(arm_out), -std::cos(arm_out)};
}

Figure figure_of(const PersonSpec& person) {
  Figure f;
  f.height = person.height_m;
  f.build = std::clamp(person.build, -1.0, 1.0);
  f.arm_out = 0.42 + 0.16 * std::max(f.build, 0.0);
  f.female = person.female;
  f.child = person.child;
  const double h = f.height;
  f.scale = h / 1.75;
  f.child_part = f.child ? std::clamp((1.62 - h) / 0.85, 0.0, 1.0) : 0;
  const double c = f.child_part;
  // Small people are not as narrow as they are small.
  f.girth = std::pow(f.scale, f.child ? 0.82 : 0.75) * (1 + 0.05 * f.build);
  f.head_height =
      f.child ? child_head_share(h) * h : (f.female ? 0.218 : 0.230) * std::pow(f.scale, 0.4);
  f.chin = h - f.head_height;
  // Children: shorter legs, a longer trunk under a larger head.
  const double hip = (0.520 - 0.055 * c) * h, knee = (0.283 - 0.030 * c) * h;
  const double shoulder = f.chin - (0.079 - 0.020 * c) * h;
  f.ankle_height = 0.048 * h;
  f.upper_arm = (0.176 - 0.012 * c) * h;
  f.forearm = (0.147 - 0.010 * c) * h;
  f.hand = (0.106 + 0.004 * c) * h;
  f.heel_back = 0.033 * h;
  f.ball_ahead = 0.074 * h;
  f.toe_ahead = 0.118 * h;
  const double wide = f.female ? 0.0975 : 0.104;
  auto& j = f.joint;
  const double neck = f.chin - 0.026 * h;
  j[kPelvis] = {0, 0, hip};
  j[kWaist] = {-0.005 * h, 0, hip + 0.30 * (neck - hip) * 0.8};
  j[kChest] = {-0.012 * h, 0, hip + 0.50 * (neck - hip)};
  j[kNeck] = {-0.016 * h, 0, neck - 0.010 * h};
  j[kHead] = {0.000, 0, f.chin + 0.30 * f.head_height};
  const double knee_share = (hip - knee) / (hip - f.ankle_height);
  for (std::size_t right = 0; right < 2; ++right) {
    const double side = right != 0 ? -1 : 1;
    const Vec3 axis = f.arm_axis(static_cast<int>(right));
    j[kUpperArm + right] = {-0.006 * h, side * wide * h * (1 + 0.03 * f.build), shoulder};
    j[kForearm + right] = j[kUpperArm + right] + f.upper_arm * axis;
    j[kHand + right] = j[kForearm + right] + f.forearm * axis;
    const Vec3 hip_joint{0, side * (f.female ? 0.052 : 0.049) * h, hip};
    const Vec3 ankle{-0.010 * h, side * 0.085 * h, f.ankle_height};
    j[kThigh + right] = hip_joint;
    j[kShank + right] = hip_joint + knee_share * (ankle - hip_joint);
    j[kFoot + right] = ankle;
    j[kToes + right] = ankle + Vec3{f.ball_ahead, 0, -0.8 * f.ankle_height};
  }
  f.thigh = length(j[kShank] - j[kThigh]);
  f.shank = length(j[kFoot] - j[kShank]);
  for (std::size_t bone = kThing; bone < kBones; ++bone) j[bone] = {0, 0, 0};
  return f;
}

std::vector<Section> trunk_sections(const Figure& f) {
  // Of a man of 1.75 m: share of the way from the hip joints to the neck's root, half width,
  // front, back; and how a woman's and a heavy person's differ.
  struct Row {
    double share, side, front, back, woman_side, heavy;
  };
  static constexpr Row kRows[] = {
      {-0.10, 0.150, 0.080, 0.095, 1.08, 0.14}, {0.00, 0.170, 0.092, 0.118, 1.09, 0.18},
      {0.10, 0.170, 0.098, 0.118, 1.07, 0.24},  {0.20, 0.160, 0.104, 0.098, 0.98, 0.32},
      {0.31, 0.149, 0.106, 0.082, 0.89, 0.36},  {0.43, 0.151, 0.108, 0.086, 0.87, 0.32},
      {0.56, 0.161, 0.114, 0.100, 0.89, 0.24},  {0.68, 0.170, 0.118, 0.112, 0.90, 0.18},
      {0.79, 0.172, 0.104, 0.114, 0.91, 0.14},  {0.87, 0.160, 0.076, 0.104, 0.91, 0.12},
      {0.93, 0.122, 0.052, 0.090, 0.90, 0.10},  {1.00, 0.068, 0.040, 0.068, 0.88, 0.10}};
  const double low = f.joint[kPelvis].z, high = f.joint[kNeck].z + 0.012 * f.height;
  std::vector<Section> out;
  for (const Row& r : kRows) {
    const double woman = f.female ? r.woman_side : 1 - 0.06 * f.child_part;
    const double heavy = 1 + r.heavy * (f.build > 0 ? f.build : 0.45 * f.build);
    const double belly = f.build > 0 && r.share > -0.05 && r.share < 0.6
                             ? 0.035 * f.build * std::sin((r.share + 0.05) / 0.65 * 3.14159)
                             : 0;
    const double child = 1 + 0.10 * f.child_part * (r.share < 0.5 ? 1 : 0);
    out.push_back({low + r.share * (high - low), r.side * f.girth * woman * heavy,
                   (r.front * heavy * child + belly) * f.girth,
                   r.back * f.girth * (0.4 * heavy + 0.6),
                   -0.012 * f.height * smooth_step(0.3, 1.0, r.share)});
  }
  return out;
}

std::vector<Section> arm_sections(const Figure& f) {
  struct Row {
    double share, side, front;
  };
  static constexpr Row kRows[] = {
      {-0.08, 0.030, 0.040}, {0.00, 0.051, 0.056},  {0.12, 0.055, 0.060}, {0.26, 0.048, 0.056},
      {0.42, 0.043, 0.049},  {0.545, 0.041, 0.043}, {0.63, 0.043, 0.046}, {0.76, 0.037, 0.041},
      {0.90, 0.028, 0.032},  {1.02, 0.025, 0.030}};
  const double size = f.girth * (f.female ? 0.86 : 1 - 0.08 * f.child_part) * (1 + 0.12 * f.build);
  std::vector<Section> out;
  for (const Row& r : kRows)
    out.push_back(
        {r.share * (f.upper_arm + f.forearm), r.side * size, r.front * size, r.front * size, 0});
  return out;
}

std::vector<Section> leg_sections(const Figure& f) {
  struct Row {
    double share, side, front, back;
  };
  static constexpr Row kRows[] = {
      {-0.03, 0.082, 0.084, 0.094}, {0.06, 0.086, 0.088, 0.094}, {0.18, 0.080, 0.086, 0.084},
      {0.30, 0.071, 0.078, 0.074},  {0.42, 0.060, 0.065, 0.062}, {0.50, 0.055, 0.060, 0.055},
      {0.58, 0.053, 0.053, 0.058},  {0.67, 0.055, 0.049, 0.068}, {0.76, 0.050, 0.045, 0.062},
      {0.86, 0.040, 0.040, 0.047},  {0.94, 0.035, 0.037, 0.042}, {1.03, 0.034, 0.042, 0.045}};
  const double size = f.girth * (f.female ? 0.98 : 1) * (1 + 0.12 * f.build);
  std::vector<Section> out;
  for (const Row& r : kRows) {
    const double thigh = f.female && r.share < 0.35 ? 1.05 : 1;
    out.push_back({r.share * f.leg(), r.side * size * thigh, r.front * size, r.back * size, 0});
  }
  return out;
}

std::vector<Section> hand_sections(const Figure& f) {
  struct Row {
    double share, thick, wide;
  };
  static constexpr Row kRows[] = {{-0.08, 0.022, 0.028}, {0.05, 0.020, 0.030}, {0.25, 0.018, 0.040},
                                  {0.48, 0.016, 0.042},  {0.62, 0.015, 0.040}, {0.80, 0.013, 0.034},
                                  {0.94, 0.010, 0.022},  {1.00, 0.006, 0.012}};
  const double size = f.hand / 0.1855;
  std::vector<Section> out;
  for (const Row& r : kRows)
    out.push_back({r.share * f.hand, r.thick * size, r.wide * size, r.wide * size, 0});
  return out;
}

std::vector<Section> head_sections(const Figure& f) {
  struct Row {
    double share, side, front, back;
  };
  static constexpr Row kRows[] = {{0.012, 0.085, 0.330, 0.02}, {0.05, 0.160, 0.372, 0.09},
                                  {0.12, 0.222, 0.385, 0.16},  {0.22, 0.258, 0.388, 0.22},
                                  {0.33, 0.285, 0.386, 0.29},  {0.44, 0.308, 0.385, 0.34},
                                  {0.52, 0.318, 0.385, 0.37},  {0.59, 0.315, 0.392, 0.38},
                                  {0.66, 0.300, 0.375, 0.37},  {0.72, 0.270, 0.330, 0.34}};
  std::vector<Section> out;
  for (const Row& r : kRows) {
    // A child's face is small under a large skull, a woman's jaw is narrower.
    const double low = 1 - smooth_step(0.2, 0.6, r.share);
    const double narrow = 1 - low * (f.female ? 0.06 : 0) - low * 0.10 * f.child_part;
    const double wide = 1 + 0.05 * f.child_part + 0.03 * f.build * low;
    out.push_back({r.share * f.head_height, r.side * f.head_height * narrow * wide,
                   r.front * f.head_height * (1 - 0.05 * low * f.child_part),
                   r.back * f.head_height, 0});
  }
  return out;
}

}  // namespace kerb::sim::people
