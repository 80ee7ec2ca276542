// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/render/material.hpp"

namespace kerb::sim {
namespace {

/// How much of blue, green and red goes into each wavelength: smooth, and summing to one.
std::array<float, 3> shares(int i) {
  const float nm = 400.0F + 20.0F * f32(i);
  const float green_on = smooth(460, 520, nm), red_on = smooth(560, 620, nm);
  return {red_on, green_on * (1 - red_on), 1 - green_on};
}

Material painted(V3 srgb, Paint paint, float metres) {
  Material m;
  m.rgb = {linear_of(srgb.x), linear_of(srgb.y), linear_of(srgb.z)};
  m.texture = &texture_of(paint);
  m.per_metre = 1 / metres;
  return m;
}

}  // namespace

Spectrum spectrum_of(V3 rgb) {
  Spectrum out{};
  for (int i = 0; i < kSpectrum; ++i) {
    const std::array<float, 3> s = shares(i);
    out[at(i)] = s[0] * rgb.x + s[1] * rgb.y + s[2] * rgb.z;
  }
  return out;
}

Materials::Materials() {
  all_.resize(at(static_cast<int>(Base::count)));
  for (Material& m : all_) m = painted({0.5F, 0.5F, 0.5F}, Paint::plain, 1);
  const auto set = [&](Base base, V3 srgb, Paint paint, float metres) -> Material& {
    Material& m = all_[id_of(base)];
    m = painted(srgb, paint, metres);
    return m;
  };
  const auto stained = [](Material& m, float metres) { m.stains_per_metre = 64 / metres; };
  stained(set(Base::asphalt, {0.40F, 0.40F, 0.405F}, Paint::asphalt, 2.56F), 27);
  stained(set(Base::asphalt_patch, {0.30F, 0.30F, 0.31F}, Paint::asphalt, 1.9F), 17);
  set(Base::crack, {0.26F, 0.26F, 0.26F}, Paint::asphalt, 1.5F);
  set(Base::line_white, {0.86F, 0.86F, 0.84F}, Paint::line, 2);
  set(Base::line_yellow, {0.80F, 0.66F, 0.22F}, Paint::line, 2);
  stained(set(Base::slabs, {0.55F, 0.54F, 0.52F}, Paint::slabs, 2), 21);
  stained(set(Base::cobbles, {0.45F, 0.44F, 0.43F}, Paint::cobbles, 1.6F), 19);
  set(Base::kerb, {0.60F, 0.60F, 0.58F}, Paint::concrete, 3);
  set(Base::gutter, {0.34F, 0.34F, 0.33F}, Paint::asphalt, 2);
  stained(set(Base::grass, {0.36F, 0.43F, 0.19F}, Paint::grass, 3), 23);
  stained(set(Base::field, {0.52F, 0.50F, 0.28F}, Paint::field, 20), 70);
  set(Base::soil, {0.36F, 0.30F, 0.23F}, Paint::concrete, 2);
  const auto wall = [&](Base base, V3 srgb, Paint paint, float metres) {
    Material& m = set(base, srgb, paint, metres);
    stained(m, 13);
    m.celsius = 14;
  };
  wall(Base::brick_red, {0.56F, 0.33F, 0.27F}, Paint::brick, 1);
  wall(Base::brick_brown, {0.44F, 0.33F, 0.28F}, Paint::brick, 1);
  wall(Base::brick_yellow, {0.66F, 0.56F, 0.41F}, Paint::brick, 1);
  wall(Base::plaster_white, {0.83F, 0.82F, 0.79F}, Paint::plaster, 4);
  wall(Base::plaster_cream, {0.79F, 0.73F, 0.60F}, Paint::plaster, 4);
  wall(Base::plaster_grey, {0.62F, 0.62F, 0.61F}, Paint::plaster, 4);
  wall(Base::plaster_pink, {0.74F, 0.60F, 0.54F}, Paint::plaster, 4);
  wall(Base::plaster_ochre, {0.76F, 0.62F, 0.38F}, Paint::plaster, 4);
  wall(Base::concrete, {0.58F, 0.57F, 0.55F}, Paint::concrete, 3);
  wall(Base::stone, {0.66F, 0.63F, 0.57F}, Paint::concrete, 2);
  set(Base::roof_red, {0.52F, 0.29F, 0.22F}, Paint::roof_tiles, 2);
  set(Base::roof_grey, {0.36F, 0.37F, 0.39F}, Paint::roof_tiles, 2);
  set(Base::window, {0.13F, 0.14F, 0.15F}, Paint::curtain, 1).gloss = Gloss::glass;
  set(Base::window_curtain, {0.42F, 0.41F, 0.38F}, Paint::curtain, 1).gloss = Gloss::glass;
  Material& lit = set(Base::window_lit, {0.30F, 0.28F, 0.24F}, Paint::curtain, 1);
  lit.gloss = Gloss::glass;
  lit.glow = {0.30F, 0.20F, 0.10F};
  lit.lit = true;
  set(Base::frame_white, {0.83F, 0.83F, 0.81F}, Paint::plain, 1);
  set(Base::frame_dark, {0.24F, 0.22F, 0.20F}, Paint::metal, 1);
  set(Base::door_wood, {0.36F, 0.25F, 0.17F}, Paint::wood, 1).gloss = Gloss::satin;
  set(Base::door_green, {0.18F, 0.27F, 0.22F}, Paint::wood, 1).gloss = Gloss::satin;
  Material& shop = set(Base::shop, {0.42F, 0.42F, 0.42F}, Paint::goods, 1);
  shop.gloss = Gloss::glass;
  shop.glow = {0.9F, 0.7F, 0.48F};
  set(Base::shop_sign_a, {0.55F, 0.12F, 0.12F}, Paint::sign, 3).gloss = Gloss::satin;
  set(Base::shop_sign_b, {0.12F, 0.22F, 0.42F}, Paint::sign, 3.4F).gloss = Gloss::satin;
  set(Base::shop_sign_c, {0.17F, 0.17F, 0.16F}, Paint::sign, 2.7F).gloss = Gloss::satin;
  set(Base::awning, {0.60F, 0.24F, 0.20F}, Paint::stripes, 1.6F);
  set(Base::metal_grey, {0.55F, 0.56F, 0.57F}, Paint::metal, 1).gloss = Gloss::satin;
  set(Base::metal_dark, {0.17F, 0.18F, 0.19F}, Paint::metal, 1).gloss = Gloss::satin;
  set(Base::metal_green, {0.19F, 0.29F, 0.24F}, Paint::metal, 1).gloss = Gloss::satin;
  set(Base::wood, {0.47F, 0.36F, 0.25F}, Paint::wood, 1);
  const auto plant = [&](Base base, V3 srgb, Paint paint, float metres) {
    Material& m = set(base, srgb, paint, metres);
    m.stuff = Stuff::foliage;
    m.celsius = 11;
    m.warming = 3;
    m.cut = paint == Paint::leaves;
  };
  plant(Base::hedge, {0.27F, 0.35F, 0.18F}, Paint::hedge, 1);
  plant(Base::leaves_a, {0.32F, 0.39F, 0.20F}, Paint::leaves, 1);
  plant(Base::leaves_b, {0.37F, 0.40F, 0.21F}, Paint::leaves, 1);
  plant(Base::leaves_c, {0.27F, 0.34F, 0.20F}, Paint::leaves, 1);
  plant(Base::bush, {0.29F, 0.38F, 0.19F}, Paint::leaves, 1);
  plant(Base::far_trees, {0.30F, 0.36F, 0.22F}, Paint::hedge, 14);
  set(Base::bark, {0.38F, 0.34F, 0.29F}, Paint::bark, 1);
  set(Base::tyre, {0.16F, 0.16F, 0.16F}, Paint::tyre, 1).celsius = 20;
  set(Base::rim, {0.62F, 0.62F, 0.63F}, Paint::rim, 1).gloss = Gloss::satin;
  set(Base::under, {0.07F, 0.07F, 0.07F}, Paint::plain, 1).celsius = 22;
  set(Base::car_glass, {0.10F, 0.11F, 0.11F}, Paint::plain, 1).gloss = Gloss::glass;
  Material& head = set(Base::head_lamp, {0.75F, 0.76F, 0.78F}, Paint::plain, 1);
  head.gloss = Gloss::glass;
  head.glow = {40, 37, 32};
  head.lit = true;
  Material& tail = set(Base::tail_lamp, {0.45F, 0.06F, 0.05F}, Paint::plain, 1);
  tail.gloss = Gloss::glass;
  tail.glow = {3, 0.15F, 0.1F};
  tail.lit = true;
  set(Base::plate, {0.75F, 0.75F, 0.72F}, Paint::plate, 1);
  set(Base::grille, {0.16F, 0.16F, 0.17F}, Paint::grille, 1).gloss = Gloss::satin;
  set(Base::black_plastic, {0.17F, 0.17F, 0.18F}, Paint::plain, 1).gloss = Gloss::satin;
  set(Base::sign_face_red, {0.70F, 0.10F, 0.10F}, Paint::plain, 1).gloss = Gloss::satin;
  set(Base::sign_face_white, {0.86F, 0.86F, 0.85F}, Paint::plain, 1).gloss = Gloss::satin;
  set(Base::sign_face_blue, {0.10F, 0.25F, 0.58F}, Paint::plain, 1).gloss = Gloss::satin;
  set(Base::cone_orange, {0.88F, 0.33F, 0.13F}, Paint::metal, 1);
  set(Base::cone_white, {0.85F, 0.85F, 0.84F}, Paint::metal, 1);
  set(Base::hydrant_red, {0.62F, 0.13F, 0.11F}, Paint::metal, 1).gloss = Gloss::satin;
  set(Base::bin_green, {0.20F, 0.30F, 0.21F}, Paint::metal, 1).gloss = Gloss::satin;
  Material& hole = set(Base::manhole, {0.36F, 0.35F, 0.34F}, Paint::manhole, 1);
  hole.cut = true;
  Material& lamp = set(Base::lamp_glass, {0.80F, 0.80F, 0.78F}, Paint::plain, 1);
  lamp.glow = {20, 14, 8};
  lamp.lit = true;
  Material& wheel = set(Base::spokes, {0.40F, 0.40F, 0.41F}, Paint::spokes, 1);
  wheel.cut = true;
  set(Base::poster_frame, {0.35F, 0.36F, 0.37F}, Paint::metal, 1).gloss = Gloss::satin;
  set(Base::far_houses, {0.55F, 0.51F, 0.47F}, Paint::concrete, 18);
  set(Base::scaffold_tube, {0.66F, 0.67F, 0.68F}, Paint::metal, 1).gloss = Gloss::satin;
  set(Base::scaffold_plank, {0.60F, 0.49F, 0.34F}, Paint::wood, 1);
  set(Base::cloth_white, {0.82F, 0.81F, 0.78F}, Paint::cloth, 0.8F);
  set(Base::cloth_blue, {0.20F, 0.29F, 0.48F}, Paint::cloth, 0.8F);
  set(Base::cloth_red, {0.58F, 0.16F, 0.15F}, Paint::cloth, 0.8F);
  const auto ware = [&](Base base, V3 srgb) {
    Material& m = set(base, srgb, Paint::plain, 1);
    m.warming = 4;
  };
  ware(Base::fruit_red, {0.66F, 0.13F, 0.11F});
  ware(Base::fruit_orange, {0.86F, 0.47F, 0.11F});
  ware(Base::fruit_green, {0.42F, 0.56F, 0.18F});
  ware(Base::flower_pink, {0.80F, 0.36F, 0.55F});
  ware(Base::bread, {0.66F, 0.46F, 0.26F});
  set(Base::bin_brown, {0.33F, 0.24F, 0.17F}, Paint::metal, 1).gloss = Gloss::satin;
  set(Base::doll, {0.80F, 0.74F, 0.68F}, Paint::plain, 1).gloss = Gloss::satin;
  for (const Base b : {Base::window, Base::window_curtain, Base::window_lit, Base::plate})
    all_[id_of(b)].unit_m = 1.2F;
  all_[id_of(Base::shop)].unit_m = 4;
  for (const Base b : {Base::leaves_a, Base::leaves_b, Base::leaves_c, Base::bush, Base::spokes})
    all_[id_of(b)].unit_m = 0.6F;
  for (Material& m : all_) {
    m.spectrum = spectrum_of(m.rgb);
    if (m.stuff != Stuff::foliage) continue;
    for (int i = 0; i < kSpectrum; ++i)  // the red edge: leaves shine beyond 720 nm
      m.spectrum[at(i)] = mix(m.spectrum[at(i)], 0.48F, smooth(680, 760, 400.0F + 20.0F * f32(i)));
  }
}

std::uint16_t Materials::add(const Surface& surface, const Material& like) {
  Material m = like;
  m.rgb = {linear_of(f32(surface.rgb[0])), linear_of(f32(surface.rgb[1])),
           linear_of(f32(surface.rgb[2]))};
  m.spectrum = spectrum_of(m.rgb);
  if (surface.reflectance.size() == at(kSpectrum))
    for (std::size_t i = 0; i < at(kSpectrum); ++i) m.spectrum[i] = f32(surface.reflectance[i]);
  if (surface.celsius) m.celsius = f32(*surface.celsius);
  return add(m);
}

void Materials::see_bands(const std::vector<Spectrum>& weights) {
  for (Material& m : all_) {
    const Spectrum plain = spectrum_of(m.rgb);
    m.bands.clear();
    for (const Spectrum& w : weights) {
      float is = 0, from_colour = 0;
      for (std::size_t i = 0; i < w.size(); ++i) {
        is += w[i] * m.spectrum[i];
        from_colour += w[i] * plain[i];
      }
      m.bands.push_back(is / std::max(from_colour, 1e-4F));
    }
  }
}

}  // namespace kerb::sim
