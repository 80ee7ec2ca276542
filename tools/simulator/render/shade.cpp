// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/render/shade.hpp"

#include "tools/simulator/render/shade_tile_lanes.hpp"

namespace kerb::sim {
namespace {

Shift shift_of(const Shading& s) {
  Shift out;
  out.right = to_v3(s.later.axes[0]);
  out.down = to_v3(s.later.axes[1]);
  out.ahead = to_v3(s.later.axes[2]);
  out.away = to_v3(s.pose.at - s.later.at);
  out.focal = f32(s.canvas->focal);
  out.cx = f32(s.canvas->centre_x);
  out.cy = f32(s.canvas->centre_y);
  const double turned = length(s.pose.axes[2] - s.later.axes[2]);
  const double aside = std::abs(dot(s.pose.axes[0], s.pose.at - s.later.at)) +
                       std::abs(dot(s.pose.axes[1], s.pose.at - s.later.at));
  const double ahead_m = std::abs(dot(s.pose.axes[2], s.pose.at - s.later.at));
  out.straight = turned * s.canvas->focal < 0.02;
  out.step = f32(ahead_m);
  out.drift = f32(aside * s.canvas->focal);
  return out;
}

SurfaceView surface_of(const Material& m, std::uint16_t id) {
  SurfaceView out;
  out.rgb = m.rgb;
  out.glow = m.glow;
  out.texture = m.texture->view();
  out.per_metre = m.per_metre;
  out.unit_m = m.unit_m;
  out.stains_per_metre = m.stains_per_metre;
  out.celsius = m.celsius;
  out.warming = m.warming;
  out.bands = m.bands.data();
  out.cut = m.cut;
  out.lit = m.lit;
  out.wets = gets_wet(id);
  out.gloss = m.gloss;
  out.stuff = m.stuff;
  return out;
}

}  // namespace

float sky_through_fog(const Light& light, float up) noexcept { return left_of_sky(light, up); }

DrawView view_of(const Shading& s, DrawLists& lists, Radiance& out) {
  lists.items.clear();
  for (const Item& item : *s.items)
    lists.items.push_back({item.geometry->corners.data(), item.later});
  lists.materials.clear();
  for (std::size_t i = 0; i < s.materials->size(); ++i)
    lists.materials.push_back(surface_of((*s.materials)[i], static_cast<std::uint16_t>(i)));
  DrawView v;
  v.width = out.width;
  v.height = out.height;
  v.tiles_x = s.raster->tiles_x();
  v.f = f32(1 / s.canvas->focal);
  v.cx = f32(s.canvas->centre_x);
  v.cy = f32(s.canvas->centre_y);
  v.eye = to_v3(s.pose.at);
  v.right = to_v3(s.pose.axes[0]);
  v.down = to_v3(s.pose.axes[1]);
  v.ahead = to_v3(s.pose.axes[2]);
  v.shift = shift_of(s);
  for (int g = 0; g < kTriangleGroups; ++g) v.triangles[g] = s.raster->triangles(g).data();
  v.items = {lists.items.data(), i32(lists.items.size())};
  v.materials = {lists.materials.data(), i32(lists.materials.size())};
  v.lamps = {s.lamps->data(), i32(s.lamps->size())};
  v.occluders = {s.occluders->data(), i32(s.occluders->size())};
  v.light = *s.light;
  v.sky = s.sky->radiance_dome();
  v.mirror = s.sky->mirror_dome();
  v.stains = s.stains->values();
  v.shadowed = s.shadows != nullptr;
  if (v.shadowed) v.shadows = s.shadows->view();
  v.street = s.street;
  v.thermal = s.sensor == Sensor::thermal;
  v.band_mix = {s.band_mix.data(), i32(s.band_mix.size())};
  v.planes = s.planes;
  v.moves = s.moves;
  v.wet = s.wet;
  v.seen_wanted = s.surfaces;
  for (std::size_t p = 0; p < out.planes.size(); ++p)
    v.plane[p] = reinterpret_cast<float*>(out.planes[p].data());
  v.velocity = out.velocity.data();
  v.seen = out.surfaces.data();
  return v;
}

void base::shade_tile(const DrawView& view, int tile, const TileSamples& samples) {
  shade_whole_tile(view, tile, samples);
}

void shade_tile(const DrawView& view, int tile, const TileSamples& samples) {
#if defined(KERB_AVX2)
  if (__builtin_cpu_supports("avx2")) return avx2::shade_tile(view, tile, samples);
#endif
  base::shade_tile(view, tile, samples);
}

}  // namespace kerb::sim
