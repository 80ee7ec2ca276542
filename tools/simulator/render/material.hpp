// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "tools/simulator/base/scenario.hpp"
#include "tools/simulator/render/texture.hpp"

namespace kerb::sim {

/// Reflectance at 400, 420 ... 1000 nm.
inline constexpr int kSpectrum = 31;
using Spectrum = std::array<float, kSpectrum>;
/// A smooth reflectance of this linear colour, flat beyond red. Linear in the colour.
Spectrum spectrum_of(V3 rgb);

enum class Gloss : std::uint8_t { matt, satin, paint, glass };
enum class Stuff : std::uint8_t { plain, foliage, skin, hair, cloth };

/// What a surface is.
struct Material {
  V3 rgb{0.5F, 0.5F, 0.5F};  ///< linear, times the texture
  const Texture* texture = nullptr;
  float per_metre = 1;         ///< texture sides for a unit of uv
  float unit_m = 1;            ///< metres of a unit of uv, where it is a picture of its own
  float stains_per_metre = 0;  ///< over it, large: cells of stains() a metre; 0: none
  bool cut = false;            ///< the texture's alpha cuts holes
  Gloss gloss = Gloss::matt;
  Stuff stuff = Stuff::plain;
  V3 glow{0, 0, 0};    ///< light of its own, times the texture
  bool lit = false;    ///< the glow is a lamp's and shines only when lamps are on
  float celsius = 12;  ///< in the shade
  float warming = 6;   ///< more of it in the sun
  /// Times what the colour alone would reflect in each band of the camera.
  std::vector<float> bands;
  Spectrum spectrum{};  ///< all of it, for bands
};

/// Surfaces there always are; others (clothes, cars) are added behind.
enum class Base : std::uint16_t {
  asphalt,
  asphalt_patch,
  crack,
  line_white,
  line_yellow,
  slabs,
  cobbles,
  kerb,
  gutter,
  grass,
  field,
  soil,
  brick_red,
  brick_brown,
  brick_yellow,
  plaster_white,
  plaster_cream,
  plaster_grey,
  plaster_pink,
  plaster_ochre,
  concrete,
  stone,
  roof_red,
  roof_grey,
  window,
  window_curtain,
  window_lit,
  frame_white,
  frame_dark,
  door_wood,
  door_green,
  shop,
  shop_sign_a,
  shop_sign_b,
  shop_sign_c,
  awning,
  metal_grey,
  metal_dark,
  metal_green,
  wood,
  hedge,
  bark,
  leaves_a,
  leaves_b,
  leaves_c,
  bush,
  tyre,
  rim,
  under,
  car_glass,
  head_lamp,
  tail_lamp,
  plate,
  grille,
  black_plastic,
  sign_face_red,
  sign_face_white,
  sign_face_blue,
  cone_orange,
  cone_white,
  hydrant_red,
  bin_green,
  manhole,
  lamp_glass,
  spokes,
  poster_frame,
  far_trees,
  far_houses,
  scaffold_tube,
  scaffold_plank,
  cloth_white,
  cloth_blue,
  cloth_red,
  fruit_red,
  fruit_orange,
  fruit_green,
  flower_pink,
  bread,
  bin_brown,
  doll,  ///< a mannequin's skin
  count
};
constexpr std::uint16_t id_of(Base base) { return static_cast<std::uint16_t>(base); }

class Materials {
 public:
  Materials();
  std::uint16_t add(const Material& material) {
    all_.push_back(material);
    return static_cast<std::uint16_t>(all_.size() - 1);
  }
  /// Of a colour that a scenario names.
  std::uint16_t add(const Surface& surface, const Material& like);
  /// Its own light from now on; `lit`: only when lamps are on.
  void glow(std::uint16_t id, V3 light, bool lit) {
    all_[id].glow = light;
    all_[id].lit = lit;
  }
  /// Works out what each camera band sees; `weights[b]` are the band's, over the spectrum.
  void see_bands(const std::vector<Spectrum>& weights);
  [[nodiscard]] const Material& operator[](std::size_t i) const noexcept { return all_[i]; }
  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }

 private:
  std::vector<Material> all_;
};

}  // namespace kerb::sim
