// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/render/shade.hpp"

#include <array>

#include "tools/simulator/render/noise.hpp"

namespace kerb::sim {
namespace {

constexpr int kMostNear = 48;  // lamps or occluders that reach into a tile

/// exp(-x) for x >= 0, to about 0.1 %: (1 - x/8 ...)^8 by a rational form.
float fading(float x) {
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
    const Material* material = nullptr;
    V3 point;
  };

  void at_triangle(const ScreenTriangle& t, float x, float y, Answer& out) const {
    const Hit hit = hit_at(t, x, y);
    const float z = 1 / hit.w;
    const V3 ray = ahead_ + ((x - cx_) * f_) * right_ + ((y - cy_) * f_) * down_;
    const float stretch = std::sqrt(dot(ray, ray));
    const V3 from_eye = z * ray, point = eye_ + from_eye;
    const V3 view = (-1 / stretch) * ray;
    const Item& item = (*s_.items)[t.item];
    const Corner& a = item.geometry->corners[t.corner[0]];
    const Corner& b = item.geometry->corners[t.corner[1]];
    const Corner& c = item.geometry->corners[t.corner[2]];
    const float b1 = hit.b1, b2 = hit.b2, b0 = 1 - b1 - b2;
    V3 n = b0 * a.n + b1 * b.n + b2 * c.n;
    n = (1 / std::sqrt(std::max(dot(n, n), 1e-12F))) * n;
    const Material& m = (*s_.materials)[t.material];
    if (t.back && m.stuff != Stuff::foliage) n = -1.0F * n;
    const float u = b0 * a.u + b1 * b.u + b2 * c.u, v = b0 * a.v + b1 * b.v + b2 * c.v;
    float open = clamp01(b0 * a.shade + b1 * b.shade + b2 * c.shade);
    const float facing = std::max(std::abs(dot(n, view)), 0.02F);
    const float span = z * f_ / std::sqrt(facing);
    V3 albedo = m.rgb;
    V3 texture{1, 1, 1};
    if (m.texture->log2_side() > 0) {
      const float per = m.per_metre / m.unit_m * f32(1 << m.texture->log2_side());
      texture = m.texture->sample(u * m.per_metre, v * m.per_metre, 0.8F * span * per);
      albedo = albedo * texture;
    }
    if (m.macro != nullptr) {
      const float per = m.macro_per_metre * f32(1 << m.macro->log2_side());
      albedo =
          albedo * m.macro->sample(u * m.macro_per_metre, v * m.macro_per_metre, 0.8F * span * per);
    }
    open *= occlusion(point, n);
    // The sky: from above, from the street's open ends, and back from the ground.
    const Light& light = *s_.light;
    const float up = 0.5F + 0.5F * n.z, along = std::abs(dot(n, s_.street));
    V3 lit = (open * up * up * (0.35F + 0.65F * up)) * light.sky + (open * along * (1 - std::abs(n.z))) * light.side;
    const V3 ground = light.sun_shines ? light.sky + (0.5F * light.to_sun.z) * light.sun : light.sky;
    lit = lit + (light.bounce * (1 - up) * (0.4F + 0.6F * open)) * ground;
    float sun = 0;
    if (light.sun_shines) {
      float cosine = dot(n, light.to_sun);
      if (m.stuff == Stuff::foliage) cosine = 0.25F + 0.5F * cosine + (cosine < 0 ? -0.6F * cosine : 0.0F);
      if (m.stuff == Stuff::skin) cosine = (cosine + 0.15F) / 1.15F;
      if (cosine > 0) {
        sun = cosine;
        if (s_.shadows != nullptr)
          sun *= s_.shadows->sunlight(point, n, z * stretch < Shadows::kNearReach);
        lit = lit + sun * light.sun;
      }
    }
    for (int i = 0; i < lamps_; ++i) {
      V3 to{};
      const V3 e = lamp_light(*lamp_[at(i)], point, to);
      const float cosine = dot(n, to);
      if (cosine > 0) lit = lit + cosine * e;
    }
    V3 extra = light.lamps || !m.lit ? m.glow * texture : V3{0, 0, 0};
    if (m.gloss != Gloss::matt) extra = extra + mirror(m, n, view, sun, open);
    out.albedo = albedo;
    out.light = lit;
    out.extra = extra;
    out.through = fading(z * stretch * light.haze);
    out.celsius = m.celsius + m.warming * sun + 2.5F * (texture.y - 1) * (m.celsius > 25 ? 1.0F : 0.4F);
    out.material = &m;
    out.point = from_eye;
  }

  [[nodiscard]] V3 ray(float x, float y) const {
    return ahead_ + ((x - cx_) * f_) * right_ + ((y - cy_) * f_) * down_;
  }

 private:
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
        const float out = std::sqrt(ox * ox + oy * oy);
        if (out > 1.6F) continue;
        if (out > 0)
          open *= 1 - 0.62F / (1 + 9 * out * out) * smooth(1.6F, 0.6F, out);
        else
          open *= 0.08F + 0.30F * smooth(0.45F, 0.0F, std::min(-x, -y));
      }
    }
    return open;
  }

  [[nodiscard]] V3 mirror(const Material& m, V3 n, V3 view, float sun, float open) const {
    const float c = std::max(dot(n, view), 0.0F);
    const float k = 1 - c, k2 = k * k;
    const float strong = m.gloss == Gloss::glass ? 0.07F : m.gloss == Gloss::paint ? 0.05F : 0.025F;
    const float share = strong + (1 - strong) * k2 * k2 * k * (m.gloss == Gloss::satin ? 0.25F : 0.9F);
    const V3 r = (2 * c) * n - view;
    V3 env = r.z > -0.04F ? s_.sky->mirrored(r) : V3{0, 0, 0};
    if (r.z <= 0.06F) {  // the ground
      const Light& light = *s_.light;
      const V3 ground = 0.11F * (light.sky + (light.sun_shines ? light.to_sun.z : 0.0F) * light.sun);
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

  const Shading& s_;
  int left_, top_;
  float f_, cx_, cy_;
  V3 eye_, right_, down_, ahead_;
  int occluders_ = 0, lamps_ = 0;
  std::array<const Occluder*, kMostNear> occluder_{};
  std::array<const Lamp*, kMostNear> lamp_{};
};

struct Ink {
  std::array<F4, 8> plane{};  // up to 32 channels
};

void colour(const Shading& s, const TileShader::Answer& a, float weight, Ink& ink) {
  const float t = a.through;
  if (s.sensor == Sensor::thermal) {
    ink.plane[0] += all(weight) * all(mix(8.0F, a.celsius, 0.4F + 0.6F * t));
    return;
  }
  const V3 haze = (1 - t) * s.light->horizon;
  if (s.band_mix.empty()) {
    const V3 rgb = t * (a.albedo * a.light + a.extra) + haze;
    ink.plane[0] += all(weight) * F4{rgb.x, rgb.y, rgb.z, 0};
    return;
  }
  const V3 plain = t * a.extra + haze;
  for (std::size_t b = 0; b < s.band_mix.size(); ++b) {
    const std::array<float, 3>& k = s.band_mix[b];
    const float albedo = k[0] * a.albedo.x + k[1] * a.albedo.y + k[2] * a.albedo.z;
    const float light = k[0] * a.light.x + k[1] * a.light.y + k[2] * a.light.z;
    const float more = k[0] * plain.x + k[1] * plain.y + k[2] * plain.z;
    const float corrected = std::min(albedo * a.material->bands[b], 1.0F);
    ink.plane[b / 4][static_cast<int>(b % 4)] += weight * (t * corrected * light + more);
  }
}

void sky_colour(const Shading& s, V3 ray, float weight, Ink& ink) {
  const V3 d = unit(ray);
  if (s.sensor == Sensor::thermal) {
    ink.plane[0] += all(weight * mix(4.0F, -22.0F, smooth(0.0F, 0.5F, d.z)));
    return;
  }
  const V3 rgb = s.sky->radiance(d);
  if (s.band_mix.empty()) {
    ink.plane[0] += all(weight) * F4{rgb.x, rgb.y, rgb.z, 0};
    return;
  }
  for (std::size_t b = 0; b < s.band_mix.size(); ++b) {
    const std::array<float, 3>& k = s.band_mix[b];
    ink.plane[b / 4][static_cast<int>(b % 4)] +=
        weight * (k[0] * rgb.x + k[1] * rgb.y + k[2] * rgb.z);
  }
}

constexpr std::array<float, 4> kSampleX{-0.125F, 0.375F, -0.375F, 0.125F};
constexpr std::array<float, 4> kSampleY{-0.375F, -0.125F, 0.125F, 0.375F};

std::array<std::int16_t, 2> velocity_of(const Shading& s, V3 from_eye, const ScreenTriangle* t,
                                        float x, float y) {
  Vec3 p{s.pose.at.x - s.later.at.x + from_eye.x, s.pose.at.y - s.later.at.y + from_eye.y,
         s.pose.at.z - s.later.at.z + from_eye.z};
  if (t != nullptr && (*s.items)[t->item].later != nullptr) {
    const Item& item = (*s.items)[t->item];
    const Hit hit = hit_at(*t, x, y);
    const auto shift = [&](std::size_t k) {
      return item.later[t->corner[k]] - item.geometry->corners[t->corner[k]].p;
    };
    const V3 d = (1 - hit.b1 - hit.b2) * shift(0) + hit.b1 * shift(1) + hit.b2 * shift(2);
    p = p + Vec3{d.x, d.y, d.z};
  }
  const Vec3 q{dot(s.later.axes[0], p), dot(s.later.axes[1], p), dot(s.later.axes[2], p)};
  if (q.z < 0.1) return {0, 0};
  const double k = s.canvas->focal / q.z;
  const auto fixed = [](double d) {
    return static_cast<std::int16_t>(std::clamp(d * 64, -4000.0, 4000.0));
  };
  return {fixed(s.canvas->centre_x + k * q.x - x), fixed(s.canvas->centre_y + k * q.y - y)};
}

}  // namespace

void shade_tile(const Shading& s, int tile, const TileSamples& samples, Radiance& out) {
  const TileShader shader{s, tile};
  const int left = tile % s.raster->tiles_x() * kTile, top = tile / s.raster->tiles_x() * kTile;
  const int x_end = std::min(kTile, out.width - left), y_end = std::min(kTile, out.height - top);
  for (int y = 0; y < y_end; ++y)
    for (int x = 0; x < x_end; ++x) {
      const std::size_t i = at(y * kTile + x);
      const I4 id = samples.id[i];
      const float px = f32(left + x), py = f32(top + y);
      Ink ink;
      TileShader::Answer answer;
      const std::size_t target = at((top + y) * out.width + left + x);
      const ScreenTriangle* moved = nullptr;
      V3 from_eye{};
      float mx = px, my = py;  // where the moved point is
      if (id[0] == id[1] && id[0] == id[2] && id[0] == id[3]) {
        if (id[0] == -1) {
          const V3 ray = shader.ray(px, py);
          sky_colour(s, ray, 1, ink);
          from_eye = 1e6F * ray;
        } else {
          moved = &s.raster->triangle(static_cast<std::uint32_t>(id[0]));
          shader.at_triangle(*moved, px, py, answer);
          colour(s, answer, 1, ink);
          from_eye = answer.point;
        }
      } else {
        unsigned done = 0;
        float nearest = -1;
        for (int k = 0; k < 4; ++k) {
          if ((done >> k & 1U) != 0) continue;
          float weight = 0.25F;
          if (id[k] == -1) {
            for (int j = k + 1; j < 4; ++j)
              if (id[j] == -1) {
                weight += 0.25F;
                done |= 1U << j;
              }
            sky_colour(s, shader.ray(px, py), weight, ink);
            if (nearest < 0) {
              nearest = 0;
              from_eye = 1e6F * shader.ray(px, py);
            }
            continue;
          }
          const ScreenTriangle& t = s.raster->triangle(static_cast<std::uint32_t>(id[k]));
          const float w = samples.w[i][k];
          for (int j = k + 1; j < 4; ++j) {
            if ((done >> j & 1U) != 0 || id[j] == -1) continue;
            if (id[j] != id[k]) {  // a neighbour of the same surface counts as the same
              const ScreenTriangle& o = s.raster->triangle(static_cast<std::uint32_t>(id[j]));
              if (o.item != t.item || o.material != t.material ||
                  std::abs(samples.w[i][j] - w) > 0.01F * w)
                continue;
            }
            weight += 0.25F;
            done |= 1U << j;
          }
          const bool most = weight > 0.6F;
          const float hx = px + (most ? 0.0F : kSampleX[at(k)]);
          const float hy = py + (most ? 0.0F : kSampleY[at(k)]);
          shader.at_triangle(t, hx, hy, answer);
          colour(s, answer, weight, ink);
          if (w > nearest) {
            nearest = w;
            moved = &t;
            from_eye = answer.point;
            mx = hx;
            my = hy;
          }
        }
      }
      for (int p = 0; p < s.planes; ++p) out.planes[at(p)][target] = ink.plane[at(p)];
      if (s.moves) out.velocity[target] = velocity_of(s, from_eye, moved, mx, my);
    }
}

}  // namespace kerb::sim
