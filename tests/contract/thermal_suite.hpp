// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hal/thermal.hpp"

namespace kerb {

/// A sensor as the suite wants it. Nothing: it does not answer.
struct WantedZone {
  std::string name;
  std::optional<double> celsius;
};

struct ThermalFixture {
  /// Makes the sensors be these, and opens them.
  std::function<std::unique_ptr<Thermal>(const std::vector<WantedZone>&)> open;
  /// Makes those that the last open() made read these; the same number, in the same order.
  std::function<void(Thermal&, const std::vector<WantedZone>&)> change;
};

/// Runs the suite; how many tests failed.
int run_thermal_suite(const ThermalFixture& fixture);

}  // namespace kerb
