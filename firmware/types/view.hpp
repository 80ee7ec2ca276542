// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "hal/base/clock.hpp"

namespace kerb {

/// What ends the view. The numbers are those of the CAN message and of records: append, never
/// renumber.
enum class ViewLimit : std::uint8_t {
  size = 0,   ///< nothing but the camera: people farther away are too small in its pictures
  light = 1,  ///< too little light: people are lost in the noise
  fog = 2,    ///< the air takes their contrast
  glass = 3,  ///< drops, mist or dirt blur the picture
  people = 4  ///< people who should have been found again were not
};
inline constexpr int kViewLimitCount = 5;
[[nodiscard]] const char* name_of(ViewLimit limit) noexcept;

/// How far a person in dark clothes can be seen, from one picture alone. Metres ahead of the front
/// bumper.
struct ViewMeasurement {
  bool known = false;     ///< false: this camera does not see the road ahead
  double clear_m = 0;     ///< in clear air and good light: what the size of people allows
  double distance_m = 0;  ///< 0..clear_m
  double spread = 0;      ///< standard deviation of the logarithm of distance_m
  double visibility_m =
      0;  ///< in air as in this picture (WMO: 5 % of the contrast is left); large: clear
  double sharpness = 1;  ///< of its edges against the usual, 0..1
  double noise = 0;      ///< standard deviation, grey values
  ViewLimit limit = ViewLimit::size;
};

/// How far a person in dark clothes can be seen now: the last seconds' pictures and people.
struct ViewReport {
  bool known = false;     ///< false: this camera does not see the road ahead
  double distance_m = 0;  ///< ahead of the front bumper
  double sigma_m = 0;     ///< its standard deviation
  double clear_m = 0;     ///< the distance in clear air and good light
  ViewLimit limit = ViewLimit::size;
};

}  // namespace kerb
