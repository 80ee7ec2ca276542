// SPDX-License-Identifier: Apache-2.0
// Bicycles, scooters, wheelchairs, and how people sit and stand on them.
#include "tools/simulator/people/ride.hpp"

#include <cmath>
#include <numbers>

#include "tools/simulator/people/layers.hpp"
#include "tools/simulator/people/limbs.hpp"

namespace kerb::sim::people {
namespace {

constexpr double kPi = std::numbers::pi;
// Bones of what turns.
constexpr Bone kBackWheel = kTurning, kFrontWheel = kTurning + 1, kCrank = kTurning + 2,
               kPedal = kTurning + 3;  // the left one; then the right one
constexpr double kTread = 0.11;        // of a pedal's middle from the bicycle's, m

/// A tyre or a rim about the y axis round the origin.
Skin ring(double radius, double thick, int around, int sides) {
  Skin skin;
  const auto n = static_cast<std::uint32_t>(around), m = static_cast<std::uint32_t>(sides);
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t k = 0; k < m; ++k) {
      const double a = 2 * kPi * i / n, b = 2 * kPi * k / m;
      const Vec3 out{std::cos(a), 0, std::sin(a)};
      const Vec3 normal = std::cos(b) * out + std::sin(b) * Vec3{0, 1, 0};
      skin.points.push_back(radius * out + thick * normal);
      skin.normals.push_back(normal);
    }
  const auto at = [n, m](std::uint32_t i, std::uint32_t k) { return i % n * m + k % m; };
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t k = 0; k < m; ++k) {
      skin.triangles.push_back({at(i, k), at(i, k + 1), at(i + 1, k + 1)});
      skin.triangles.push_back({at(i, k), at(i + 1, k + 1), at(i + 1, k)});
    }
  return skin;
}

struct Maker {
  std::vector<Layer>& out;
  void add(Skin skin, BodyPart part, Bone bone = kGround) {
    Layer layer;
    layer.ready = std::move(skin);
    layer.part = part;
    layer.cling = Cling::rigid;
    layer.bone = bone;
    layer.own = false;
    out.push_back(std::move(layer));
  }
  void rod(Vec3 a, Vec3 b, double r, BodyPart part, Bone bone = kGround) {
    add(tube(a, b, r), part, bone);
  }
  void wheel(double radius, double thick, int spokes, Bone bone, double y = 0) {
    Skin tyre = ring(radius - thick, thick, 28, 6),
         rim = ring(radius - 2.6 * thick, 0.5 * thick, 28, 5);
    for (Skin* skin : {&tyre, &rim})
      for (Vec3& p : skin->points) p.y += y;
    add(std::move(tyre), BodyPart::thing_dark, bone);
    add(std::move(rim), BodyPart::thing_dark, bone);
    add(turned({0, y - 0.03, 0}, {0, y + 0.03, 0}, {{0, 0.02}, {1, 0.02}}, 8), BodyPart::thing_dark,
        bone);
    for (int i = 0; i < spokes; ++i) {
      const double a = 2 * kPi * i / spokes, far = radius - 2.6 * thick;
      add(turned({0, y + (i % 2 == 0 ? 0.02 : -0.02), 0}, {far * std::cos(a), y, far * std::sin(a)},
                 {{0, 0.0022}, {1, 0.0022}}, 3),
          BodyPart::thing_dark, bone);
    }
  }
};

void add_bicycle(const Ride& r, std::vector<Layer>& out) {
  Maker make{out};
  const double k = r.size, tube_r = 0.016;
  const BodyPart paint = BodyPart::thing, dark = BodyPart::thing_dark;
  const Vec3 rear{r.back_x, 0, r.wheel}, front{r.front_x, 0, r.wheel}, crank = r.crank;
  const Vec3 up = unit(r.hip - crank);
  const Vec3 saddle = r.hip - Vec3{0, 0, 0.085 * k},
             seat = crank + 0.72 * length(saddle - crank) * up;
  const Vec3 head{r.front_x - 0.26 * k, 0, r.wheel + 0.50 * k};
  make.wheel(r.wheel, 0.017 * k, 20, kBackWheel);
  make.wheel(r.wheel, 0.017 * k, 20, kFrontWheel);
  for (const double side : {-0.05, 0.05}) {
    make.rod(rear + Vec3{0, side, 0}, crank + Vec3{0, 0.6 * side, 0}, 0.010, paint);
    make.rod(rear + Vec3{0, side, 0}, seat, 0.008, paint);
    make.rod(front + Vec3{0, side, 0}, head + Vec3{0.01, 0.6 * side, -0.08 * k}, 0.012, paint);
  }
  make.rod(crank, seat, tube_r, paint);
  make.rod(crank, head + Vec3{0, 0, -0.06 * k}, 0.019, paint);
  make.rod(seat + Vec3{0, 0, -0.03}, head, tube_r, paint);
  make.rod(head + Vec3{0.02 * k, 0, -0.1 * k}, head + Vec3{-0.03 * k, 0, 0.06 * k}, 0.018, paint);
  make.rod(seat, saddle, 0.013, dark);
  const Vec3 bar{r.grip.x + 0.03, 0, r.grip.z - 0.02};
  make.rod(head, bar, 0.013, dark);
  make.rod({r.grip.x, -r.grip.y - 0.04, r.grip.z}, {r.grip.x, r.grip.y + 0.04, r.grip.z}, 0.013,
           dark);
  Layer seat_pad;
  seat_pad.field = [saddle, k](const Vec3& p) {
    return join(ellipsoid(p, saddle + Vec3{-0.05 * k, 0, 0}, {0.10 * k, 0.075 * k, 0.03}),
                ellipsoid(p, saddle + Vec3{0.07 * k, 0, 0}, {0.11 * k, 0.03, 0.025}), 0.03);
  };
  seat_pad.low = saddle - Vec3{0.2, 0.12, 0.06};
  seat_pad.high = saddle + Vec3{0.22, 0.12, 0.06};
  seat_pad.cell = 0.022;
  seat_pad.part = dark;
  seat_pad.cling = Cling::rigid;
  seat_pad.bone = kGround;
  seat_pad.own = false;
  out.push_back(std::move(seat_pad));
  // Mudguards' ends, lamps, the chain.
  make.rod(rear + Vec3{0, -0.035, 0.03}, crank + Vec3{0, -0.035, 0.09 * k}, 0.006, dark);
  make.rod(rear + Vec3{0, -0.035, -0.03}, crank + Vec3{0, -0.035, -0.09 * k}, 0.006, dark);
  make.add(turned({head.x + 0.06, 0, head.z + 0.03}, {head.x + 0.12, 0, head.z + 0.03},
                  {{0, 0.02}, {0.3, 0.03}, {1, 0.035}}, 8),
           dark);
  // Cranks and pedals.
  make.add(turned({0, -0.045, 0}, {0, -0.035, 0}, {{0, 0.09 * k}, {1, 0.09 * k}}, 16), dark,
           kCrank);
  for (const double side : {1.0, -1.0}) {
    const Vec3 end{side * r.crank_length, side * 0.075, 0};
    make.rod({0, side * 0.06, 0}, end, 0.010, dark, kCrank);
    make.add(turned({-0.045, 0, 0}, {0.045, 0, 0}, {{0, 0.018}, {1, 0.018}}, 5), dark,
             kPedal + (side > 0 ? 0 : 1));
  }
}

void add_scooter(const Ride& r, std::vector<Layer>& out) {
  Maker make{out};
  const BodyPart paint = BodyPart::thing, dark = BodyPart::thing_dark;
  const double deck = kScooterDeck;
  Layer board;
  board.field = [deck, r](const Vec3& p) {
    const Vec3 q{std::abs(p.x - 0.02) - 0.30, std::abs(p.y) - 0.075,
                 std::abs(p.z - deck + 0.03) - 0.03};
    return std::max({q.x, q.y, q.z});
  };
  board.low = {-0.36, -0.11, deck - 0.09};
  board.high = {0.40, 0.11, deck + 0.02};
  board.cell = 0.022;
  board.part = dark;
  board.cling = Cling::rigid;
  board.bone = kGround;
  board.own = false;
  out.push_back(std::move(board));
  make.wheel(r.wheel, 0.024, 6, kBackWheel);
  make.wheel(r.wheel, 0.024, 6, kFrontWheel);
  make.rod({r.back_x, 0, r.wheel}, {-0.26, 0, deck - 0.02}, 0.03, dark);
  make.rod({0.30, 0, deck - 0.02}, {r.front_x - 0.05, 0, 0.30}, 0.03, paint);
  for (const double side : {-0.05, 0.05})
    make.rod({r.front_x, side, r.wheel}, {r.front_x - 0.04, side, 0.28}, 0.013, dark);
  make.rod({r.front_x - 0.04, 0, 0.26}, {r.grip.x + 0.02, 0, r.grip.z + 0.01}, 0.022, paint);
  make.rod({r.grip.x, -r.grip.y - 0.03, r.grip.z}, {r.grip.x, r.grip.y + 0.03, r.grip.z}, 0.015,
           dark);
  make.add(turned({r.grip.x + 0.05, 0, r.grip.z - 0.08}, {r.grip.x + 0.09, 0, r.grip.z - 0.08},
                  {{0, 0.02}, {1, 0.03}}, 8),
           dark);
}

void add_wheelchair(const Ride& r, std::vector<Layer>& out) {
  Maker make{out};
  const BodyPart paint = BodyPart::thing, dark = BodyPart::thing_dark;
  const double k = r.size, seat = r.hip.z - 0.085 * k, back = r.hip.x - 0.16 * k, wide = 0.21 * k;
  const auto board = [&](Vec3 low, Vec3 high) {
    Layer layer;
    layer.field = [low, high](const Vec3& p) {
      return std::max(
          {low.x - p.x, p.x - high.x, low.y - p.y, p.y - high.y, low.z - p.z, p.z - high.z});
    };
    layer.low = low - Vec3{0.03, 0.03, 0.03};
    layer.high = high + Vec3{0.03, 0.03, 0.03};
    layer.cell = 0.03;
    layer.part = dark;
    layer.cling = Cling::rigid;
    layer.bone = kGround;
    layer.own = false;
    out.push_back(std::move(layer));
  };
  board({back, -wide, seat - 0.05}, {back + 0.44 * k, wide, seat - 0.01});
  board({back - 0.03, -wide, seat}, {back + 0.01, wide, seat + 0.42 * k});
  for (const double side : {-1.0, 1.0}) {
    const double y = side * (wide + 0.03), far = side * (wide + 0.075);
    make.wheel(r.wheel, 0.014, 18, kBackWheel, far);
    Skin rim = ring(r.wheel - 0.035, 0.008, 28, 5);  // the hand rim
    for (Vec3& p : rim.points) p.y += far + side * 0.03;
    make.add(std::move(rim), BodyPart::thing_dark, kBackWheel);
    make.rod({back, y, seat + 0.45 * k}, {back, y, 0.28}, 0.012, paint);
    make.rod({back - 0.14, y, seat + 0.44 * k}, {back, y, seat + 0.45 * k}, 0.014, dark);
    make.rod({back, y, seat - 0.02}, {back + 0.48 * k, y, seat - 0.02}, 0.012, paint);
    make.rod({back, y, 0.28}, {r.front_x, y, 0.24}, 0.012, paint);
    make.rod({back + 0.47 * k, y, seat - 0.02}, {r.front_x + 0.12, y, 0.13}, 0.012, paint);
    make.rod({back + 0.02, y, seat + 0.2}, {back + 0.32 * k, y, seat + 0.2}, 0.018, dark);
    make.rod({back + 0.32 * k, y, seat + 0.2}, {back + 0.32 * k, y, seat - 0.02}, 0.010, paint);
    make.rod({r.back_x, y, r.wheel}, {r.back_x, y, seat - 0.02}, 0.014, paint);
    // Castor, and its half of the foot rest.
    make.add(turned({r.front_x, y - 0.015, 0.08}, {r.front_x, y + 0.015, 0.08},
                    {{0, 0.05}, {0.1, 0.078}, {0.5, 0.08}, {0.9, 0.078}, {1, 0.05}}, 14),
             dark);
    make.rod({r.front_x, y, 0.08}, {r.front_x + 0.02, y, 0.24}, 0.014, dark);
    board({r.front_x + 0.06, std::min(0.02 * side, y), 0.11},
          {r.front_x + 0.22, std::max(0.02 * side, y), 0.14});
  }
}

}  // namespace

Ride ride_of(const Figure& f, const PersonSpec& person) {
  Ride r;
  r.kind = person.rides;
  const double k = r.size = std::clamp(f.height / 1.75, 0.55, 1.12);
  const double habit = (person.seed % 16) / 15.0;
  switch (r.kind) {
    case Rides::bicycle: {
      r.wheel = 0.34 * std::min(k, 1.03);
      r.front_x = 0.52 * k;
      r.back_x = -0.52 * k;
      r.crank = {-0.08 * k, 0, 0.27 * k};
      r.crank_length = 0.165 * k;
      const double far = 0.965 * f.leg() - r.crank_length + 0.03 * k;
      r.hip = r.crank + far * Vec3{-std::cos(radians(72)), 0, std::sin(radians(72))};
      r.lean = 0.22 + 0.30 * habit;
      r.per_turn = 4.4 * k;
      const double trunk = f.joint[kUpperArm].z - f.joint[kPelvis].z;
      const Vec3 shoulder = r.hip + trunk * Vec3{std::sin(r.lean), 0, std::cos(r.lean)};
      const double arm = 0.90 * (f.upper_arm + f.forearm);  // a little bent
      const double x = std::min(r.front_x - 0.14 * k, shoulder.x + 0.80 * arm);
      const double y = 0.27 * k, dx = x - shoulder.x, dy = y - std::abs(f.joint[kUpperArm].y);
      r.grip = {x, y, shoulder.z - std::sqrt(std::max(arm * arm - dx * dx - dy * dy, 0.04))};
      break;
    }
    case Rides::scooter:
      r.wheel = 0.11;
      r.front_x = 0.46;
      r.back_x = -0.42;
      r.lean = 0.04 + 0.08 * habit;
      r.hip = {-0.05, 0, kScooterDeck + f.joint[kPelvis].z - 0.025 * k};
      r.grip = {0.36 * k + 0.02, 0.22 * k, kScooterDeck + 0.60 * f.height};
      break;
    case Rides::wheelchair:
      r.wheel = 0.30;
      r.back_x = -0.06;
      r.front_x = 0.34 * k;
      r.lean = 0.02 + 0.10 * habit;
      r.hip = {-0.10, 0, 0.485 + 0.085 * k};
      r.per_turn = 1.1;
      break;
    case Rides::nothing:
      break;
  }
  return r;
}

void add_ride(const Figure& f, const PersonSpec& person, const Appearance&,
              std::vector<Layer>& out) {
  const Ride r = ride_of(f, person);
  if (r.kind == Rides::bicycle) add_bicycle(r, out);
  if (r.kind == Rides::scooter) add_scooter(r, out);
  if (r.kind == Rides::wheelchair) add_wheelchair(r, out);
}

namespace {

struct Rider {
  const Figure& f;
  const Manner& manner;
  const Ride& r;
  double rolled, rolling, turned, t;  // rolling: 0 stands .. 1
  Posture& out;

  void place(Bone bone, Bone parent, const Turn3& turn) {
    out[bone] = {turn, out[parent].at + out[parent].turn * (f.joint[bone] - f.joint[parent])};
  }
  void trunk() {
    const double breath = 0.01 * std::sin(1.7 * t + manner.rhythm);
    const double a = 2 * kPi * rolled / r.per_turn;
    double lean = r.lean + breath, rock = 0;
    if (r.kind == Rides::bicycle) rock = 0.03 * rolling * std::sin(a);
    if (r.kind == Rides::wheelchair) lean += 0.10 * rolling * (1 - std::cos(a)) / 2;
    const double tilt = r.kind == Rides::bicycle ? 0.5 * lean : 0.3 * lean;
    out[kPelvis] = {about_x(rock) * about_y(tilt), r.hip};
    place(kWaist, kPelvis, about_x(0.3 * rock) * about_y(0.8 * lean));
    place(kChest, kWaist, about_x(-0.3 * rock) * about_y(1.15 * lean));
    const double look =
        std::clamp(0.25 * turned, -0.5, 0.5) + 0.12 * std::sin(0.23 * t + manner.rhythm);
    place(kNeck, kChest, about_z(0.5 * look) * about_y(0.55 * lean));
    place(kHead, kNeck, about_z(look) * about_y(0.05 + 0.5 * manner.look_down));
  }
  void leg(std::size_t right) {
    const double side = right != 0 ? -1 : 1, h = f.height, k = r.size;
    const Vec3 hip =
        out[kPelvis].at + out[kPelvis].turn * (f.joint[kThigh + right] - f.joint[kPelvis]);
    Vec3 ankle, pole{1, 0.08 * side, 0};
    double pitch = 0, yaw = side * 0.06;
    if (r.kind == Rides::bicycle) {
      const double a = crank_angle() + (right != 0 ? kPi : 0.0);
      const Vec3 pedal = r.crank + r.crank_length * Vec3{std::cos(a), 0, -std::sin(a)};
      pitch = -0.18 - 0.16 * std::sin(a + 0.6);  // the heel is a little up, most at the back
      const Vec3 ball = Vec3{0.8 * f.ball_ahead, 0, -f.ankle_height};
      ankle = pedal + Vec3{0, side * kTread, 0.018} - about_y(-pitch) * ball;
      const double down = side * manner.side > 0 ? 1 - rolling : 0;  // a foot on the ground
      const Vec3 ground{r.hip.x + 0.16 * k, side * 0.20 * k, f.ankle_height};
      ankle = ankle + down * (ground - ankle);
      pitch *= 1 - down;
    } else if (r.kind == Rides::scooter) {
      const bool ahead = side * manner.side > 0;
      ankle = {ahead ? 0.08 : -0.20, side * 0.028 * h, kScooterDeck + f.ankle_height};
      yaw = side * (ahead ? 0.1 : 0.35);
    } else {
      ankle = {r.front_x + 0.10, side * 0.085 * k, 0.145 + f.ankle_height};
      pole = {1, 0, 0.9};
    }
    const Limb limb = reach(hip, ankle, f.thigh, f.shank, pole);
    const Vec3 rest = unit(f.joint[kFoot + right] - f.joint[kThigh + right]);
    out[kThigh + right] = {between(rest, {1, 0, 0}, limb.upper, limb.front), hip};
    out[kShank + right] = {between(rest, {1, 0, 0}, limb.lower, limb.front),
                           hip + f.thigh * limb.upper};
    out[kFoot + right] = {about_z(yaw) * about_y(-pitch),
                          hip + f.thigh * limb.upper + f.shank * limb.lower};
    place(kToes + right, kFoot + right, about_z(yaw) * about_y(-pitch));
  }
  void arm(std::size_t right) {
    place(kUpperArm + right, kChest, {});
    const double side = right != 0 ? -1 : 1;
    Vec3 grip{r.grip.x, side * r.grip.y, r.grip.z}, pole{-0.2, 0.5 * side, -1};
    double curl = 0.5;
    if (r.kind == Rides::wheelchair) {  // along the hand rim and back through the air
      const double a = 2 * kPi * rolled / r.per_turn;
      const double along = rolling * 0.20 * std::sin(a), up = 0.05 * rolling * (1 + std::cos(a));
      grip = {r.back_x + 0.06 + along, side * (0.21 * r.size + 0.10),
              r.wheel + std::sqrt(std::max(0.01, 0.26 * 0.26 - along * along)) + 0.05 + up};
      pole = {-1, 0.4 * side, -0.2};
    }
    const Vec3 shoulder = out[kUpperArm + right].at;
    const Vec3 wrist = grip + 0.5 * f.hand * unit(shoulder - grip);
    const Limb limb = reach(shoulder, wrist, f.upper_arm, f.forearm, pole);
    const Vec3 rest = f.arm_axis(static_cast<int>(right)), ahead{1, 0, 0},
               front = -1.0 * limb.front;
    out[kUpperArm + right].turn = between(rest, ahead, limb.upper, front);
    out[kForearm + right] = {between(rest, ahead, limb.lower, front),
                             shoulder + f.upper_arm * limb.upper};
    const Vec3 lower_front = across(front, limb.lower);
    const Vec3 fingers = unit(std::cos(curl) * limb.lower + std::sin(curl) * Vec3{0.3, 0, -0.7});
    out[kHand + right] = {between(rest, ahead, fingers, lower_front),
                          out[kForearm + right].at + f.forearm * limb.lower};
  }
  [[nodiscard]] double crank_angle() const { return 2 * kPi * rolled / r.per_turn + 0.6; }
  void wheels() {
    const double a = rolled / r.wheel;
    out[kThing] = {{}, out[kHand].at};
    out[kGround] = {{}, {0, 0, 0}};
    for (Bone bone = kTurning; bone < kBones; ++bone) out[bone] = {{}, {0, 0, 0}};
    out[kBackWheel] = {about_y(a), {r.back_x, 0, r.wheel}};
    out[kFrontWheel] = {about_y(a), {r.front_x, 0, r.wheel}};
    if (r.kind != Rides::bicycle) return;
    const double c = crank_angle();
    out[kCrank] = {about_y(c), r.crank};
    for (std::size_t right = 0; right < 2; ++right) {
      const double b = c + (right != 0 ? kPi : 0.0), side = right != 0 ? -1 : 1;
      out[kPedal + right] = {{},
                             r.crank + Vec3{r.crank_length * std::cos(b), side * kTread,
                                            -r.crank_length * std::sin(b)}};
    }
  }
};

}  // namespace

void sit_on(const Figure& f, const Manner& manner, const Ride& ride, const PersonState& state,
            double t, Posture& out) {
  Rider rider{f, manner, ride, state.walked_m, smooth_step(0.05, 0.9, state.mps), state.turned,
              t, out};
  rider.trunk();
  for (std::size_t right = 0; right < 2; ++right) {
    rider.leg(right);
    rider.arm(right);
  }
  rider.wheels();
}

}  // namespace kerb::sim::people
