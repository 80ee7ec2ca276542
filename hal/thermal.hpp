// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hal/base/result.hpp"

namespace kerb {

struct ThermalReading {
  double celsius = 0;
  Text<32> zone;  ///< the sensor's name, such as "gpu-thermal"
};

/// The board's temperature sensors. One thread at a time.
class Thermal {
 public:
  virtual ~Thermal() = default;
  /// The hottest sensor that can be read (a powered-down one may not be). Fails: io when none can,
  /// gone when none is left.
  virtual Result<ThermalReading> hottest() = 0;
};

}  // namespace kerb
