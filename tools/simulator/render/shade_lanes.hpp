// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <memory>

#include "tools/simulator/render/tile_shader.hpp"

/// Shading of a tile, for sources that are compiled for several machines.
namespace kerb::sim {
namespace {

struct Ink {
  explicit Ink(int planes) {
    for (int p = 0; p < planes; ++p) plane[at(p)] = all(0.0F);
  }
  std::array<F4, 8> plane;  // up to 32 channels; those in use
};

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

/// Up to kLanes pixels of sky, side by side.
void sky_run(const Shading& s, const TileShader& shader, const Shift& shift, int x, int y,
             int count, Radiance& out) {
  const std::size_t target = at(y * out.width + x);
  const float py = f32(y);
  FN px = each(f32(x));
  for (int k = 0; k < kLanes; ++k) px[k] += f32(k);
  const V3N ray = shader.rays(px, py);
  const FN l = root_of(dot(ray, ray));
  const V3N d = (1.0F / l) * ray;
  V3N rgb = look(s.sky->radiance_dome(), d);
  if (s.light->fog) {
    FN t{};
    for (int k = 0; k < count; ++k) t[k] = sky_through_fog(*s.light, d.z[k]);
    const V3N h = each(s.light->horizon);
    rgb = {mix(h.x, rgb.x, t), mix(h.y, rgb.y, t), mix(h.z, rgb.z, t)};
  }
  F4* to = out.planes[0].data() + target;
  for (int k = 0; k < count; ++k) to[k] = F4{rgb.x[k], rgb.y[k], rgb.z[k], 0};
  if (s.surfaces)
    for (int k = 0; k < count; ++k) out.surfaces[target + at(k)] = {};
  if (!s.moves) return;
  for (int k = 0; k < count; k += 4) {
    const float from = px[k];
    const bool still = shift.tiny(0.001F, from, py) && shift.tiny(0.001F, from + 3, py);
    for (int j = k; j < k + 4; ++j)
      out.velocity[target + at(j)] =
          still
              ? std::array<std::int16_t, 2>{}
              : velocity_of(s, shift, 1e6F * V3{ray.x[j], ray.y[j], ray.z[j]}, nullptr, px[j], py);
  }
}

/// What is left of a tile after the plain parts: pixels of several surfaces, round ones, such as
/// lamps shine on. They are gathered, sorted by material, shaded many at a time and put together.
struct Gathered {
  struct Entry {
    float weight;
    int place;  // -1: sky
  };
  struct Pixel {
    int x, y;  // in the tile
    int first, entries;
    int nearest;  // the place that says where the pixel goes; -1: sky
    const ScreenTriangle* moved;
    float mx, my, w;
  };
  static constexpr int kRows = 16;  // of a tile, gathered together
  static constexpr std::size_t kMost = at(kRows * kTile);
  std::size_t pixels = 0, entries = 0, places = 0;
  std::array<Pixel, kMost> pixel;
  std::array<Entry, 4 * kMost> entry;
  std::array<TileShader::Place, 4 * kMost> place;
  std::array<TileShader::Shaded, 4 * kMost> shaded;
  std::vector<TileShader::Answer> answers;
  std::array<std::uint32_t, 4 * kMost> order;
  std::vector<std::uint32_t> first;

  void clear() { pixels = entries = places = 0; }

  void shade(const Shading& s, TileShader& shader, bool plain) {
    const std::size_t n = places;
    if (!plain) answers.resize(4 * kMost);
    // By material, each in the order in which they came.
    first.assign(s.materials->size() + 1, 0);
    for (std::size_t i = 0; i < n; ++i) ++first[place[i].triangle->material + std::size_t{1}];
    for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    for (std::size_t i = 0; i < n; ++i)
      order[first[place[i].triangle->material]++] = static_cast<std::uint32_t>(i);
    for (std::size_t i = 0; i < n;) {
      const TileShader::Place* these[kLanes];
      TileShader::Shaded* to[kLanes];
      TileShader::Answer* more[kLanes];
      const std::uint16_t material = place[order[i]].triangle->material;
      int count = 0;
      for (; count < kLanes && i < n && place[order[i]].triangle->material == material;
           ++i, ++count) {
        these[count] = &place[order[i]];
        to[count] = &shaded[order[i]];
        if (!plain) more[count] = &answers[order[i]];
      }
      shader.points(these, count, to, plain ? nullptr : more);
    }
  }
};

/// What a pixel shows, and with what weights.
void gather(const Shading& s, const TileSamples& samples, std::size_t i, float px, float py, int x,
            int y, Gathered& rest) {
  const I4 id = samples.id[i];
  const auto add = [&](const ScreenTriangle& t, float hx, float hy, float weight) {
    rest.entry[rest.entries++] = {weight, i32(rest.places)};
    rest.place[rest.places++] = {&t, hx, hy};
  };
  Gathered::Pixel& pixel = rest.pixel[rest.pixels++];
  pixel = {x, y, i32(rest.entries), 1, -1, nullptr, px, py, samples.w[i][0]};
  if (id[0] == id[1] && id[0] == id[2] && id[0] == id[3]) {
    if (id[0] == -1) {
      rest.entry[rest.entries++] = {1, -1};
    } else {
      pixel.moved = &s.raster->triangle(static_cast<std::uint32_t>(id[0]));
      pixel.nearest = i32(rest.places);
      add(*pixel.moved, px, py, 1);
    }
    return;
  }
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
      rest.entry[rest.entries++] = {weight, -1};
      if (nearest < 0) nearest = 0;
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
    if (w > nearest) {
      nearest = w;
      pixel.nearest = i32(rest.places);
      pixel.moved = &t;
      pixel.mx = hx;
      pixel.my = hy;
    }
    add(t, hx, hy, weight);
  }
  pixel.entries = i32(rest.entries) - pixel.first;
}

/// The surfaces of a pixel, shaded, as one.
void put_together(const Shading& s, const TileShader& shader, const Shift& shift,
                  const Gathered& rest, const Gathered::Pixel& p, bool plain, int left, int top,
                  Radiance& out) {
  const float px = f32(left + p.x), py = f32(top + p.y);
  Ink ink{s.planes};
  const Gathered::Entry* entries = rest.entry.data() + p.first;
  float mirror = 0, slope = 0;
  if (p.entries == 1 && entries->place >= 0 && entries->weight == 1) {
    const TileShader::Shaded& only = rest.shaded[at(entries->place)];
    if (plain)
      ink.plane[0] = only.rgb;
    else
      colour(s, rest.answers[at(entries->place)], 1, ink);
    mirror = only.mirror;
    slope = only.slope;
  } else {
    for (int e = 0; e < p.entries; ++e) {
      const Gathered::Entry& entry = entries[e];
      if (entry.place < 0) {
        sky_colour(s, shader.ray(px, py), entry.weight, ink);
        continue;
      }
      const TileShader::Shaded& one = rest.shaded[at(entry.place)];
      if (plain)
        ink.plane[0] += all(entry.weight) * one.rgb;
      else
        colour(s, rest.answers[at(entry.place)], entry.weight, ink);
      mirror += entry.weight * one.mirror;
      slope = std::max(slope, one.slope);
    }
  }
  const V3 from_eye = p.nearest >= 0 ? rest.shaded[at(p.nearest)].point : 1e6F * shader.ray(px, py);
  const std::size_t target = at((top + p.y) * out.width + left + p.x);
  for (int i = 0; i < s.planes; ++i) out.planes[at(i)][target] = ink.plane[at(i)];
  if (s.surfaces) out.surfaces[target] = {dot(to_v3(s.pose.axes[2]), from_eye), mirror, slope};
  if (!s.moves) return;
  const bool stands = p.moved == nullptr || (*s.items)[p.moved->item].later == nullptr;
  if (stands && shift.tiny(p.w * 1.1F + 0.001F, px, py))
    out.velocity[target] = {0, 0};
  else
    out.velocity[target] = velocity_of(s, shift, from_eye, p.moved, p.mx, p.my);
}

void shade_whole_tile(const Shading& s, int tile, const TileSamples& samples, Radiance& out) {
  TileShader shader{s, tile};
  const Shift shift{s};
  const bool plain = s.band_mix.empty() && s.sensor != Sensor::thermal;
  const int left = tile % s.raster->tiles_x() * kTile, top = tile / s.raster->tiles_x() * kTile;
  const int x_end = std::min(kTile, out.width - left), y_end = std::min(kTile, out.height - top);
  thread_local const std::unique_ptr<Gathered> scratch = std::make_unique<Gathered>();
  Gathered& rest = *scratch;
  rest.clear();
  for (int y = 0; y < y_end; ++y) {
    for (int x = 0; x < x_end; ++x) {
      const std::size_t i = at(y * kTile + x);
      const I4 id = samples.id[i];
      if (plain && x + 4 <= x_end) {
        const I4 first = all(id[0]);
        const auto differ = [&](std::size_t from) {
          return (samples.id[from] ^ first) | (samples.id[from + 1] ^ first) |
                 (samples.id[from + 2] ^ first) | (samples.id[from + 3] ^ first);
        };
        const bool same = !any(differ(i));
        if (same && id[0] == -1) {
          const int count = kLanes == 8 && x + 8 <= x_end && !any(differ(i + 4)) ? 8 : 4;
          sky_run(s, shader, shift, left + x, top + y, count, out);
          x += count - 1;
          continue;
        }
        if (same && shade_four(s, shader, shift, static_cast<std::uint32_t>(id[0]), left + x,
                               top + y, out)) {
          x += 3;
          continue;
        }
      }
      gather(s, samples, i, f32(left + x), f32(top + y), x, y, rest);
    }
    if (y % Gathered::kRows == Gathered::kRows - 1 || y + 1 == y_end) {
      rest.shade(s, shader, plain);
      for (std::size_t i = 0; i < rest.pixels; ++i)
        put_together(s, shader, shift, rest, rest.pixel[i], plain, left, top, out);
      rest.clear();
    }
  }
}

}  // namespace
}  // namespace kerb::sim
