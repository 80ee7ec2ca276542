// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "gpu/memory/workers.hpp"
#include "tools/simulator/render/shade.hpp"
#include "tools/simulator/render/weather_view.hpp"

namespace kerb::sim {

/// What weather adds to a picture that is drawn, before the lens: mirror images on wet ground, fog
/// lit by lamps, streaks of rain, light that the glass scatters, drops on the windscreen. Fog by
/// day and the water's shine of lamps are in the shading (shade.hpp). For cameras of three colours
/// or grey ones; others get fog alone.
class WeatherPasses {
 public:
  WeatherPasses(const Scenario& scenario, const Canvas& canvas);
  /// Whether there is anything to add.
  [[nodiscard]] bool any() const noexcept { return any_; }
  /// Whether Radiance::surfaces must be filled.
  [[nodiscard]] bool needs_surfaces() const noexcept { return any_ && (wet_ > 0 || fog_ > 0); }
  /// What there is to add to one picture; until the next call. `t` and `exposure_s` in seconds;
  /// `mps`: the car's speed.
  const WeatherView& plan(const Shading& shading, double t, double exposure_s, double mps);
  /// Adds it to the picture that a view points to, on the CPU.
  void apply(Workers& workers, const DrawView& picture, const WeatherView& plan);

  /// Radiance that a unit of light on the camera adds this far (degrees) from its source: the
  /// glare of a clean windscreen, about 2 % of the light over all angles.
  [[nodiscard]] static float veil(float degrees) noexcept;

 private:
  void streaks(const Shading& s, double t, double exposure_s, double mps);
  void drops(double t, double mps);
  void sun(const Shading& s);

  WeatherSpec weather_;
  Canvas canvas_;
  std::uint64_t seed_;
  bool any_ = false;
  float wet_ = 0, fog_ = 0;
  WeatherView plan_;
  std::vector<Blend> blends_;
  std::vector<std::int32_t> last_;  // blend over each pixel, while chains are made
  std::vector<Drop> drops_;
  std::array<std::vector<F4>, kGlareLevels> levels_, spread_;  // of the picture, and scattered
  std::vector<V3> cells_;                                      // of lit fog
};

}  // namespace kerb::sim
