// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/base/things.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace kerb::sim {
namespace {

Surface colour(std::uint32_t rgb) {
  Surface out;
  out.rgb = {(rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0};
  return out;
}

Surface one_of(std::span<const std::uint32_t> colours, Random& random) {
  Surface out =
      colour(colours[static_cast<std::size_t>(random.below(static_cast<int>(colours.size())))]);
  for (double& c : out.rgb) c = std::clamp(c + random.between(-0.03, 0.03), 0.0, 1.0);
  return out;
}

constexpr std::uint32_t kPaints[] = {0xd9d9d6, 0xf2f2f0, 0x17181a, 0x2a2c30, 0x8a8d91, 0x55585c,
                                     0x1d2f52, 0x7d1416, 0x2f4a3a, 0x9aa7b5, 0xb8b2a2, 0x5b2b1c};

/// Sizes of the makes of a kind. Bins: EN 840-1 to -3 and makers' sheets, 60, 80, 120, 140, 240 and
/// 360 l on two wheels, 660, 770 and 1100 l (flat and domed lid) on four. Scaffolding: frames of
/// 0.73 m, bays of 2.07 and 2.57 m, lifts of 2 m (EN 12810 systems). Cones: EN 13422 heights. A
/// football: 0.22 m (FIFA size 5). The others as measured in streets and in makers' sheets.
constexpr Vec3 kScaffoldings[] = {{5.22, 0.79, 5.1},  {7.79, 0.79, 5.1},  {7.79, 0.79, 7.1},
                                  {6.29, 0.79, 7.1},  {10.36, 0.79, 7.1}, {10.36, 0.79, 9.1},
                                  {12.93, 0.79, 7.1}, {4.22, 0.79, 5.1}};
constexpr Vec3 kStalls[] = {{3, 2, 2.5}, {2.4, 1.7, 2.4}, {4, 2.2, 2.7}, {3, 3, 2.9}};
constexpr Vec3 kShelters[] = {{4, 1.4, 2.45}, {3, 1.3, 2.4}, {5.2, 1.6, 2.6}};
constexpr Vec3 kTrolleys[] = {{0.98, 0.58, 1.02}, {0.8, 0.5, 0.98}};
constexpr Vec3 kWheelieBins[] = {{0.52, 0.45, 0.93}, {0.53, 0.45, 0.94}, {0.55, 0.48, 0.94},
                                 {0.55, 0.48, 1.06}, {0.73, 0.58, 1.07}, {0.86, 0.62, 1.10},
                                 {0.78, 1.26, 1.22}, {0.78, 1.37, 1.32}, {1.07, 1.37, 1.36},
                                 {1.12, 1.37, 1.46}};
constexpr Vec3 kBollards[] = {{0.12, 0.12, 0.95}, {0.14, 0.14, 0.90}, {0.26, 0.26, 0.95},
                              {0.10, 0.10, 1.10}, {0.50, 0.50, 0.42}, {0.20, 0.20, 0.75},
                              {0.24, 0.24, 1.05}, {0.30, 0.30, 0.75}, {0.18, 0.18, 1.00}};
constexpr Vec3 kWorkCones[] = {{0.22, 0.22, 0.30}, {0.28, 0.28, 0.50}, {0.42, 0.42, 0.75},
                               {0.48, 0.48, 1.00}, {0.40, 0.40, 1.06}, {0.50, 0.40, 1.20},
                               {0.60, 0.60, 1.02}};
constexpr Vec3 kMeters[] = {
    {0.18, 0.22, 1.45}, {0.18, 0.50, 1.45}, {0.38, 0.44, 1.70}, {0.42, 0.42, 1.95}};
constexpr Vec3 kColumns[] = {{1.44, 1.44, 3.6}, {1.20, 1.20, 2.9}, {1.50, 1.50, 3.9}};
constexpr Vec3 kPostBoxes[] = {
    {0.52, 0.52, 1.62}, {0.42, 0.48, 1.40}, {0.55, 0.52, 1.27}, {0.42, 1.00, 1.45}};
constexpr Vec3 kTubs[] = {{1.0, 1.0, 1.10}, {0.7, 0.7, 1.20}, {0.6, 0.6, 0.95},
                          {1.6, 0.5, 1.00}, {0.7, 0.7, 0.90}, {0.6, 0.6, 1.85}};
constexpr Vec3 kWindows[] = {{0.9, 1.6, 2.5}, {0.9, 2.4, 2.6}, {1.0, 3.2, 2.6}};
constexpr Vec3 kFigures[] = {{0.30, 0.58, 1.62}, {0.30, 0.62, 1.75}, {0.30, 0.66, 1.86}};
constexpr Vec3 kDogs[] = {
    {0.50, 0.17, 0.38}, {0.80, 0.24, 0.62}, {1.00, 0.29, 0.82}, {0.66, 0.19, 0.34}};
constexpr Vec3 kFootballs[] = {{0.22, 0.22, 0.22}, {0.22, 0.22, 0.22}, {0.22, 0.22, 0.22}};

/// Of kinds with several makes; of others nothing.
std::span<const Vec3> sizes_of(PropKind kind) {
  switch (kind) {
    case PropKind::scaffolding:
      return kScaffoldings;
    case PropKind::market_stall:
      return kStalls;
    case PropKind::shelter:
      return kShelters;
    case PropKind::trolley:
      return kTrolleys;
    case PropKind::wheelie_bin:
      return kWheelieBins;
    case PropKind::bollard:
      return kBollards;
    case PropKind::work_cone:
      return kWorkCones;
    case PropKind::parking_meter:
      return kMeters;
    case PropKind::advertising_column:
      return kColumns;
    case PropKind::post_box:
      return kPostBoxes;
    case PropKind::flower_tub:
      return kTubs;
    case PropKind::shop_window:
      return kWindows;
    case PropKind::cardboard_figure:
      return kFigures;
    case PropKind::dog:
      return kDogs;
    case PropKind::football:
      return kFootballs;
    default:
      return {};
  }
}

}  // namespace

int makes_of(PropKind kind) { return std::max<int>(1, static_cast<int>(sizes_of(kind).size())); }

int make_of(PropKind kind, std::uint32_t seed) {
  return Random{0x3a4e0000u + seed}.below(makes_of(kind));
}

Vec3 usual_size(PropKind kind, std::uint32_t seed) {
  if (const std::span<const Vec3> sizes = sizes_of(kind); !sizes.empty())
    return sizes[static_cast<std::size_t>(make_of(kind, seed))];
  switch (kind) {
    case PropKind::car:
      return {4.4, 1.8, 1.48};
    case PropKind::van:
      return {5.3, 2, 2.4};
    case PropKind::truck:
      return {8.5, 2.5, 3.5};
    case PropKind::bicycle:
      return {1.75, 0.6, 1.05};
    case PropKind::pole:
      return {0.12, 0.12, 3};
    case PropKind::lamp_post:
      return {0.2, 0.2, 7};
    case PropKind::cone:
      return {0.38, 0.38, 0.75};
    case PropKind::sign:
      return {0.1, 0.65, 2.6};
    case PropKind::tree:
      return {4.5, 4.5, 8};
    case PropKind::bush:
      return {1.6, 1.6, 1.2};
    case PropKind::bin:
      return {0.5, 0.5, 1};
    case PropKind::wall:
      return {6, 0.3, 2.2};
    case PropKind::barrier:
      return {2.2, 0.1, 1.05};
    case PropKind::bench:
      return {1.7, 0.6, 0.85};
    case PropKind::poster:
      return {0.12, 1.3, 2.4};
    case PropKind::hydrant:
      return {0.3, 0.3, 0.85};
    default:
      break;
  }
  return {1, 1, 1};
}

Vec3 size_of(const PropSpec& prop) {
  const Vec3 usual = usual_size(prop.kind, prop.seed);
  return {prop.size.x > 0 ? prop.size.x : usual.x, prop.size.y > 0 ? prop.size.y : usual.y,
          prop.size.z > 0 ? prop.size.z : usual.z};
}

Vec2 foot_print(const PropSpec& prop) {
  const Vec3 size = size_of(prop);
  if (prop.kind == PropKind::tree) return {0.1 * size.x, 0.1 * size.y};
  return {size.x, size.y};
}

bool lets_people_through(PropKind kind) {
  return kind == PropKind::scaffolding || kind == PropKind::shelter || kind == PropKind::dog ||
         kind == PropKind::football;
}

bool can_drive(PropKind kind) {
  return kind == PropKind::car || kind == PropKind::van || kind == PropKind::truck ||
         kind == PropKind::bicycle || kind == PropKind::dog || kind == PropKind::football;
}

bool has_doors(PropKind kind) { return kind == PropKind::car || kind == PropKind::van; }

int scaffold_bays(double length_m) {
  return std::max(1, static_cast<int>(std::lround((length_m - 0.08) / 2.5)));
}
int scaffold_lifts(double height_m) {
  return std::max(1, static_cast<int>(std::lround((height_m - 1.1) / kScaffoldLift)));
}
int bollards_in(double length_m) {
  return length_m <= 1 ? 1 : 2 + static_cast<int>(std::floor((length_m - 0.7) / 1.6));
}

std::vector<SolidBox> solid_parts(const PropSpec& prop) {
  const Vec3 s = size_of(prop);
  const double x = s.x / 2, y = s.y / 2;
  std::vector<SolidBox> out;
  const auto box = [&](double x0, double x1, double y0, double y1, double z0, double z1) {
    out.push_back({{x0, y0, z0}, {x1, y1, z1}});
  };
  switch (prop.kind) {
    case PropKind::scaffolding: {  // standards and decks; the net begins over people's heads
      const int bays = scaffold_bays(s.x), lifts = scaffold_lifts(s.z);
      for (int i = 0; i <= bays; ++i)
        for (const double side : {-1.0, 1.0}) {
          const double at = -x + 0.03 + (s.x - 0.06) * i / bays, beside = side * (y - 0.03);
          box(at - 0.024, at + 0.024, beside - 0.024, beside + 0.024, 0, s.z);
        }
      for (int k = 1; k <= lifts; ++k)
        box(-x, x, -y, y, k * kScaffoldLift - 0.08, k * kScaffoldLift);
      break;
    }
    case PropKind::market_stall:
      box(-0.92 * x, 0.92 * x, -0.80 * y, 0.35 * y, 0, 0.38 * s.z);
      box(-x, x, -y, y, 0.80 * s.z, s.z);
      for (const double a : {-0.95, 0.95})
        for (const double b : {-0.85, 0.85})
          box(a * x - 0.025, a * x + 0.025, b * y - 0.025, b * y + 0.025, 0, 0.85 * s.z);
      break;
    case PropKind::shelter:  // glass is looked through
      box(-x, x, -y, y, 0.94 * s.z, s.z);
      for (const double a : {-0.96, 0.0, 0.96})
        box(a * x - 0.04, a * x + 0.04, 0.84 * y, 0.84 * y + 0.08, 0, s.z);
      box(0.96 * x - 0.07, 0.96 * x + 0.07, -0.78 * y, 0.78 * y, 0.14 * s.z, 0.87 * s.z);
      box(-0.6 * x, 0.4 * x, 0.3 * y, 0.75 * y, 0.42, 0.50);
      break;
    case PropKind::bollard: {
      const int n = bollards_in(s.x);
      const double d = n > 1 ? s.y : s.x;
      for (int i = 0; i < n; ++i) {
        const double at = n > 1 ? -x + d / 2 + (s.x - d) * i / (n - 1) : 0;
        box(at - d / 2, at + d / 2, -y, y, 0, s.z);
      }
      break;
    }
    case PropKind::parking_meter:
      if (make_of(prop.kind, prop.seed) >= 2)
        box(-0.8 * x, 0.8 * x, -0.9 * y, 0.9 * y, 0, 0.9 * s.z);
      else
        box(-x, x, -y, y, 0.75 * s.z, s.z);
      break;
    case PropKind::flower_tub:
      box(-0.9 * x, 0.9 * x, -0.9 * y, 0.9 * y, 0, 0.85 * s.z);
      break;
    case PropKind::dog:
      box(-0.6 * x, 0.6 * x, -0.7 * y, 0.7 * y, 0.45 * s.z, 0.85 * s.z);
      break;
    case PropKind::cardboard_figure:
      box(-0.02, 0.02, -0.7 * y, 0.7 * y, 0, s.z);
      break;
    case PropKind::trolley:  // wire
      break;
    case PropKind::work_cone:
      box(-0.3 * s.x, 0.3 * s.x, -0.3 * s.y, 0.3 * s.y, 0, s.z);
      break;
    default:
      box(-x, x, -y, y, 0, s.z);
  }
  return out;
}

DoorShape door_of(PropKind kind, Vec3 size) {
  if (kind == PropKind::van)
    return {
        {0.30 * size.x, 0.5 * size.y}, 0.20 * size.x, 0.16 * size.z, 0.50 * size.z, 0.86 * size.z};
  return {
      {0.185 * size.x, 0.5 * size.y}, 0.255 * size.x, 0.20 * size.z, 0.63 * size.z, 0.93 * size.z};
}

double door_angle(const DoorSpec& door, double t) {
  const auto eased = [&](double since) {  // 3u^2 - 2u^3
    const double u = std::clamp(since / std::max(door.takes_s, 1e-3), 0.0, 1.0);
    return u * u * (3 - 2 * u);
  };
  double share = eased(t - door.at_s);
  if (door.shut_s && t > *door.shut_s)
    share = std::min(share, eased(*door.shut_s - door.at_s) * (1 - eased(t - *door.shut_s)));
  return door.open * share;
}

double top_of(const PersonSpec& person) {
  switch (person.rides) {
    case Rides::bicycle:
      return person.height_m * 0.99;
    case Rides::scooter:
      return person.height_m + kScooterDeck;
    case Rides::wheelchair:
      return 0.51 + 0.53 * person.height_m;
    case Rides::nothing:
      break;
  }
  return person.height_m;
}

std::vector<OutlineDisc> outline_of(const PersonSpec& person) {
  switch (person.rides) {
    case Rides::bicycle:  // as long as its wheels: 1.7 m
      return {{0, 0.25}, {0.6, 0.25}, {-0.6, 0.25}};
    case Rides::scooter:
      return {{0, 0.25}, {0.3, 0.25}};
    case Rides::wheelchair:
      return {{0, 0.33}, {0.3, 0.25}};
    case Rides::nothing:
      break;
  }
  return {{0, 0.25}};
}

Surface usual_surface(PropKind kind, Random& random) {
  switch (kind) {
    case PropKind::car:
    case PropKind::van:
    case PropKind::truck:
    case PropKind::bicycle:
      return one_of(kPaints, random);
    case PropKind::cone:
      return colour(0xe8551c);
    case PropKind::tree:
      return colour(0x4f6b35);
    case PropKind::bush:
      return colour(0x48622f);
    case PropKind::bin:
      return one_of(std::initializer_list<std::uint32_t>{0x3d4a3f, 0x4a4d50, 0x24262a}, random);
    case PropKind::wall:
      return one_of(std::initializer_list<std::uint32_t>{0x9a5f4a, 0xa9a49a, 0xc4bba7}, random);
    case PropKind::barrier:
      return one_of(std::initializer_list<std::uint32_t>{0x8f9499, 0xc03a2b, 0xd8d8d4}, random);
    case PropKind::bench:
      return colour(0x7a5a3c);
    case PropKind::hydrant:
      return colour(0xb3201f);
    case PropKind::sign:
    case PropKind::poster:
      return colour(0xf2f2f2);
    case PropKind::scaffolding:  // the net's
      return one_of(std::initializer_list<std::uint32_t>{0x3f7a52, 0xd7dad6, 0x3a6ea5, 0x8f9499},
                    random);
    case PropKind::market_stall:
      return one_of(
          std::initializer_list<std::uint32_t>{0xb5332a, 0x2f6b46, 0xe6e1d2, 0x2d4f86, 0xd8a12c},
          random);
    case PropKind::shelter:
      return one_of(std::initializer_list<std::uint32_t>{0x3a3d40, 0x8f9499, 0x2f4a3a, 0x5a2a28},
                    random);
    case PropKind::trolley:
      return one_of(std::initializer_list<std::uint32_t>{0x9a9da1, 0xb4b6b8, 0x7d8084}, random);
    case PropKind::wheelie_bin:
      return one_of(std::initializer_list<std::uint32_t>{0x35383b, 0x2f4a34, 0x1f2022, 0x54402f,
                                                         0x27436f, 0xc9a21e, 0x8d2620, 0x6d7175},
                    random);
    case PropKind::bollard:
      return one_of(std::initializer_list<std::uint32_t>{0x26282b, 0x8a8d90, 0x2b3f33, 0x9a958a,
                                                         0x6b4f35, 0xb8b8b4},
                    random);
    case PropKind::work_cone:
      return one_of(std::initializer_list<std::uint32_t>{0xe8551c, 0xe8551c, 0xd8301f, 0xd9d21f},
                    random);
    case PropKind::parking_meter:
      return one_of(std::initializer_list<std::uint32_t>{0x5f6469, 0x2b2e31, 0x24406b, 0x3b5a49},
                    random);
    case PropKind::advertising_column:
      return one_of(std::initializer_list<std::uint32_t>{0x2f4a3a, 0x2b2e31, 0x8f9499}, random);
    case PropKind::post_box:
      return one_of(std::initializer_list<std::uint32_t>{0xb3201f, 0xe0b51c, 0x1f3f77, 0xb3201f},
                    random);
    case PropKind::flower_tub:
      return one_of(std::initializer_list<std::uint32_t>{0x9d9a92, 0xa8583a, 0x5d4630, 0x3a3d40},
                    random);
    case PropKind::shop_window:
      return one_of(std::initializer_list<std::uint32_t>{0x2b2e31, 0x6b6f73, 0x5a3f2c, 0xd8d6cf},
                    random);
    case PropKind::cardboard_figure:
      return colour(0xa9845c);
    case PropKind::dog:
      return one_of(std::initializer_list<std::uint32_t>{0x2a2520, 0x6b4a2c, 0xb08a55, 0xd9d2c2,
                                                         0x55504a, 0x8a5a30},
                    random);
    case PropKind::football:
      return one_of(std::initializer_list<std::uint32_t>{0xeeeeea, 0xeeeeea, 0xe07a1c, 0xd8d21f},
                    random);
    case PropKind::pole:
    case PropKind::lamp_post:
      break;
  }
  return colour(0x8a8d90);
}

}  // namespace kerb::sim
