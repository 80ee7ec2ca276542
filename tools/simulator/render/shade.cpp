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
    out.albedo = albedo;
    out.light = lit;
    out.extra = extra;
    out.through = fading(far * light.haze);
    out.celsius =
        m.celsius + m.warming * sun + 2.5F * (texture.y - 1) * (m.celsius > 25 ? 1.0F : 0.4F);
    out.material = &m;
    out.point = from_eye;
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

struct Ink {
  explicit Ink(int planes) {
    for (int p = 0; p < planes; ++p) plane[at(p)] = all(0.0F);
  }
  std::array<F4, 8> plane;  // up to 32 channels; those in use
};

/// Three colours, which most cameras have.
[[gnu::always_inline]] inline F4 rgb_of(const Shading& s, const TileShader::Answer& a) {
  const float t = a.through;
  const V3 rgb = t * (a.albedo * a.light + a.extra) + (1 - t) * s.light->horizon;
  return F4{rgb.x, rgb.y, rgb.z, 0};
}

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

/// From this camera to where it will be, for points as seen from this one's place.
struct Shift {
  V3 right, down, ahead, away;
  float focal, cx, cy;
  explicit Shift(const Shading& s)
      : right{to_v3(s.later.axes[0])},
        down{to_v3(s.later.axes[1])},
        ahead{to_v3(s.later.axes[2])},
        away{to_v3(s.pose.at - s.later.at)},
        focal{f32(s.canvas->focal)},
        cx{f32(s.canvas->centre_x)},
        cy{f32(s.canvas->centre_y)} {}
};

std::array<std::int16_t, 2> velocity_of(const Shading& s, const Shift& shift, V3 from_eye,
                                        const ScreenTriangle* t, float x, float y) {
  V3 p = shift.away + from_eye;
  if (t != nullptr && (*s.items)[t->item].later != nullptr) {
    const Item& item = (*s.items)[t->item];
    const Hit hit = hit_at(*t, x, y);
    const auto moved = [&](std::size_t k) {
      return item.later[t->corner[k]] - item.geometry->corners[t->corner[k]].p;
    };
    p = p + (1 - hit.b1 - hit.b2) * moved(0) + hit.b1 * moved(1) + hit.b2 * moved(2);
  }
  const float z = dot(shift.ahead, p);
  if (z < 0.1F) return {0, 0};
  const float k = shift.focal / z;
  const auto fixed = [](float d) {
    return static_cast<std::int16_t>(std::clamp(d * 64, -4000.0F, 4000.0F));
  };
  return {fixed(shift.cx + k * dot(shift.right, p) - x),
          fixed(shift.cy + k * dot(shift.down, p) - y)};
}

}  // namespace

void shade_tile(const Shading& s, int tile, const TileSamples& samples, Radiance& out) {
  TileShader shader{s, tile};
  const Shift shift{s};
  const bool plain = s.band_mix.empty() && s.sensor != Sensor::thermal;
  const int left = tile % s.raster->tiles_x() * kTile, top = tile / s.raster->tiles_x() * kTile;
  const int x_end = std::min(kTile, out.width - left), y_end = std::min(kTile, out.height - top);
  for (int y = 0; y < y_end; ++y)
    for (int x = 0; x < x_end; ++x) {
      const std::size_t i = at(y * kTile + x);
      const I4 id = samples.id[i];
      const float px = f32(left + x), py = f32(top + y);
      Ink ink{s.planes};
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
          if (plain)
            ink.plane[0] = rgb_of(s, answer);
          else
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
      if (s.moves) out.velocity[target] = velocity_of(s, shift, from_eye, moved, mx, my);
    }
}

}  // namespace kerb::sim
