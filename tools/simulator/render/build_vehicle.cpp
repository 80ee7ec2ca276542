// SPDX-License-Identifier: Apache-2.0
// Cars, vans and trucks: a body lofted over cross sections, with glass, wheels, lamps and plates.
#include <array>
#include <vector>

#include "tools/simulator/base/things.hpp"
#include "tools/simulator/render/parts.hpp"

namespace kerb::sim {
namespace {

/// A cross section, as parts of length, width and height.
struct Section {
  float x;             // 0 front .. 1 back
  float low;           // height of the sill
  float belt, roof;    // of the shoulder, of the top
  float wide, narrow;  // half widths at the shoulder and at the top
  int glass;  // to the next section: 0 none, 1 side windows, 2 a screen, 3 screen and sides
};

constexpr std::array<Section, 15> kHatchback{{
    {0.000F, 0.30F, 0.44F, 0.46F, 0.74F, 0.62F, 0},
    {0.012F, 0.16F, 0.50F, 0.53F, 0.88F, 0.76F, 0},
    {0.060F, 0.13F, 0.54F, 0.59F, 0.97F, 0.84F, 0},
    {0.180F, 0.13F, 0.58F, 0.645F, 1.0F, 0.86F, 0},
    {0.275F, 0.13F, 0.61F, 0.675F, 1.0F, 0.84F, 2},
    {0.420F, 0.13F, 0.635F, 0.965F, 1.0F, 0.70F, 1},
    {0.435F, 0.13F, 0.635F, 0.970F, 1.0F, 0.70F, 1},
    {0.560F, 0.13F, 0.64F, 1.0F, 1.0F, 0.71F, 0},
    {0.585F, 0.13F, 0.64F, 1.0F, 1.0F, 0.71F, 1},
    {0.750F, 0.13F, 0.65F, 0.985F, 1.0F, 0.70F, 0},
    {0.850F, 0.14F, 0.66F, 0.955F, 0.99F, 0.68F, 2},
    {0.955F, 0.16F, 0.66F, 0.72F, 0.96F, 0.70F, 0},
    {0.965F, 0.17F, 0.64F, 0.68F, 0.95F, 0.72F, 0},
    {0.990F, 0.22F, 0.56F, 0.60F, 0.90F, 0.74F, 0},
    {1.000F, 0.30F, 0.48F, 0.50F, 0.84F, 0.70F, 0},
}};
constexpr std::array<Section, 15> kSaloon{{
    {0.000F, 0.30F, 0.42F, 0.44F, 0.74F, 0.62F, 0},
    {0.012F, 0.16F, 0.48F, 0.51F, 0.88F, 0.78F, 0},
    {0.060F, 0.13F, 0.53F, 0.57F, 0.97F, 0.85F, 0},
    {0.180F, 0.13F, 0.57F, 0.63F, 1.0F, 0.87F, 0},
    {0.285F, 0.13F, 0.61F, 0.67F, 1.0F, 0.85F, 2},
    {0.420F, 0.13F, 0.64F, 0.970F, 1.0F, 0.70F, 1},
    {0.435F, 0.13F, 0.64F, 0.975F, 1.0F, 0.70F, 1},
    {0.550F, 0.13F, 0.65F, 1.0F, 1.0F, 0.71F, 0},
    {0.570F, 0.13F, 0.65F, 1.0F, 1.0F, 0.71F, 1},
    {0.690F, 0.13F, 0.66F, 0.970F, 1.0F, 0.69F, 2},
    {0.820F, 0.14F, 0.66F, 0.735F, 0.99F, 0.80F, 0},
    {0.900F, 0.15F, 0.66F, 0.725F, 0.97F, 0.80F, 0},
    {0.965F, 0.17F, 0.64F, 0.70F, 0.94F, 0.78F, 0},
    {0.990F, 0.22F, 0.56F, 0.60F, 0.90F, 0.74F, 0},
    {1.000F, 0.30F, 0.48F, 0.50F, 0.82F, 0.70F, 0},
}};
constexpr std::array<Section, 12> kVan{{
    {0.000F, 0.20F, 0.32F, 0.34F, 0.80F, 0.70F, 0},
    {0.015F, 0.11F, 0.40F, 0.42F, 0.92F, 0.82F, 0},
    {0.060F, 0.10F, 0.46F, 0.50F, 0.99F, 0.88F, 0},
    {0.150F, 0.10F, 0.48F, 0.54F, 1.0F, 0.88F, 2},
    {0.270F, 0.10F, 0.50F, 0.93F, 1.0F, 0.86F, 1},
    {0.290F, 0.10F, 0.50F, 0.95F, 1.0F, 0.86F, 1},
    {0.420F, 0.10F, 0.50F, 1.0F, 1.0F, 0.87F, 0},
    {0.700F, 0.10F, 0.50F, 1.0F, 1.0F, 0.88F, 0},
    {0.950F, 0.10F, 0.50F, 1.0F, 1.0F, 0.88F, 0},
    {0.985F, 0.11F, 0.50F, 0.98F, 0.99F, 0.87F, 0},
    {0.998F, 0.13F, 0.50F, 0.92F, 0.97F, 0.86F, 0},
    {1.000F, 0.16F, 0.50F, 0.88F, 0.95F, 0.84F, 0},
}};

constexpr int kRing = 8;  // points of half a section, from the sill to the middle of the top

void loft(Builder& b, const Section* sections, int n, V3 size, std::uint16_t paint) {
  const auto x_of = [&](int i) { return (0.5F - sections[i].x) * size.x; };
  std::vector<V3> points;
  for (int i = 0; i < n; ++i) {
    const Section& s = sections[i];
    const float w = size.y / 2, h = size.z, x = x_of(i);
    const float belt = s.belt * h, low = s.low * h, roof = s.roof * h;
    const float half[kRing] = {s.wide * 0.90F * w,
                               s.wide * 0.985F * w,
                               s.wide * w,
                               s.wide * 0.985F * w,
                               mix(s.wide, s.narrow, 0.88F) * w * 0.99F,
                               s.narrow * 0.92F * w,
                               s.narrow * 0.62F * w,
                               0};
    const float top = std::max(roof - belt, 0.0F);
    const float high[kRing] = {low,  mix(low, belt, 0.22F), mix(low, belt, 0.62F),
                               belt, belt + 0.82F * top,    roof - 0.03F * top,
                               roof, roof + 0.004F * h};
    for (int k = 0; k < kRing; ++k) points.push_back({x, half[k], high[k]});
  }
  // Normals of the grid, both ways mirrored.
  std::vector<V3> normals(points.size());
  const auto point = [&](int i, int k) { return points[at(i * kRing + k)]; };
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < kRing; ++k) {
      const V3 along = point(std::max(i - 1, 0), k) - point(std::min(i + 1, n - 1), k);
      const V3 up = point(i, std::min(k + 1, kRing - 1)) - point(i, std::max(k - 1, 0));
      V3 m = cross(up, along);
      m = unit(m);
      if (m.y * (k < kRing - 1 ? 1.0F : 0.0F) < 0) m = -1.0F * m;
      if (k >= 5 && m.z < 0) m = -1.0F * m;
      if (k == kRing - 1) m = unit(V3{m.x, 0, std::abs(m.z)});
      normals[at(i * kRing + k)] = m;
    }
  for (const float side : {1.0F, -1.0F}) {
    std::vector<std::uint32_t> index(points.size());
    for (std::size_t j = 0; j < points.size(); ++j) {
      const V3 p = points[j], m = normals[j];
      const float shade = 0.4F + 0.6F * smooth(0.1F, 0.8F, p.z / size.z);
      index[j] = b.corner({p.x, side * p.y, p.z}, {m.x, side * m.y, m.z}, p.x, p.z, shade);
    }
    for (int i = 0; i + 1 < n; ++i)
      for (int k = 0; k + 1 < kRing; ++k) {
        const int glass = sections[i].glass;
        std::uint16_t m = paint;
        if (k == 0) m = id_of(Base::black_plastic);
        if ((glass & 1) != 0 && k == 3) m = id_of(Base::car_glass);
        if ((glass & 2) != 0 && k >= 4) m = id_of(Base::car_glass);
        const auto c = [&](int di, int dk) { return index[at((i + di) * kRing + k + dk)]; };
        if (side > 0) {
          b.face(c(0, 0), c(1, 0), c(1, 1), m);
          b.face(c(0, 0), c(1, 1), c(0, 1), m);
        } else {
          b.face(c(0, 0), c(1, 1), c(1, 0), m);
          b.face(c(0, 0), c(0, 1), c(1, 1), m);
        }
      }
    for (const int i : {0, n - 1}) {  // close the ends
      const V3 m{i == 0 ? 1.0F : -1.0F, 0, 0};
      const V3 low = point(i, 0);
      const std::uint32_t middle = b.corner({low.x, 0, low.z}, m, 0, 0, 0.7F);
      std::uint32_t last = 0;
      for (int k = 0; k < kRing; ++k) {
        const V3 p = point(i, k);
        const std::uint32_t c = b.corner({p.x, side * p.y, p.z}, m, p.y, p.z, 0.7F);
        if (k > 0) {
          if ((side > 0) == (i == 0))
            b.face(middle, last, c, paint);
          else
            b.face(middle, c, last, paint);
        }
        last = c;
      }
    }
  }
}

void wheel(Builder& b, float x, float y, float r, float width) {
  const float side = y > 0 ? 1.0F : -1.0F, in = y - side * width;
  const std::uint16_t tyre = id_of(Base::tyre);
  b.shade = 0.5F;
  b.tube({x, in, r}, {x, y, r}, r, r, 18, tyre);
  b.tube({x, y, r}, {x, in, r}, r * 0.99F, r * 0.99F, 18, tyre);
  // The side: tyre wall, then the rim.
  const auto disc = [&](float r0, float r1, float at_y, std::uint16_t m, float v0, float v1) {
    const int sides = 20;
    std::uint32_t first = 0;
    for (int i = 0; i <= sides; ++i) {
      const float w = 6.2831853F * f32(i) / f32(sides);
      const V3 d{std::cos(w), 0, std::sin(w)};
      const std::uint32_t c =
          b.corner({x + r0 * d.x, at_y, r + r0 * d.z}, {0, side, 0}, f32(i) / f32(sides), v0);
      b.corner({x + r1 * d.x, at_y, r + r1 * d.z}, {0, side, 0}, f32(i) / f32(sides), v1);
      if (i == 0) first = c;
    }
    for (int i = 0; i < sides; ++i) {
      const std::uint32_t c = first + 2 * static_cast<std::uint32_t>(i);
      if (side < 0) {
        b.face(c, c + 1, c + 3, m);
        b.face(c, c + 3, c + 2, m);
      } else {
        b.face(c, c + 3, c + 1, m);
        b.face(c, c + 2, c + 3, m);
      }
    }
  };
  disc(r * 0.66F, r, y, tyre, 0, 1);
  b.shade = 0.75F;
  disc(0.0F, r * 0.67F, y + side * 0.012F, id_of(Base::rim), 0, 1);
  b.shade = 1;
}

/// The dark opening a wheel is in.
void arch(Builder& b, float x, float y, float r) {
  const float side = y > 0 ? 1.0F : -1.0F;
  b.shade = 0.25F;
  const int n = 12;
  const std::uint32_t middle = b.corner({x, y, r * 0.5F}, {0, side, 0}, 0, 0);
  std::uint32_t last = 0;
  for (int i = 0; i <= n; ++i) {
    const float w = 3.34F * f32(i) / f32(n) - 0.1F;
    const std::uint32_t c =
        b.corner({x + 1.17F * r * std::cos(w), y, r + 1.17F * r * std::sin(w)}, {0, side, 0}, 0, 0);
    if (i > 0) {
      if (side < 0)
        b.face(middle, last, c, id_of(Base::under));
      else
        b.face(middle, c, last, id_of(Base::under));
    }
    last = c;
  }
  b.shade = 1;
}

/// A flat thing at the front (side 1) or the back (-1), turned outwards.
void patch(Builder& b, float x, float y0, float y1, float z0, float z1, std::uint16_t m,
           bool front) {
  if (front)
    b.picture({x, y0, z0}, {x, y1, z0}, {x, y1, z1}, {x, y0, z1}, m);
  else
    b.picture({x, y1, z0}, {x, y0, z0}, {x, y0, z1}, {x, y1, z1}, m);
}

void lamps_and_plates(Builder& b, V3 s, float lamp_low, float lamp_high, float front_x,
                      float back_x) {
  const float w = s.y / 2;
  const std::uint16_t head = id_of(Base::head_lamp), tail = id_of(Base::tail_lamp);
  for (const float side : {1.0F, -1.0F}) {
    const float y0 = side * 0.56F * w, y1 = side * 0.92F * w;
    const float l = std::min(y0, y1), r = std::max(y0, y1);
    patch(b, front_x, l, r, lamp_low * s.z, lamp_high * s.z, head, true);
    patch(b, back_x, l, r, (lamp_low + 0.02F) * s.z, (lamp_high + 0.05F) * s.z, tail, false);
  }
  patch(b, front_x + 0.01F, -0.45F * w, 0.45F * w, (lamp_low - 0.02F) * s.z,
        (lamp_high - 0.03F) * s.z, id_of(Base::grille), true);
  patch(b, front_x + 0.02F, -0.26F, 0.26F, 0.20F * s.z, 0.20F * s.z + 0.11F, id_of(Base::plate),
        true);
  patch(b, back_x - 0.02F, -0.26F, 0.26F, 0.36F * s.z, 0.36F * s.z + 0.11F, id_of(Base::plate),
        false);
}

void car_or_van(Builder& b, const VehicleStyle& v) {
  const V3 s = v.size;
  Dice dice{v.seed};
  float wheel_r = std::clamp(0.205F * s.z, 0.28F, 0.36F);
  if (v.kind == PropKind::van) {
    wheel_r = 0.33F;
    loft(b, kVan.data(), i32(kVan.size()), s, v.paint);
    lamps_and_plates(b, s, 0.32F, 0.40F, s.x / 2 - 0.012F * s.x, -s.x / 2 - 0.004F);
    b.shade = 0.9F;
    for (const float side : {-1.0F, 1.0F})
      patch(b, -s.x / 2 - 0.006F, side > 0 ? 0.1F : -0.8F * s.y / 2,
            side > 0 ? 0.8F * s.y / 2 : -0.1F, 0.56F * s.z, 0.84F * s.z, id_of(Base::car_glass),
            false);
  } else {
    const auto& sections = dice.chance(0.55F) ? kHatchback : kSaloon;
    loft(b, sections.data(), i32(sections.size()), s, v.paint);
    lamps_and_plates(b, s, 0.40F, 0.49F, s.x / 2 - 0.010F * s.x, -s.x / 2 + 0.008F * s.x);
    b.shade = 1;  // mirrors
    for (const float side : {-1.0F, 1.0F}) {
      const float y = side * s.y / 2 * 0.98F;
      b.box({0.16F * s.x, std::min(y, y + side * 0.2F), 0.60F * s.z},
            {0.16F * s.x + 0.10F, std::max(y, y + side * 0.2F), 0.70F * s.z}, v.paint, true);
    }
  }
  b.shade = 0.2F;
  b.box({-0.47F * s.x, -0.44F * s.y, 0.14F * s.z}, {0.47F * s.x, 0.44F * s.y, 0.3F * s.z},
        id_of(Base::under), true);
  b.shade = 1;
  const float axle = 0.5F * s.x - (v.kind == PropKind::van ? 0.18F : 0.185F) * s.x;
  for (const float x : {axle, -0.5F * s.x + 0.19F * s.x})
    for (const float side : {-1.0F, 1.0F}) {
      arch(b, x, side * (0.5F * s.y + 0.004F), wheel_r);
      wheel(b, x, side * (0.5F * s.y + 0.012F), wheel_r, 0.2F);
    }
}

void truck(Builder& b, const VehicleStyle& v) {
  const V3 s = v.size;
  const float cab = std::min(2.2F, 0.3F * s.x), front = s.x / 2, w = s.y / 2;
  b.shade = 0.9F;
  b.box({front - cab, -w, 0.45F}, {front, w, std::min(2.9F, s.z * 0.88F)}, v.paint, true);
  patch(b, front + 0.01F, -0.9F * w, 0.9F * w, 1.5F, 2.35F, id_of(Base::car_glass), true);
  patch(b, front + 0.01F, -0.7F * w, 0.7F * w, 0.75F, 1.3F, id_of(Base::grille), true);
  for (const float side : {-1.0F, 1.0F}) {
    const float y = side * (w + 0.01F);
    const V3 a{front - 0.25F, y, 1.5F}, c{front - 1.25F, y, 1.5F}, up{0, 0, 0.85F};
    if (side > 0)
      b.quad(a, c, c + up, a + up, id_of(Base::car_glass));
    else
      b.quad(c, a, a + up, c + up, id_of(Base::car_glass));
    patch(b, front + 0.015F, std::min(side * 0.6F * w, side * 0.92F * w),
          std::max(side * 0.6F * w, side * 0.92F * w), 0.7F, 0.92F, id_of(Base::head_lamp), true);
    patch(b, -front - 0.01F, std::min(side * 0.7F * w, side * 0.95F * w),
          std::max(side * 0.7F * w, side * 0.95F * w), 0.75F, 0.95F, id_of(Base::tail_lamp), false);
  }
  b.box({-front, -w, 1.0F}, {front - cab - 0.15F, w, s.z}, id_of(Base::plaster_white), true);
  b.shade = 0.35F;
  b.box({-front + 0.1F, -0.4F, 0.55F}, {front - cab, 0.4F, 1.0F}, id_of(Base::under), true);
  b.box({-front, -w, 0.4F}, {-front + 0.12F, w, 0.55F}, id_of(Base::metal_grey), true);
  b.shade = 1;
  for (const float x : {front - 0.95F, -front + 1.3F, -front + 2.5F})
    for (const float side : {-1.0F, 1.0F}) wheel(b, x, side * (w - 0.02F), 0.5F, 0.3F);
}

/// A point of the side as loft() has it: ring k at a place along the vehicle, on the left.
V3 side_point(const Section* sections, int n, V3 size, float x, int k) {
  const float share = 0.5F - x / size.x;
  int i = 0;
  while (i + 2 < n && sections[i + 1].x < share) ++i;
  const Section &a = sections[i], &c = sections[i + 1];
  const float u = clamp01((share - a.x) / std::max(c.x - a.x, 1e-4F));
  const auto between = [&](float Section::*m) { return mix(a.*m, c.*m, u); };
  const float w = size.y / 2, h = size.z, wide = between(&Section::wide);
  const float low = between(&Section::low) * h, belt = between(&Section::belt) * h;
  const float top = std::max(between(&Section::roof) * h - belt, 0.0F);
  if (k == 1) return {x, wide * 0.985F * w, mix(low, belt, 0.22F)};
  if (k == 2) return {x, wide * w, mix(low, belt, 0.62F)};
  if (k == 3) return {x, wide * 0.985F * w, belt};
  return {x, mix(wide, between(&Section::narrow), 0.88F) * w * 0.99F, belt + 0.82F * top};
}

}  // namespace

void build_door(Builder& b, PropKind kind, V3 size, bool right, std::uint16_t paint,
                std::uint64_t seed, std::vector<Hinge>& hinges) {
  Dice dice{seed};  // as car_or_van() draws its make
  const Section* sections = kVan.data();
  int n = i32(kVan.size());
  if (kind == PropKind::car) {
    const auto& car = dice.chance(0.55F) ? kHatchback : kSaloon;
    sections = car.data();
    n = i32(car.size());
  }
  const DoorShape door = door_of(kind, {size.x, size.y, size.z});
  const float x0 = f32(door.hinge.x), x1 = x0 - f32(door.length), side = right ? -1.0F : 1.0F;
  constexpr int kColumns = 6;
  Geometry made;
  // A sheet of the door at a distance from the body: outwards positive.
  const auto sheet = [&](float off, bool outer, bool dark) {
    const auto first = static_cast<std::uint32_t>(made.corners.size());
    for (int i = 0; i <= kColumns; ++i)
      for (int k = 1; k <= 4; ++k) {
        const float x = mix(x0, x1, f32(i) / kColumns);
        V3 p = side_point(sections, n, size, x, k);
        const V3 m = unit(side_point(sections, n, size, x, std::min(k + 1, 4)) -
                          side_point(sections, n, size, x, std::max(k - 1, 1)));
        V3 normal = unit(V3{0, m.z, -m.y});
        p.y += off;
        if (!outer) normal = -1.0F * normal;
        made.corners.push_back({{p.x, side * p.y, p.z},
                                {normal.x, side * normal.y, normal.z},
                                p.x,
                                p.z,
                                dark ? 0.3F : 0.9F});
      }
    for (int i = 0; i < kColumns; ++i)
      for (int k = 0; k < 3; ++k) {
        const auto c = [&](int di, int dk) {
          return first + static_cast<std::uint32_t>((i + di) * 4 + k + dk);
        };
        const std::uint16_t m = dark     ? id_of(Base::under)
                                : k == 2 ? id_of(Base::car_glass)
                                : outer  ? paint
                                         : id_of(Base::black_plastic);
        const bool turn = (side > 0) != outer;
        const auto face = [&](std::uint32_t p, std::uint32_t q, std::uint32_t r) {
          made.faces.push_back({turn ? std::array{p, r, q} : std::array{p, q, r}, m, 0});
        };
        face(c(0, 0), c(1, 0), c(1, 1));
        face(c(0, 0), c(1, 1), c(0, 1));
      }
    return first;
  };
  const auto behind = sheet(0.003F, true, true);
  const auto first = sheet(0.008F, true, false);
  const auto inner = sheet(-0.05F, false, false);
  // Its edges.
  const auto edge = [&](int i, int k, int j, int l) {
    const auto at_grid = [&](std::uint32_t from, int a, int c) {
      return made.corners[from + static_cast<std::uint32_t>(a * 4 + c)].p;
    };
    Builder own{made};
    own.two_sided = true;
    own.quad(at_grid(first, i, k), at_grid(first, j, l), at_grid(inner, j, l), at_grid(inner, i, k),
             paint);
  };
  for (int i = 0; i < kColumns; ++i) {
    edge(i, 0, i + 1, 0);
    edge(i, 3, i + 1, 3);
  }
  for (int k = 0; k < 3; ++k) {
    edge(0, k, 0, k + 1);
    edge(kColumns, k, kColumns, k + 1);
  }
  const auto last = static_cast<std::uint32_t>(made.corners.size());
  const auto offset = b.corners();
  hinges.push_back({offset + behind, offset + first, {}, {0, side, 0}, Hinge::Drive::doorway});
  hinges.push_back({offset + first,
                    offset + last,
                    {x0, side * f32(door.hinge.y), 0},
                    {0, 0, 1},
                    Hinge::Drive::door,
                    side});
  b.add(made, {});
}

void build_vehicle(Builder& b, const VehicleStyle& style) {
  if (style.kind == PropKind::truck)
    truck(b, style);
  else
    car_or_van(b, style);
  b.shade = 1;
}

}  // namespace kerb::sim
