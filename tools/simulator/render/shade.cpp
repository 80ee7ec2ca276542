// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/render/shade.hpp"

#include <array>

#include "tools/simulator/render/tile_shader.hpp"

namespace kerb::sim {
namespace {

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
    // Long waves pass fog about half as badly as light does; the air's own warmth is 8 degrees.
    const float left = s.light->fog ? std::sqrt(t) : 0.4F + 0.6F * t;
    ink.plane[0] += all(weight) * all(mix(8.0F, a.celsius, left));
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

V3 sky_radiance(const Shading& s, V3 d) {
  const V3 rgb = s.sky->radiance(d);
  return s.light->fog ? mix(s.light->horizon, rgb, sky_through_fog(*s.light, d.z)) : rgb;
}

void sky_colour(const Shading& s, V3 ray, float weight, Ink& ink) {
  const V3 d = unit(ray);
  if (s.sensor == Sensor::thermal) {
    float celsius = mix(4.0F, -22.0F, smooth(0.0F, 0.5F, d.z));
    if (s.light->fog) celsius = mix(8.0F, celsius, std::sqrt(sky_through_fog(*s.light, d.z)));
    ink.plane[0] += all(weight * celsius);
    return;
  }
  const V3 rgb = sky_radiance(s, d);
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
        cy{f32(s.canvas->centre_y)} {
    // Where the camera only goes straight on, what is small can be told beforehand.
    const double turned = length(s.pose.axes[2] - s.later.axes[2]);
    const double aside = std::abs(dot(s.pose.axes[0], s.pose.at - s.later.at)) +
                         std::abs(dot(s.pose.axes[1], s.pose.at - s.later.at));
    const double ahead_m = std::abs(dot(s.pose.axes[2], s.pose.at - s.later.at));
    straight = turned * s.canvas->focal < 0.02;
    step = f32(ahead_m);
    drift = f32(aside * s.canvas->focal);
  }
  bool straight = false;
  float step = 0, drift = 0;
  /// Whether something that stands there, at this inverse depth, moves less than is looked at.
  [[nodiscard]] bool tiny(float w, float x, float y) const {
    return straight && (std::abs(x - cx) + std::abs(y - cy)) * step * w + drift * w < 0.3F;
  }
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

/// Four pixels at a time, where they are of one plain triangle.
bool shade_four(const Shading& s, TileShader& shader, const Shift& shift, std::uint32_t id, int x,
                int y, Radiance& out) {
  const ScreenTriangle& t = s.raster->triangle(id);
  if (s.moves && (*s.items)[t.item].later != nullptr) return false;
  TileShader::Four p;
  const float px = f32(x), py = f32(y);
  if (!shader.four(t, px, py, p)) return false;
  const std::size_t target = at(y * out.width + x);
  F4* to = out.planes[0].data() + target;
  for (int k = 0; k < 4; ++k) to[k] = F4{p.r[k], p.g[k], p.b[k], 0};
  if (s.surfaces)
    for (int k = 0; k < 4; ++k) out.surfaces[target + at(k)] = {1 / p.w[k], 0, 0};
  if (!s.moves) return true;
  std::array<std::int16_t, 2>* velocity = out.velocity.data() + target;
  if (shift.tiny(std::max(p.w[0], p.w[3]), px, py) &&
      shift.tiny(std::max(p.w[0], p.w[3]), px + 3, py)) {
    for (int k = 0; k < 4; ++k) velocity[k] = {0, 0};
    return true;
  }
  const F4 qx = p.x + all(shift.away.x), qy = p.y + all(shift.away.y), qz = p.z + all(shift.away.z);
  const auto along = [&](V3 axis) {
    return qx * all(axis.x) + qy * all(axis.y) + qz * all(axis.z);
  };
  F4 z = along(shift.ahead);
  z = z < all(0.1F) ? all(0.1F) : z;
  const F4 k64 = all(shift.focal) / z, limit = all(4000.0F);
  F4 vx = (all(shift.cx - px) - F4{0, 1, 2, 3} + k64 * along(shift.right)) * all(64.0F);
  F4 vy = (all(shift.cy - py) + k64 * along(shift.down)) * all(64.0F);
  vx = vx > limit ? limit : vx < -limit ? -limit : vx;
  vy = vy > limit ? limit : vy < -limit ? -limit : vy;
  for (int k = 0; k < 4; ++k)
    velocity[k] = {static_cast<std::int16_t>(vx[k]), static_cast<std::int16_t>(vy[k])};
  return true;
}

/// Four pixels of sky.
void sky_four(const Shading& s, const TileShader& shader, const Shift& shift, int x, int y,
              Radiance& out) {
  const std::size_t target = at(y * out.width + x);
  const float py = f32(y);
  const bool still =
      !s.moves || (shift.tiny(0.001F, f32(x), py) && shift.tiny(0.001F, f32(x + 3), py));
  for (int k = 0; k < 4; ++k) {
    const float px = f32(x + k);
    const V3 ray = shader.ray(px, py), rgb = sky_radiance(s, unit(ray));
    out.planes[0][target + at(k)] = F4{rgb.x, rgb.y, rgb.z, 0};
    if (s.surfaces) out.surfaces[target + at(k)] = {};
    if (s.moves)
      out.velocity[target + at(k)] = still ? std::array<std::int16_t, 2>{}
                                           : velocity_of(s, shift, 1e6F * ray, nullptr, px, py);
  }
}

}  // namespace

float sky_through_fog(const Light& light, float up) noexcept {
  return std::exp(-light.haze * std::min(100 / std::max(up, 0.01F), 2000.0F));
}

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
      if (plain && x + 4 <= x_end) {
        const I4 first = all(id[0]);
        const bool same = !any((id ^ first) | (samples.id[i + 1] ^ first) |
                               (samples.id[i + 2] ^ first) | (samples.id[i + 3] ^ first));
        if (same && id[0] == -1) {
          sky_four(s, shader, shift, left + x, top + y, out);
          x += 3;
          continue;
        }
        if (same && id[0] != -1 &&
            shade_four(s, shader, shift, static_cast<std::uint32_t>(id[0]), left + x, top + y,
                       out)) {
          x += 3;
          continue;
        }
      }
      const float px = f32(left + x), py = f32(top + y);
      Ink ink{s.planes};
      TileShader::Answer answer;
      const std::size_t target = at((top + y) * out.width + left + x);
      const ScreenTriangle* moved = nullptr;
      V3 from_eye{};
      float mirror = 0, slope = 0;
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
          mirror = answer.mirror;
          slope = answer.slope;
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
                  (!t.cut && std::abs(samples.w[i][j] - w) > 0.01F * w))
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
          mirror += weight * answer.mirror;
          slope = std::max(slope, answer.slope);
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
      if (s.surfaces) out.surfaces[target] = {dot(to_v3(s.pose.axes[2]), from_eye), mirror, slope};
      if (s.moves) {
        const bool stands = moved == nullptr || (*s.items)[moved->item].later == nullptr;
        if (stands && shift.tiny(samples.w[i][0] * 1.1F + 0.001F, px, py))
          out.velocity[target] = {0, 0};
        else
          out.velocity[target] = velocity_of(s, shift, from_eye, moved, mx, my);
      }
    }
}

}  // namespace kerb::sim
