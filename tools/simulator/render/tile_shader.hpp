// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "tools/simulator/render/noise.hpp"
#include "tools/simulator/render/shade.hpp"

namespace kerb::sim {

inline constexpr int kMostNear = 48;  // lamps or occluders that reach into a tile

/// exp(-x) for x >= 0, to about 0.1 %: (1 - x/8 ...)^8 by a rational form.
inline float fading(float x) {
  const float q = 1 + x * (1.0F / 8) + x * x * (1.0F / 128);
  const float q2 = q * q, q4 = q2 * q2;
  return 1 / (q4 * q4);
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
    float mirror = 0, slope = 0;  // of wet ground
    const Material* material = nullptr;
    V3 point;
  };

  void at_triangle(const ScreenTriangle& t, float x, float y, Answer& out) {
    if (&t != now_.triangle) begin(t);
    const Hit hit = hit_at(t, x, y);
    const float z = 1 / hit.w;
    const V3 ray = ahead_ + ((x - cx_) * f_) * right_ + ((y - cy_) * f_) * down_;
    const float stretch = std::sqrt(dot(ray, ray)), far = z * stretch;
    const V3 from_eye = z * ray, point = eye_ + from_eye;
    const V3 view = (-1 / stretch) * ray;
    const Material& m = *now_.material;
    const float b1 = hit.b1, b2 = hit.b2;
    if (!now_.flat) {
      const V3 n = now_.n + b1 * now_.n1 + b2 * now_.n2;
      facing(((t.back && m.stuff != Stuff::foliage ? -1.0F : 1.0F) /
              std::sqrt(std::max(dot(n, n), 1e-12F))) *
             n);
    }
    const V3 n = now_.normal;
    const float u = now_.u + b1 * now_.u1 + b2 * now_.u2, v = now_.v + b1 * now_.v1 + b2 * now_.v2;
    float open = clamp01(now_.shade + b1 * now_.shade1 + b2 * now_.shade2);
    V3 albedo = m.rgb, texture{1, 1, 1};
    if (now_.texels > 0) {
      // Half way between the footprint's two widths: 1 / sqrt(cosine), roughly.
      const float cosine = std::max(std::abs(dot(n, view)), 0.04F);
      const float slant = cosine > 0.5F ? 1.7F - 0.7F * cosine : 0.55F + 0.4F / cosine;
      texture = m.texture->sample(u * m.per_metre, v * m.per_metre,
                                  std::min(slant, 3.0F) * z * now_.texels);
      albedo = albedo * texture;
    }
    if (m.stains_per_metre > 0 && z < 90)
      albedo = s_.stains->at_place(u * m.stains_per_metre, v * m.stains_per_metre) * albedo;
    if (occluders_ > 0) open *= occlusion(point, n);
    const Light& light = *s_.light;
    V3 lit = open * now_.sky + (0.4F + 0.6F * open) * now_.ground;
    float sun = now_.sun;
    if (sun > 0) {
      if (s_.shadows != nullptr) sun *= s_.shadows->sunlight(point, n, far < Shadows::kNearReach);
      lit = lit + sun * light.sun;
    }
    for (int i = 0; i < lamps_; ++i) {
      V3 to{};
      const V3 e = lamp_light(*lamp_[at(i)], point, to);
      const float cosine = dot(n, to);
      if (cosine > 0) lit = lit + cosine * e;
    }
    V3 extra = now_.glows ? m.glow * texture : V3{0, 0, 0};
    if (m.gloss != Gloss::matt) extra = extra + mirror(m, n, view, sun, open);
    out.mirror = out.slope = 0;
    if (s_.wet > 0 && gets_wet(t.material) && n.z > 0.9F)
      wet_ground(point, view, sun, albedo, extra, out);
    out.albedo = albedo;
    out.light = lit;
    out.extra = extra;
    out.through = light.fog ? std::exp(-far * light.haze) : fading(far * light.haze);
    out.celsius =
        m.celsius + m.warming * sun + 2.5F * (texture.y - 1) * (m.celsius > 25 ? 1.0F : 0.4F);
    out.material = &m;
    out.point = from_eye;
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
      m.texture->tint(u * all(m.per_metre), v * all(m.per_metre), slant[1], r, g, b);
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
    now_.n = a.n;
    now_.n1 = b.n - a.n;
    now_.n2 = c.n - a.n;
    now_.u = a.u;
    now_.u1 = b.u - a.u;
    now_.u2 = c.u - a.u;
    now_.v = a.v;
    now_.v1 = b.v - a.v;
    now_.v2 = c.v - a.v;
    now_.shade = a.shade;
    now_.shade1 = b.shade - a.shade;
    now_.shade2 = c.shade - a.shade;
    now_.flat = dot(now_.n1, now_.n1) + dot(now_.n2, now_.n2) < 1e-10F;
    now_.glows = (s_.light->lamps || !m.lit) && m.glow.x + m.glow.y > 0;
    const int side = m.texture->log2_side();
    now_.texels = side > 0 ? 0.8F * f_ * m.per_metre / m.unit_m * f32(1 << side) : 0.0F;
    if (now_.flat) facing((t.back && m.stuff != Stuff::foliage ? -1.0F : 1.0F) * a.n);
  }

  /// The light on what looks this way: the sky's from above and from the street's open ends, back
  /// from the ground, and the sun's cosine.
  void facing(V3 n) {
    const Light& light = *s_.light;
    now_.normal = n;
    const float up = 0.5F + 0.5F * n.z, along = std::abs(dot(n, s_.street));
    now_.sky =
        (up * up * (0.35F + 0.65F * up)) * light.sky + (along * (1 - std::abs(n.z))) * light.side;
    const V3 ground =
        light.sun_shines ? light.sky + (0.5F * light.to_sun.z) * light.sun : light.sky;
    now_.ground = (light.bounce * (1 - up)) * ground;
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

  [[nodiscard]] float occlusion(V3 point, V3 n) const {
    float open = 1;
    for (int i = 0; i < occluders_; ++i) {
      const Occluder& o = *occluder_[at(i)];
      const V3 d = o.at - point;
      if (o.radius > 0) {
        const float q = dot(d, d), r2 = o.radius * o.radius;
        if (q > 36 * r2) continue;
        if (q < 1.2F * r2) continue;  // inside: its own skin
        const float c = dot(n, d);
        if (c <= 0) continue;
        open *= 1 - std::min(0.8F, r2 * c / (q * std::sqrt(q)));
      } else if (n.z > 0.5F && point.z < o.at.z + 0.35F) {
        const float x = std::abs(d.x * o.ahead_x + d.y * o.ahead_y) - o.half_length;
        const float y = std::abs(d.y * o.ahead_x - d.x * o.ahead_y) - o.half_width;
        const float ox = std::max(x, 0.0F), oy = std::max(y, 0.0F);
        open *= beside_car(x, y, std::sqrt(ox * ox + oy * oy));
      }
    }
    return open;
  }

  /// The same for four points of one plane.
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

  /// Water on the ground: darker, for what is inside is lost by total reflection; lamps and the sun
  /// mirrored on a rough film (a GGX lobe), smoother in puddles. What else is mirrored is added
  /// when the picture is there: `out.mirror` is the share.
  void wet_ground(V3 point, V3 view, float sun, V3& albedo, V3& extra, Answer& out) const {
    const float n = cloud_noise(0.30F * point.x, 0.55F * point.y, 171, 4);
    const float edge = 0.95F - 0.28F * s_.wet;
    const float puddle = smooth(edge, edge + 0.05F, n);
    albedo = (1 - s_.wet * (0.45F + 0.2F * puddle)) * albedo;
    const float alpha = mix(0.20F, 0.04F, puddle), a2 = alpha * alpha;
    const float nv = std::max(view.z, 0.02F);
    const auto lobe = [&](V3 to) {  // times pi: radiance here is that of white under the same light
      const V3 half = unit(view + to);
      const float nh = half.z, vh = std::max(dot(view, half), 0.0F), nl = std::max(to.z, 0.01F);
      const float q = nh * nh * (a2 - 1) + 1;
      const float k = 1 - vh, k2 = k * k, fresnel = 0.02F + 0.98F * k2 * k2 * k;
      const float masked =
          (nl * std::sqrt(nv * nv * (1 - a2) + a2) + nv * std::sqrt(nl * nl * (1 - a2) + a2));
      return a2 / (q * q) * fresnel * nl / (2 * masked);
    };
    const float film = s_.wet * mix(0.22F, 0.95F, puddle);  // stones that stand out are dry
    for (int i = 0; i < lamps_; ++i) {
      V3 to{};
      const V3 e = lamp_light(*lamp_[at(i)], point, to);
      if (to.z > 0) extra = extra + (film * lobe(to)) * e;
    }
    if (sun > 0) {
      const float shown =
          sun / std::max(s_.light->to_sun.z, 0.02F);  // how much of it is not hidden
      extra = extra + (film * shown * lobe(s_.light->to_sun)) * s_.light->sun;
    }
    const float k = 1 - nv, k2 = k * k;
    out.mirror = s_.wet * mix(0.45F, 0.95F, puddle) * (0.02F + 0.98F * k2 * k2 * k);
    out.slope = mix(0.07F, 0.006F, puddle);
  }

  struct Current {
    const ScreenTriangle* triangle = nullptr;
    const Material* material = nullptr;
    V3 n, n1, n2;
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

}  // namespace kerb::sim
