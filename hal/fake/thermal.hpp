// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "hal/thermal.hpp"

namespace kerb {

/// Sensors with the values that a test sets.
class FakeThermal final : public Thermal {
 public:
  struct Zone {
    Text<32> name;
    std::optional<double> celsius;  ///< nothing: it cannot be read
  };
  explicit FakeThermal(double celsius = 40) : zones{{"cpu-thermal", celsius}} {}

  Result<ThermalReading> hottest() override {
    if (zones.empty()) return Error{Errc::gone, 0, "read the fake temperature: no sensor is left"};
    std::optional<ThermalReading> best;
    for (const Zone& zone : zones)
      if (zone.celsius && (!best || *zone.celsius > best->celsius))
        best = ThermalReading{*zone.celsius, zone.name};
    if (!best) return Error{Errc::io, 0, "read the fake temperature: no sensor answers"};
    return *best;
  }
  /// Every sensor reads this.
  void set(double celsius) {
    for (Zone& zone : zones) zone.celsius = celsius;
  }

  std::vector<Zone> zones;
};

}  // namespace kerb
