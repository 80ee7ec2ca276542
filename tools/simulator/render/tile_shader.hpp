// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstring>

#include "tools/simulator/render/light_lanes.hpp"
#include "tools/simulator/render/shade.hpp"
#include "tools/simulator/render/texture_lanes.hpp"

namespace kerb::sim {
namespace {

constexpr int kMostNear = 48;  // lamps or occluders that reach into a tile

/// exp(-x) for x >= 0, to about 0.1 %: (1 - x/8 ...)^8 by a rational form.
KERB_LANE FN fading_of(FN x) {
  const FN q = 1.0F + x * (1.0F / 8) + x * x * (1.0F / 128);
  const FN q2 = q * q, q4 = q2 * q2;
  return 1.0F / (q4 * q4);
}

/// One tile at work: what of lamps and occluders matters here, and the shading of a point.
class TileShader {
 public:
  TileShader(const Shading& s, int tile)
      : s_{s},
        left_{tile % s.raster->tiles_x() * kTile},
        top_{tile / s.raster->tiles_x() * kTile},
        f_{f32(1 / s.canvas->focal)},
        cx_{f32(s.canvas->centre_x)},
        cy_{f32(s.canvas->centre_y)},
        eye_{to_v3(s.pose.at)},
        right_{to_v3(s.pose.axes[0])},
        down_{to_v3(s.pose.axes[1])},
        ahead_{to_v3(s.pose.axes[2])} {
    for (const Occluder& o : *s.occluders)
      if (occluders_ < kMostNear &&
          reaches(o.at, o.radius > 0 ? 6 * o.radius : o.half_length + 1.6F))
        occluder_[at(occluders_++)] = &o;
    for (const Lamp& l : *s.lamps)
      if (lamps_ < kMostNear && reaches(l.at, l.range)) lamp_[at(lamps_++)] = &l;
  }

  struct Answer {
    V3 albedo, light, extra;
    float through = 1;  // of the haze
    float celsius = 0;
    const Material* material = nullptr;
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
  void points(const Place* const* places, int count, Shaded* const* out, Answer* const* answers) {
    const ScreenTriangle& first = *places[0]->triangle;
    const Material& m = (*s_.materials)[first.material];
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
      c.put(0, first, *s_.items);
      c.spread();
    } else {
      for (int k = 0; k < kLanes; ++k) c.put(k, *places[k < count ? k : 0]->triangle, *s_.items);
    }
    const FN x = lanes_of(xs), y = lanes_of(ys);
    const FN dx = x - c[kX0] * (1.0F / kSubpixel), dy = y - c[kY0] * (1.0F / kSubpixel);
    const FN w = c[kW] + c[kWx] * dx + c[kWy] * dy, z = 1.0F / w;
    const FN b1 = (c[kB1] + c[kB1x] * dx + c[kB1y] * dy) * z;
    const FN b2 = (c[kB2] + c[kB2x] * dx + c[kB2y] * dy) * z;
    const V3N ray = each(ahead_) + ((x - cx_) * f_) * right_ + ((y - cy_) * f_) * down_;
    const FN stretch = root_of(dot(ray, ray)), far = z * stretch;
    const V3N from_eye = z * ray, point = each(eye_) + from_eye;
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
    const int log2_side = m.texture->log2_side();
    if (log2_side > 0) {
      const float texels = 0.8F * f_ * m.per_metre / m.unit_m * f32(1 << log2_side);
      // Half way between the footprint's two widths: 1 / sqrt(cosine), roughly.
      const FN cosine = greater(size_of(dot(n, view)), each(0.04F));
      const FN slant = cosine > each(0.5F) ? 1.7F - 0.7F * cosine : 0.55F + 0.4F / cosine;
      texture = sample(*m.texture, u * m.per_metre, v * m.per_metre,
                       lesser(slant, each(3.0F)) * z * texels);
      albedo = albedo * texture;
    }
    if (m.stains_per_metre > 0) {
      const IN near = z < each(90.0F);
      if (bits_of(near) != 0)
        albedo =
            choose(near, stain(*s_.stains, u * m.stains_per_metre, v * m.stains_per_metre) * albedo,
                   albedo);
    }
    if (occluders_ > 0) open *= occlusion_of(point, n);
    const Light& light = *s_.light;
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
        cosine = 0.25F + 0.5F * cosine + (cosine < zero ? -0.6F * cosine : zero);
      if (m.stuff == Stuff::skin) cosine = (cosine + 0.15F) / 1.15F;
      sun = greater(cosine, zero);
      const IN sunny = sun > zero;
      unsigned lanes = bits_of(sunny);
      if (s_.shadows != nullptr)
        for (; lanes != 0; lanes &= lanes - 1) {
          const int k = std::countr_zero(lanes);
          sun[k] *= s_.shadows->sunlight({point.x[k], point.y[k], point.z[k]},
                                         {n.x[k], n.y[k], n.z[k]}, far[k] < Shadows::kNearReach);
        }
      lit = choose(sunny, lit + sun * light.sun, lit);
    }
    for (int i = 0; i < lamps_; ++i) {
      const Lamp& lamp = *lamp_[at(i)];
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
    if (s_.wet > 0 && gets_wet(first.material)) {
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

  /// Four pixels side by side of one flat triangle by daylight: most of a street. False: of another
  /// kind, to be shaded one by one.
  struct Four {
    F4 r, g, b;
    F4 x, y, z;  // from the eye
    F4 w;
  };
  bool four(const ScreenTriangle& t, float x, float y, Four& out) {
    if (&t != now_.triangle) begin(t);
    const Material& m = *now_.material;
    if (!now_.flat || lamps_ > 0 || now_.glows) return false;
    if (s_.wet > 0 && gets_wet(t.material)) return false;
    const F4 xs = all(x) + F4{0, 1, 2, 3};
    const F4 dx = xs - all(f32(t.x[0]) * (1.0F / kSubpixel));
    const float dy = y - f32(t.y[0]) * (1.0F / kSubpixel);
    const F4 w = all(t.w + t.wy * dy) + all(t.wx) * dx, z = all(1.0F) / w;
    const F4 b1 = (all(t.b1 + t.b1y * dy) + all(t.b1x) * dx) * z;
    const F4 b2 = (all(t.b2 + t.b2y * dy) + all(t.b2x) * dx) * z;
    const V3 row = ahead_ + ((y - cy_) * f_) * down_;
    const F4 side = (xs - all(cx_)) * all(f_);
    const F4 rx = all(row.x) + side * all(right_.x), ry = all(row.y) + side * all(right_.y);
    const F4 rz = all(row.z) + side * all(right_.z);
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
    open = open < all(0.0F) ? all(0.0F) : open;
    open = open > all(1.0F) ? all(1.0F) : open;
    F4 r = all(m.rgb.x), g = all(m.rgb.y), b = all(m.rgb.z);
    if (now_.texels > 0) {
      F4 cosine = (rx * all(n.x) + ry * all(n.y) + rz * all(n.z)) / stretch;
      cosine = cosine < all(0.0F) ? -cosine : cosine;
      cosine = cosine < all(0.04F) ? all(0.04F) : cosine;
      const F4 steep = all(1.7F) - all(0.7F) * cosine, flat = all(0.55F) + all(0.4F) / cosine;
      F4 slant = cosine > all(0.5F) ? steep : flat;
      slant = least(slant, all(3.0F)) * z * all(now_.texels);
      tint(*m.texture, u * all(m.per_metre), v * all(m.per_metre), slant[1], r, g, b);
    }
    if (m.stains_per_metre > 0 && w[0] > 1.0F / 90) {
      const F4 stain =
          s_.stains->at_places(u * all(m.stains_per_metre), v * all(m.stains_per_metre));
      r *= stain;
      g *= stain;
      b *= stain;
    }
    const Light& light = *s_.light;
    const F4 px = all(eye_.x) + out.x, py = all(eye_.y) + out.y, pz = all(eye_.z) + out.z;
    if (occluders_ > 0) open *= occlusion(px, py, pz, n);
    const F4 back = all(0.4F) + all(0.6F) * open;
    F4 lr = open * all(now_.sky.x) + back * all(now_.ground.x);
    F4 lg = open * all(now_.sky.y) + back * all(now_.ground.y);
    F4 lb = open * all(now_.sky.z) + back * all(now_.ground.z);
    F4 sun = all(now_.sun);
    if (now_.sun > 0) {
      if (s_.shadows != nullptr)
        for (int k = 0; k < 4; ++k)
          sun[k] *= s_.shadows->sunlight({px[k], py[k], pz[k]}, n, far[k] < Shadows::kNearReach);
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
      for (int k = 0; k < 4; ++k) through[k] = std::exp(-h[k]);
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
    return true;
  }

  [[nodiscard]] V3 ray(float x, float y) const {
    return ahead_ + ((x - cx_) * f_) * right_ + ((y - cy_) * f_) * down_;
  }
  [[nodiscard]] V3N rays(FN x, float y) const {
    return each(ahead_) + ((x - cx_) * f_) * right_ + each(((y - cy_) * f_) * down_);
  }

 private:
  /// What stays the same over a triangle.
  void begin(const ScreenTriangle& t) {
    const Item& item = (*s_.items)[t.item];
    const Corner& a = item.geometry->corners[t.corner[0]];
    const Corner& b = item.geometry->corners[t.corner[1]];
    const Corner& c = item.geometry->corners[t.corner[2]];
    const Material& m = (*s_.materials)[t.material];
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
    const int side = m.texture->log2_side();
    now_.texels = side > 0 ? 0.8F * f_ * m.per_metre / m.unit_m * f32(1 << side) : 0.0F;
    if (now_.flat) facing((t.back && m.stuff != Stuff::foliage ? -1.0F : 1.0F) * a.n);
  }

  [[nodiscard]] bool glows(const Material& m) const {
    return (s_.light->lamps || !m.lit) && m.glow.x + m.glow.y > 0;
  }
  [[nodiscard]] V3 ground_light() const {
    const Light& light = *s_.light;
    return light.sun_shines ? light.sky + (0.5F * light.to_sun.z) * light.sun : light.sky;
  }

  /// The light on what looks this way: the sky's from above and from the street's open ends, back
  /// from the ground, and the sun's cosine.
  void facing(V3 n) {
    const Light& light = *s_.light;
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

  [[nodiscard]] bool reaches(V3 p, float r) const {
    const V3 d = p - eye_;
    const float z = dot(ahead_, d);
    if (z < -r) return false;
    const auto beyond = [&](float along, float edge) {
      return (along - edge * z) / std::sqrt(1 + edge * edge) > r;
    };
    const float x = dot(right_, d), y = dot(down_, d);
    return !beyond(x, (f32(left_ + kTile) - cx_) * f_) && !beyond(-x, -(f32(left_) - cx_) * f_) &&
           !beyond(y, (f32(top_ + kTile) - cy_) * f_) && !beyond(-y, -(f32(top_) - cy_) * f_);
  }

  /// How much of the sky's light things nearby leave.
  [[nodiscard]] FN occlusion_of(const V3N& point, const V3N& n) const {
    FN open = each(1.0F);
    const FN zero = each(0.0F);
    for (int i = 0; i < occluders_; ++i) {
      const Occluder& o = *occluder_[at(i)];
      const V3N d = each(o.at) - point;
      if (o.radius > 0) {
        const FN q = dot(d, d);
        const float r2 = o.radius * o.radius;
        const FN c = dot(n, d);
        // Not from inside: its own skin.
        const IN counts = (q <= each(36 * r2)) & (q >= each(1.2F * r2)) & (c > zero);
        if (bits_of(counts) == 0) continue;
        const FN hidden = lesser(each(0.8F), r2 * c / (q * root_of(q)));
        open = counts ? open * (1.0F - hidden) : open;
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
        open = counts ? open * (out > zero ? beside : under) : open;
      }
    }
    return open;
  }

  /// The same for four points of one plane, in another order of operations.
  [[nodiscard]] F4 occlusion(F4 px, F4 py, F4 pz, V3 n) const {
    F4 open = all(1.0F);
    for (int i = 0; i < occluders_; ++i) {
      const Occluder& o = *occluder_[at(i)];
      const F4 dx = all(o.at.x) - px, dy = all(o.at.y) - py, dz = all(o.at.z) - pz;
      if (o.radius > 0) {
        const F4 q = dx * dx + dy * dy + dz * dz;
        const float r2 = o.radius * o.radius;
        const F4 c = dx * all(n.x) + dy * all(n.y) + dz * all(n.z);
        const I4 counts = (q <= all(36 * r2)) & (q >= all(1.2F * r2)) & (c > all(0.0F));
        if (!any(counts)) continue;
        const F4 hidden = least(all(0.8F), all(r2) * c / (q * root(q)));
        open = counts ? open * (all(1.0F) - hidden) : open;
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
  [[nodiscard]] static float beside_car(float x, float y, float out) {
    if (out > 1.6F) return 1;
    if (out > 0) return 1 - 0.62F / (1 + 9 * out * out) * smooth(1.6F, 0.6F, out);
    return 0.08F + 0.30F * smooth(0.45F, 0.0F, std::min(-x, -y));
  }

  [[nodiscard]] V3 mirror(const Material& m, V3 n, V3 view, float sun, float open) const {
    const float c = std::max(dot(n, view), 0.0F);
    const float k = 1 - c, k2 = k * k;
    const float strong = m.gloss == Gloss::glass ? 0.07F : m.gloss == Gloss::paint ? 0.05F : 0.025F;
    const float share =
        strong + (1 - strong) * k2 * k2 * k * (m.gloss == Gloss::satin ? 0.25F : 0.9F);
    const V3 r = (2 * c) * n - view;
    V3 env = r.z > -0.04F ? s_.sky->mirrored(r) : V3{0, 0, 0};
    if (r.z <= 0.06F) {  // the ground
      const Light& light = *s_.light;
      const V3 ground =
          0.11F * (light.sky + (light.sun_shines ? light.to_sun.z : 0.0F) * light.sun);
      env = mix(ground, env, smooth(-0.04F, 0.06F, r.z));
    }
    V3 out = (share * open) * env;
    if (sun > 0 && m.gloss != Gloss::glass) {
      float h = std::max(dot(r, s_.light->to_sun), 0.0F);
      h = h * h;
      h = h * h;
      h = h * h;  // ^8
      const float tight = h * h * h * h;
      out = out + (m.gloss == Gloss::paint ? 1.5F * share * tight * tight * tight + 0.03F * h
                                           : 0.05F * h) *
                      s_.light->sun;
    }
    return out;
  }

  /// The same for lanes.
  [[nodiscard]] V3N mirrors(const Material& m, const V3N& n, const V3N& view, FN sun,
                            FN open) const {
    const FN zero = each(0.0F);
    const FN c = greater(dot(n, view), zero);
    const FN k = 1.0F - c, k2 = k * k;
    const float strong = m.gloss == Gloss::glass ? 0.07F : m.gloss == Gloss::paint ? 0.05F : 0.025F;
    const FN share = strong + (1 - strong) * k2 * k2 * k * (m.gloss == Gloss::satin ? 0.25F : 0.9F);
    const V3N r = (2.0F * c) * n - view;
    const Light& light = *s_.light;
    const IN high = r.z > each(-0.04F), low = r.z <= each(0.06F);
    V3N env = each(V3{0, 0, 0});
    if (bits_of(high) != 0) env = choose(high, look(s_.sky->mirror_dome(), r), env);
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
  void water(const V3N& point, const V3N& view, FN sun, IN level, V3N& albedo, V3N& extra,
             FN& mirror, FN& slope) const {
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
    for (int i = 0; i < lamps_; ++i) {
      const FromLamp from = from_lamp(*lamp_[at(i)], point);
      const IN shines = level & from.reached & (from.to.z > zero);
      if (bits_of(shines) == 0) continue;
      const V3N e = lamp_light(*lamp_[at(i)], from);
      extra = choose(shines, extra + (film * lobe(from.to)) * e, extra);
    }
    const IN sunny = level & (sun > zero);
    if (bits_of(sunny) != 0) {
      const FN shown = sun / std::max(s_.light->to_sun.z, 0.02F);  // how much of it is not hidden
      extra = choose(sunny, extra + (film * shown * lobe(each(s_.light->to_sun))) * s_.light->sun,
                     extra);
    }
    const FN k = 1.0F - nv, k2 = k * k;
    const FN share = s_.wet * mix(each(0.45F), each(0.95F), puddle) * (0.02F + 0.98F * k2 * k2 * k);
    mirror = level ? share : mirror;
    slope = level ? mix(each(0.07F), each(0.006F), puddle) : slope;
  }

  // What a lane needs of its triangle: planes, then of each corner its normal, u, v and shade.
  enum Field : int { kX0, kY0, kSide, kW, kWx, kWy, kB1, kB1x, kB1y, kB2, kB2x, kB2y, kNx };
  static constexpr int kU = kNx + 3, kCorner = 6, kFields = kNx + 3 * kCorner;
  struct Corners {
    alignas(32) float field[kFields][kLanes];
    void put(int k, const ScreenTriangle& t, const std::vector<Item>& items) {
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
      const Corner* corners = items.data()[t.item].geometry->corners.data();
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
    void spread() {
      for (auto& f : field) {
        const FN v = each(f[0]);
        std::memcpy(f, &v, sizeof v);
      }
    }
    FN operator[](int i) const { return lanes_of(field[i]); }
  };
  static FN lanes_of(const float* from) {
    FN v;
    std::memcpy(&v, from, sizeof v);
    return v;
  }

  struct Current {
    const ScreenTriangle* triangle = nullptr;
    const Material* material = nullptr;
    float u = 0, u1 = 0, u2 = 0, v = 0, v1 = 0, v2 = 0, shade = 0, shade1 = 0, shade2 = 0;
    float texels = 0;  // of the texture's finest level for each metre of depth
    bool flat = false, glows = false;
    V3 normal, sky, ground;
    float sun = 0;
  };

  const Shading& s_;
  Current now_;
  int left_, top_;
  float f_, cx_, cy_;
  V3 eye_, right_, down_, ahead_;
  int occluders_ = 0, lamps_ = 0;
  std::array<const Occluder*, kMostNear> occluder_{};
  std::array<const Lamp*, kMostNear> lamp_{};
};

}  // namespace
}  // namespace kerb::sim
