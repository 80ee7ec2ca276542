// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tools/simulator/base/scenario.hpp"

/// What the camera's own work needs, as plain data: see draw_view.hpp.
namespace kerb::sim {

/// How light becomes numbers.
struct Exposure {
  float scale = 1;    ///< of radiance to full scale
  float offset = 0;   ///< taken off first (thermal: the coldest)
  float photon = 0;   ///< noise: variance at full scale
  float read = 0;     ///< noise: variance in the dark
  float row = 0;      ///< noise: deviation of whole rows
  bool curve = true;  ///< a camera's tone curve; else linear
};

/// What finishing rows needs of a camera.
struct Finishing {
  int width, height, bands, channels;
  Sensor sensor;
  int reach;  ///< of the blur's kernel
  const float* kernel;
  const std::uint8_t* tone;
  const float *bell, *spread;
  int tones, bells;  ///< entries of `tone` and `spread`, and of `bell`
  [[nodiscard]] int scratch() const noexcept { return 2 * (width + reach + 4); }
};
}  // namespace kerb::sim
