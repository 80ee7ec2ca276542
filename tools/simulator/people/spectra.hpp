// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tools/simulator/base/scenario.hpp"

/// Surfaces with a reflectance from 400 to 1000 nm and the sRGB that goes with it.
namespace kerb::sim {

enum class Fibre : std::uint8_t { cotton, wool, synthetic };
enum class Dye : std::uint8_t {
  none,    ///< bleached
  black,   ///< reactive: bright beyond 750 nm
  carbon,  ///< pigment: dark there too
  indigo,  ///< denim
  navy,
  blue,
  red,
  green,
  yellow,
  orange,
  purple,
  turquoise,
  brown,
  beige,
  olive,
  grey,
  pink,
  count
};
/// Cloth: the fibre's scattering and the dye's absorption bands after Kubelka and Munk. Dyes let
/// the near infrared pass, so cloth that looks dark is bright there, but for carbon. depth 0..2: 1
/// is usual.
Surface cloth_surface(Fibre fibre, Dye dye, double depth);
/// Skin: melanin (0 pale .. 1 very dark) and blood, with haemoglobin's dips at 542 and 576 nm and
/// water's at 970.
Surface skin_surface(double melanin, double blood = 1);
/// Hair: 0 white, 0.35 blond, 0.7 brown, 1 black; red: 0..1.
Surface hair_surface(double dark, double red = 0);
/// Leather, rubber: flat with a rise beyond red.
Surface leather_surface(double lightness, double warmth);

}  // namespace kerb::sim
