// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstring>

#include "tools/simulator/render/light_lanes.hpp"
#include "tools/simulator/render/pixel_view.hpp"
#include "tools/simulator/render/shadow_lanes.hpp"
#include "tools/simulator/render/texture_lanes.hpp"

namespace kerb::sim {
namespace {

/// exp(-x) for x >= 0, to about 0.1 %: (1 - x/8 ...)^8 by a rational form.
KERB_LANE FN fading_of(FN x) {
  const FN q = 1.0F + x * (1.0F / 8) + x * x * (1.0F / 128);
  const FN q2 = q * q, q4 = q2 * q2;
  return 1.0F / (q4 * q4);
}

KERB_LANE bool reaches_tile(const DrawView& s, int left, int top, V3 p, float r) {
  const V3 d = p - s.eye;
  const float z = dot(s.ahead, d);
  if (z < -r) return false;
  const auto beyond = [&](float along, float edge) {
    return (along - edge * z) / std::sqrt(1 + edge * edge) > r;
  };
  const float x = dot(s.right, d), y = dot(s.down, d);
  return !beyond(x, (f32(left + kTile) - s.cx) * s.f) && !beyond(-x, -(f32(left) - s.cx) * s.f) &&
         !beyond(y, (f32(top + kTile) - s.cy) * s.f) && !beyond(-y, -(f32(top) - s.cy) * s.f);
}
/// Finds them.
KERB_INNER inline void find_near(const DrawView& s, int tile, NearList& out) {
  const int left = tile % s.tiles_x * kTile, top = tile / s.tiles_x * kTile;
  out.occluders = out.lamps = 0;
  for (int i = 0; i < s.occluders.count && out.occluders < kMostNear; ++i) {
    const Occluder& o = s.occluders.data[i];
    if (reaches_tile(s, left, top, o.at, o.radius > 0 ? 6 * o.radius : o.half_length + 1.6F))
      out.occluder.data()[out.occluders++] = static_cast<std::uint16_t>(i);
  }
  for (int i = 0; i < s.lamps.count && out.lamps < kMostNear; ++i)
    if (reaches_tile(s, left, top, s.lamps.data[i].at, s.lamps.data[i].range))
      out.lamp.data()[out.lamps++] = static_cast<std::uint16_t>(i);
}

/// One tile at work: the shading of a point.
class TileShader {
 public:
  KERB_INNER TileShader(const DrawView& s, const NearList& near) : s_{s}, near_{near} {}

  struct Answer {
    V3 albedo, light, extra;
    float through = 1;  // of the haze
    float celsius = 0;
    const SurfaceView* material = nullptr;
  };
  /// A place of a triangle to be shaded, and what came out.
  struct Place {
    const ScreenTriangle* triangle;
    float x, y;
  };
  struct Shaded {
    F4 rgb;
    V3 point;             // from the eye
    float mirror, slope;  // of wet ground
  };

  /// Up to kLanes places of one material. `answers`: null for cameras of three colours.
  KERB_INNER void points(const Place* const* places, int count, Shaded* const* out,
                         Answer* const* answers) {
    const ScreenTriangle& first = *places[0]->triangle;
    const SurfaceView& m = s_.materials[first.material];
    Corners c;
    alignas(32) float xs[kLanes], ys[kLanes];
    bool one = true;
    for (int k = 0; k < kLanes; ++k) {
      const Place& p = *places[k < count ? k : 0];
      xs[k] = p.x;
      ys[k] = p.y;
      one = one && p.triangle == &first;
    }
    if (one) {
      c.put(0, first, s_.items);
      c.spread();
    } else {
      for (int k = 0; k < kLanes; ++k) c.put(k, *places[k < count ? k : 0]->triangle, s_.items);
    }
    const FN x = lanes_of(xs), y = lanes_of(ys);
    const FN dx = x - c[kX0] * (1.0F / kSubpixel), dy = y - c[kY0] * (1.0F / kSubpixel);
    const FN w = c[kW] + c[kWx] * dx + c[kWy] * dy, z = 1.0F / w;
    const FN b1 = (c[kB1] + c[kB1x] * dx + c[kB1y] * dy) * z;
    const FN b2 = (c[kB2] + c[kB2x] * dx + c[kB2y] * dy) * z;
    const V3N ray =
        each(s_.ahead) + ((x - s_.cx) * s_.f) * s_.right + ((y - s_.cy) * s_.f) * s_.down;
    const FN stretch = root_of(dot(ray, ray)), far = z * stretch;
    const V3N from_eye = z * ray, point = each(s_.eye) + from_eye;
    const V3N view = (-1.0F / stretch) * ray;
    const auto between = [&](int a) {
      return c[a] + b1 * (c[a + kCorner] - c[a]) + b2 * (c[a + 2 * kCorner] - c[a]);
    };
    // The normal: one where the triangle is flat.
    const V3N n0{c[kNx], c[kNx + 1], c[kNx + 2]};
    const V3N n1 = V3N{c[kNx + kCorner], c[kNx + 1 + kCorner], c[kNx + 2 + kCorner]} - n0;
    const V3N n2 =
        V3N{c[kNx + 2 * kCorner], c[kNx + 1 + 2 * kCorner], c[kNx + 2 + 2 * kCorner]} - n0;
    const IN flat = dot(n1, n1) + dot(n2, n2) < each(1e-10F);
    const FN side = m.stuff != Stuff::foliage ? c[kSide] : each(1.0F);
    const V3N round = n0 + b1 * n1 + b2 * n2;
    const V3N n =
        choose(flat, side * n0, (side / root_of(greater(dot(round, round), each(1e-12F)))) * round);
    const FN u = between(kU), v = between(kU + 1);
    FN open = clamp01(between(kU + 2));
    V3N albedo = each(m.rgb), texture = each(V3{1, 1, 1});
    const int log2_side = m.texture.log2_side;
    if (log2_side > 0) {
      const float texels = 0.8F * s_.f * m.per_metre / m.unit_m * f32(1 << log2_side);
      // Half way between the footprint's two widths: 1 / sqrt(cosine), roughly.
      const FN cosine = greater(size_of(dot(n, view)), each(0.04F));
      const FN slant = select(cosine > each(0.5F), 1.7F - 0.7F * cosine, 0.55F + 0.4F / cosine);
      texture = sample(m.texture, u * m.per_metre, v * m.per_metre,
                       lesser(slant, each(3.0F)) * z * texels);
      albedo = albedo * texture;
    }
    if (m.stains_per_metre > 0) {
      const IN near = z < each(90.0F);
      if (bits_of(near) != 0)
        albedo =
            choose(near, stain(s_.stains, u * m.stains_per_metre, v * m.stains_per_metre) * albedo,
                   albedo);
    }
    if (near_.occluders > 0) open *= occlusion_of(point, n);
    const Light& light = s_.light;
    // The light on what looks this way, as in facing().
    const FN up = 0.5F + 0.5F * n.z, along = size_of(dot(n, s_.street));
    const V3N sky =
        (up * up * (0.35F + 0.65F * up)) * light.sky + (along * (1.0F - size_of(n.z))) * light.side;
    const V3N ground = (light.bounce * (1.0F - up)) * ground_light();
    V3N lit = open * sky + (0.4F + 0.6F * open) * ground;
    FN sun = each(0.0F);
    if (light.sun_shines) {
      FN cosine = dot(n, light.to_sun);
      const FN zero = each(0.0F);
      if (m.stuff == Stuff::foliage)
        cosine = 0.25F + 0.5F * cosine + select(cosine < zero, -0.6F * cosine, zero);
      if (m.stuff == Stuff::skin) cosine = (cosine + 0.15F) / 1.15F;
      sun = greater(cosine, zero);
      const IN sunny = sun > zero;
      unsigned lanes = bits_of(sunny);
      if (s_.shadowed)
        for (; lanes != 0; lanes &= lanes - 1) {
          const int k = first_lane_of(lanes);
          sun[k] *= sunlight(s_.shadows, {point.x[k], point.y[k], point.z[k]},
                             {n.x[k], n.y[k], n.z[k]}, far[k] < kShadowNear_m);
        }
      lit = choose(sunny, lit + sun * light.sun, lit);
    }
    for (int i = 0; i < near_.lamps; ++i) {
      const Lamp& lamp = near_lamp(i);
      const FromLamp from = from_lamp(lamp, point);
      const FN cosine = dot(n, from.to);
      const IN faces = from.reached & (cosine > each(0.0F));
      if (bits_of(faces) == 0) continue;
      lit = choose(faces, lit + cosine * lamp_light(lamp, from), lit);
    }
    V3N extra = each(V3{0, 0, 0});
    if (glows(m)) extra = each(m.glow) * texture;
    if (m.gloss != Gloss::matt) extra = extra + mirrors(m, n, view, sun, open);
    FN mirror = each(0.0F), slope = each(0.0F);
    if (s_.wet > 0 && m.wets) {
      const IN level = n.z > each(0.9F);
      if (bits_of(level) != 0) water(point, view, sun, level, albedo, extra, mirror, slope);
    }
    const FN through = light.fog ? exp_of(-far * light.haze) : fading_of(far * light.haze);
    if (answers == nullptr) {
      const V3N rgb = through * (albedo * lit + extra) + (1.0F - through) * light.horizon;
      for (int k = 0; k < count; ++k)
        *out[k] = {F4{rgb.x[k], rgb.y[k], rgb.z[k], 0},
                   {from_eye.x[k], from_eye.y[k], from_eye.z[k]},
                   mirror[k],
                   slope[k]};
      return;
    }
    const FN celsius =
        m.celsius + m.warming * sun + 2.5F * (texture.y - 1.0F) * (m.celsius > 25 ? 1.0F : 0.4F);
    for (int k = 0; k < count; ++k) {
      *out[k] = {F4{}, {from_eye.x[k], from_eye.y[k], from_eye.z[k]}, mirror[k], slope[k]};
      *answers[k] = {{albedo.x[k], albedo.y[k], albedo.z[k]},
                     {lit.x[k], lit.y[k], lit.z[k]},
                     {extra.x[k], extra.y[k], extra.z[k]},
                     through[k],
                     celsius[k],
                     &m};
    }
  }

  /// Whether it is a flat one by daylight that stands: most of a street. Others are shaded pixel by
  /// pixel.
  KERB_INNER bool plain(const ScreenTriangle& t) {
    if (s_.moves && s_.items[t.item].later != nullptr) return false;
    if (&t != now_.triangle) begin(t);
    if (!now_.flat || near_.lamps > 0 || now_.glows) return false;
    return !(s_.wet > 0 && now_.material->wets);
  }
  /// Four pixels side by side of such a triangle, right after plain() has said so.
  struct Four {
    F4 r, g, b;
    F4 x, y, z;  // from the eye
    F4 w;
  };
  KERB_INNER void four(const ScreenTriangle& t, float x, float y, Four& out) {
    const SurfaceView& m = *now_.material;
    const F4 xs = all(x) + F4{0, 1, 2, 3};
    const F4 dx = xs - all(f32(t.x[0]) * (1.0F / kSubpixel));
    const float dy = y - f32(t.y[0]) * (1.0F / kSubpixel);
    const F4 w = all(t.w + t.wy * dy) + all(t.wx) * dx, z = all(1.0F) / w;
    const F4 b1 = (all(t.b1 + t.b1y * dy) + all(t.b1x) * dx) * z;
    const F4 b2 = (all(t.b2 + t.b2y * dy) + all(t.b2x) * dx) * z;
    const V3 row = s_.ahead + ((y - s_.cy) * s_.f) * s_.down;
    const F4 side = (xs - all(s_.cx)) * all(s_.f);
    const F4 rx = all(row.x) + side * all(s_.right.x), ry = all(row.y) + side * all(s_.right.y);
    const F4 rz = all(row.z) + side * all(s_.right.z);
    const F4 stretch = root(rx * rx + ry * ry + rz * rz);
    out.w = w;
    out.x = z * rx;
    out.y = z * ry;
    out.z = z * rz;
    const F4 far = z * stretch;
    const V3 n = now_.normal;
    const F4 u = all(now_.u) + b1 * all(now_.u1) + b2 * all(now_.u2);
    const F4 v = all(now_.v) + b1 * all(now_.v1) + b2 * all(now_.v2);
    F4 open = all(now_.shade) + b1 * all(now_.shade1) + b2 * all(now_.shade2);
    open = pick(open < all(0.0F), all(0.0F), open);
    open = pick(open > all(1.0F), all(1.0F), open);
    F4 r = all(m.rgb.x), g = all(m.rgb.y), b = all(m.rgb.z);
    if (now_.texels > 0) {
      F4 cosine = (rx * all(n.x) + ry * all(n.y) + rz * all(n.z)) / stretch;
      cosine = pick(cosine < all(0.0F), -cosine, cosine);
      cosine = pick(cosine < all(0.04F), all(0.04F), cosine);
      const F4 steep = all(1.7F) - all(0.7F) * cosine, flat = all(0.55F) + all(0.4F) / cosine;
      F4 slant = pick(cosine > all(0.5F), steep, flat);
      slant = least(slant, all(3.0F)) * z * all(now_.texels);
      tint(m.texture, u * all(m.per_metre), v * all(m.per_metre), slant[1], r, g, b);
    }
    if (m.stains_per_metre > 0 && w[0] > 1.0F / 90) {
      const F4 stain =
          stain_four(s_.stains, u * all(m.stains_per_metre), v * all(m.stains_per_metre));
      r *= stain;
      g *= stain;
      b *= stain;
    }
    const Light& light = s_.light;
    const F4 px = all(s_.eye.x) + out.x, py = all(s_.eye.y) + out.y, pz = all(s_.eye.z) + out.z;
    if (near_.occluders > 0) open *= occlusion(px, py, pz, n);
    const F4 back = all(0.4F) + all(0.6F) * open;
    F4 lr = open * all(now_.sky.x) + back * all(now_.ground.x);
    F4 lg = open * all(now_.sky.y) + back * all(now_.ground.y);
    F4 lb = open * all(now_.sky.z) + back * all(now_.ground.z);
    F4 sun = all(now_.sun);
    if (now_.sun > 0) {
      if (s_.shadowed)
        for (int k = 0; k < 4; ++k)
          sun[k] *= sunlight(s_.shadows, {px[k], py[k], pz[k]}, n, far[k] < kShadowNear_m);
      lr += sun * all(light.sun.x);
      lg += sun * all(light.sun.y);
      lb += sun * all(light.sun.z);
    }
    const F4 h = far * all(light.haze);
    F4 q = all(1.0F) + h * all(1.0F / 8) + h * h * all(1.0F / 128);
    q = q * q;
    q = q * q;
    F4 through = all(1.0F) / (q * q);
    if (light.fog)
      for (int k = 0; k < 4; ++k) through[k] = exp_of_one(-h[k]);
    const F4 hidden = all(1.0F) - through;
    r *= lr;
    g *= lg;
    b *= lb;
    if (m.gloss != Gloss::matt) {
      const F4 back_along = all(-1.0F) / stretch;
      for (int k = 0; k < 4; ++k) {
        const float l = back_along[k];
        const V3 extra = mirror(m, n, {l * rx[k], l * ry[k], l * rz[k]}, sun[k], open[k]);
        r[k] += extra.x;
        g[k] += extra.y;
        b[k] += extra.z;
      }
    }
    out.r = through * r + hidden * all(light.horizon.x);
    out.g = through * g + hidden * all(light.horizon.y);
    out.b = through * b + hidden * all(light.horizon.z);
  }

  [[nodiscard]] KERB_INNER V3 ray(float x, float y) const {
    return s_.ahead + ((x - s_.cx) * s_.f) * s_.right + ((y - s_.cy) * s_.f) * s_.down;
  }
  [[nodiscard]] KERB_INNER V3N rays(FN x, float y) const {
    return each(s_.ahead) + ((x - s_.cx) * s_.f) * s_.right + each(((y - s_.cy) * s_.f) * s_.down);
  }

 private:
  /// What stays the same over a triangle.
  KERB_INNER void begin(const ScreenTriangle& t) {
    const ItemView& item = s_.items[t.item];
    const Corner& a = item.corners[t.corner[0]];
    const Corner& b = item.corners[t.corner[1]];
    const Corner& c = item.corners[t.corner[2]];
    const SurfaceView& m = s_.materials[t.material];
    now_.triangle = &t;
    now_.material = &m;
    const V3 n1 = b.n - a.n, n2 = c.n - a.n;
    now_.u = a.u;
    now_.u1 = b.u - a.u;
    now_.u2 = c.u - a.u;
    now_.v = a.v;
    now_.v1 = b.v - a.v;
    now_.v2 = c.v - a.v;
    now_.shade = a.shade;
    now_.shade1 = b.shade - a.shade;
    now_.shade2 = c.shade - a.shade;
    now_.flat = dot(n1, n1) + dot(n2, n2) < 1e-10F;
    now_.glows = glows(m);
    const int side = m.texture.log2_side;
    now_.texels = side > 0 ? 0.8F * s_.f * m.per_metre / m.unit_m * f32(1 << side) : 0.0F;
    if (now_.flat) facing((t.back && m.stuff != Stuff::foliage ? -1.0F : 1.0F) * a.n);
  }

  [[nodiscard]] KERB_INNER bool glows(const SurfaceView& m) const {
    return (s_.light.lamps || !m.lit) && m.glow.x + m.glow.y > 0;
  }
  [[nodiscard]] KERB_INNER V3 ground_light() const {
    const Light& light = s_.light;
    return light.sun_shines ? light.sky + (0.5F * light.to_sun.z) * light.sun : light.sky;
  }

  /// The light on what looks this way: the sky's from above and from the street's open ends, back
  /// from the ground, and the sun's cosine.
  KERB_INNER void facing(V3 n) {
    const Light& light = s_.light;
    now_.normal = n;
    const float up = 0.5F + 0.5F * n.z, along = std::abs(dot(n, s_.street));
    now_.sky =
        (up * up * (0.35F + 0.65F * up)) * light.sky + (along * (1 - std::abs(n.z))) * light.side;
    now_.ground = (light.bounce * (1 - up)) * ground_light();
    now_.sun = 0;
    if (!light.sun_shines) return;
    const Stuff stuff = now_.material->stuff;
    float cosine = dot(n, light.to_sun);
    if (stuff == Stuff::foliage)
      cosine = 0.25F + 0.5F * cosine + (cosine < 0 ? -0.6F * cosine : 0.0F);
    if (stuff == Stuff::skin) cosine = (cosine + 0.15F) / 1.15F;
    now_.sun = std::max(cosine, 0.0F);
  }

  /// How much of the sky's light things nearby leave.
  [[nodiscard]] KERB_INNER FN occlusion_of(const V3N& point, const V3N& n) const {
    FN open = each(1.0F);
    const FN zero = each(0.0F);
    for (int i = 0; i < near_.occluders; ++i) {
      const Occluder& o = near_occluder(i);
      const V3N d = each(o.at) - point;
      if (o.radius > 0) {
        const FN q = dot(d, d);
        const float r2 = o.radius * o.radius;
        const FN c = dot(n, d);
        // Not from inside: its own skin.
        const IN counts = (q <= each(36 * r2)) & (q >= each(1.2F * r2)) & (c > zero);
        if (bits_of(counts) == 0) continue;
        const FN hidden = lesser(each(0.8F), r2 * c / (q * root_of(q)));
        open = select(counts, open * (1.0F - hidden), open);
      } else {
        const FN x = size_of(d.x * o.ahead_x + d.y * o.ahead_y) - o.half_length;
        const FN y = size_of(d.y * o.ahead_x - d.x * o.ahead_y) - o.half_width;
        const FN ox = greater(x, zero), oy = greater(y, zero);
        const FN out = root_of(ox * ox + oy * oy);
        const IN counts =
            (n.z > each(0.5F)) & (point.z < each(o.at.z + 0.35F)) & (out <= each(1.6F));
        if (bits_of(counts) == 0) continue;
        const FN beside = 1.0F - 0.62F / (1.0F + 9.0F * out * out) * smooth(1.6F, 0.6F, out);
        const FN under = 0.08F + 0.30F * smooth(0.45F, 0.0F, lesser(-x, -y));
        open = select(counts, open * select(out > zero, beside, under), open);
      }
    }
    return open;
  }

  /// The same for four points of one plane, in another order of operations.
  [[nodiscard]] KERB_INNER F4 occlusion(F4 px, F4 py, F4 pz, V3 n) const {
    F4 open = all(1.0F);
    for (int i = 0; i < near_.occluders; ++i) {
      const Occluder& o = near_occluder(i);
      const F4 dx = all(o.at.x) - px, dy = all(o.at.y) - py, dz = all(o.at.z) - pz;
      if (o.radius > 0) {
        const F4 q = dx * dx + dy * dy + dz * dz;
        const float r2 = o.radius * o.radius;
        const F4 c = dx * all(n.x) + dy * all(n.y) + dz * all(n.z);
        const I4 counts = (q <= all(36 * r2)) & (q >= all(1.2F * r2)) & (c > all(0.0F));
        if (!any(counts)) continue;
        const F4 hidden = least(all(0.8F), all(r2) * c / (q * root(q)));
        open = pick(counts, open * (all(1.0F) - hidden), open);
      } else if (n.z > 0.5F) {
        F4 x = dx * all(o.ahead_x) + dy * all(o.ahead_y);
        F4 y = dy * all(o.ahead_x) - dx * all(o.ahead_y);
        x = most(x, -x) - all(o.half_length);
        y = most(y, -y) - all(o.half_width);
        const I4 low = pz < all(o.at.z + 0.35F);
        if (!any(low & (x <= all(1.6F)) & (y <= all(1.6F)))) continue;
        for (int k = 0; k < 4; ++k) {
          if (low[k] == 0) continue;
          const float ox = std::max(x[k], 0.0F), oy = std::max(y[k], 0.0F);
          open[k] *= beside_car(x[k], y[k], std::sqrt(ox * ox + oy * oy));
        }
      }
    }
    return open;
  }

  /// How much light is left `out` from a car's outline; x and y: from its edges.
  [[nodiscard]] KERB_INNER static float beside_car(float x, float y, float out) {
    if (out > 1.6F) return 1;
    if (out > 0) return 1 - 0.62F / (1 + 9 * out * out) * smooth(1.6F, 0.6F, out);
    return 0.08F + 0.30F * smooth(0.45F, 0.0F, std::min(-x, -y));
  }

  [[nodiscard]] KERB_INNER V3 mirror(const SurfaceView& m, V3 n, V3 view, float sun,
                                     float open) const {
    const float c = std::max(dot(n, view), 0.0F);
    const float k = 1 - c, k2 = k * k;
    const float strong = m.gloss == Gloss::glass ? 0.07F : m.gloss == Gloss::paint ? 0.05F : 0.025F;
    const float share =
        strong + (1 - strong) * k2 * k2 * k * (m.gloss == Gloss::satin ? 0.25F : 0.9F);
    const V3 r = (2 * c) * n - view;
    V3 env = r.z > -0.04F ? look_at(s_.mirror, r) : V3{0, 0, 0};
    if (r.z <= 0.06F) {  // the ground
      const Light& light = s_.light;
      const V3 ground =
          0.11F * (light.sky + (light.sun_shines ? light.to_sun.z : 0.0F) * light.sun);
      env = mix(ground, env, smooth(-0.04F, 0.06F, r.z));
    }
    V3 out = (share * open) * env;
    if (sun > 0 && m.gloss != Gloss::glass) {
      float h = std::max(dot(r, s_.light.to_sun), 0.0F);
      h = h * h;
      h = h * h;
      h = h * h;  // ^8
      const float tight = h * h * h * h;
      out = out + (m.gloss == Gloss::paint ? 1.5F * share * tight * tight * tight + 0.03F * h
                                           : 0.05F * h) *
                      s_.light.sun;
    }
    return out;
  }

  /// The same for lanes.
  [[nodiscard]] KERB_INNER V3N mirrors(const SurfaceView& m, const V3N& n, const V3N& view, FN sun,
                                       FN open) const {
    const FN zero = each(0.0F);
    const FN c = greater(dot(n, view), zero);
    const FN k = 1.0F - c, k2 = k * k;
    const float strong = m.gloss == Gloss::glass ? 0.07F : m.gloss == Gloss::paint ? 0.05F : 0.025F;
    const FN share = strong + (1 - strong) * k2 * k2 * k * (m.gloss == Gloss::satin ? 0.25F : 0.9F);
    const V3N r = (2.0F * c) * n - view;
    const Light& light = s_.light;
    const IN high = r.z > each(-0.04F), low = r.z <= each(0.06F);
    V3N env = each(V3{0, 0, 0});
    if (bits_of(high) != 0) env = choose(high, look(s_.mirror, r), env);
    if (bits_of(low) != 0) {  // the ground
      const V3 ground =
          0.11F * (light.sky + (light.sun_shines ? light.to_sun.z : 0.0F) * light.sun);
      const FN t = smooth(-0.04F, 0.06F, r.z);
      const V3N g = each(ground);
      env = choose(low, {mix(g.x, env.x, t), mix(g.y, env.y, t), mix(g.z, env.z, t)}, env);
    }
    V3N out = (share * open) * env;
    const IN sunny = sun > zero;
    if (bits_of(sunny) != 0 && m.gloss != Gloss::glass) {
      FN h = greater(dot(r, light.to_sun), zero);
      h = h * h;
      h = h * h;
      h = h * h;  // ^8
      const FN tight = h * h * h * h;
      const FN spot =
          m.gloss == Gloss::paint ? 1.5F * share * tight * tight * tight + 0.03F * h : 0.05F * h;
      out = choose(sunny, out + spot * light.sun, out);
    }
    return out;
  }

  /// Water on the ground: darker, for what is inside is lost by total reflection; lamps and the sun
  /// mirrored on a rough film (a GGX lobe), smoother in puddles. What else is mirrored is added
  /// when the picture is there: `mirror` is the share. Of the lanes of `level` alone.
  KERB_INNER void water(const V3N& point, const V3N& view, FN sun, IN level, V3N& albedo,
                        V3N& extra, FN& mirror, FN& slope) const {
    const FN zero = each(0.0F);
    const FN n = clouds(0.30F * point.x, 0.55F * point.y, 171, 4);
    const float edge = 0.95F - 0.28F * s_.wet;
    const FN puddle = smooth(edge, edge + 0.05F, n);
    albedo = choose(level, (1.0F - s_.wet * (0.45F + 0.2F * puddle)) * albedo, albedo);
    const FN alpha = mix(each(0.20F), each(0.04F), puddle), a2 = alpha * alpha;
    const FN nv = greater(view.z, each(0.02F));
    const auto lobe =
        [&](const V3N& to) {  // times pi: radiance here is that of white under the same light
          const V3N sum = view + to;
          const FN l = root_of(dot(sum, sum));
          const V3N half = choose(l > zero, (1.0F / l) * sum, each(V3{0, 0, 1}));
          const FN nh = half.z, vh = greater(dot(view, half), zero),
                   nl = greater(to.z, each(0.01F));
          const FN q = nh * nh * (a2 - 1.0F) + 1.0F;
          const FN k = 1.0F - vh, k2 = k * k, fresnel = 0.02F + 0.98F * k2 * k2 * k;
          const FN masked =
              (nl * root_of(nv * nv * (1.0F - a2) + a2) + nv * root_of(nl * nl * (1.0F - a2) + a2));
          return a2 / (q * q) * fresnel * nl / (2.0F * masked);
        };
    const FN film =
        s_.wet * mix(each(0.22F), each(0.95F), puddle);  // stones that stand out are dry
    for (int i = 0; i < near_.lamps; ++i) {
      const FromLamp from = from_lamp(near_lamp(i), point);
      const IN shines = level & from.reached & (from.to.z > zero);
      if (bits_of(shines) == 0) continue;
      const V3N e = lamp_light(near_lamp(i), from);
      extra = choose(shines, extra + (film * lobe(from.to)) * e, extra);
    }
    const IN sunny = level & (sun > zero);
    if (bits_of(sunny) != 0) {
      const FN shown = sun / std::max(s_.light.to_sun.z, 0.02F);  // how much of it is not hidden
      extra =
          choose(sunny, extra + (film * shown * lobe(each(s_.light.to_sun))) * s_.light.sun, extra);
    }
    const FN k = 1.0F - nv, k2 = k * k;
    const FN share = s_.wet * mix(each(0.45F), each(0.95F), puddle) * (0.02F + 0.98F * k2 * k2 * k);
    mirror = select(level, share, mirror);
    slope = select(level, mix(each(0.07F), each(0.006F), puddle), slope);
  }

  // What a lane needs of its triangle: planes, then of each corner its normal, u, v and shade.
  enum Field : int { kX0, kY0, kSide, kW, kWx, kWy, kB1, kB1x, kB1y, kB2, kB2x, kB2y, kNx };
  static constexpr int kU = kNx + 3, kCorner = 6, kFields = kNx + 3 * kCorner;
  struct Corners {
    alignas(32) float field[kFields][kLanes];
    KERB_INNER void put(int k, const ScreenTriangle& t, const ListView<ItemView>& items) {
      field[kX0][k] = f32(t.x[0]);
      field[kY0][k] = f32(t.y[0]);
      field[kSide][k] = t.back ? -1.0F : 1.0F;
      field[kW][k] = t.w;
      field[kWx][k] = t.wx;
      field[kWy][k] = t.wy;
      field[kB1][k] = t.b1;
      field[kB1x][k] = t.b1x;
      field[kB1y][k] = t.b1y;
      field[kB2][k] = t.b2;
      field[kB2x][k] = t.b2x;
      field[kB2y][k] = t.b2y;
      const Corner* corners = items[t.item].corners;
      for (int i = 0; i < 3; ++i) {
        const Corner& c = corners[t.corner[at(i)]];
        float(*to)[kLanes] = field + kNx + i * kCorner;
        to[0][k] = c.n.x;
        to[1][k] = c.n.y;
        to[2][k] = c.n.z;
        to[3][k] = c.u;
        to[4][k] = c.v;
        to[5][k] = c.shade;
      }
    }
    /// All lanes as the first.
    KERB_INNER void spread() {
      for (auto& f : field) {
        const FN v = each(f[0]);
        std::memcpy(f, &v, sizeof v);
      }
    }
    KERB_INNER FN operator[](int i) const { return lanes_of(field[i]); }
  };
  KERB_INNER static FN lanes_of(const float* from) {
    FN v;
    std::memcpy(&v, from, sizeof v);
    return v;
  }

  struct Current {
    const ScreenTriangle* triangle = nullptr;
    const SurfaceView* material = nullptr;
    float u = 0, u1 = 0, u2 = 0, v = 0, v1 = 0, v2 = 0, shade = 0, shade1 = 0, shade2 = 0;
    float texels = 0;  // of the texture's finest level for each metre of depth
    bool flat = false, glows = false;
    V3 normal, sky, ground;
    float sun = 0;
  };

  [[nodiscard]] KERB_INNER const Lamp& near_lamp(int i) const {
    return s_.lamps.data[near_.lamp.data()[i]];
  }
  [[nodiscard]] KERB_INNER const Occluder& near_occluder(int i) const {
    return s_.occluders.data[near_.occluder.data()[i]];
  }

  const DrawView& s_;
  const NearList& near_;
  Current now_;
};

}  // namespace
}  // namespace kerb::sim
