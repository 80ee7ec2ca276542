// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/memory/workers.hpp"
#include "tools/simulator/render/shade.hpp"

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
  /// One picture. `t` and `exposure_s` in seconds; `mps`: the car's speed.
  void apply(Workers& workers, const Shading& shading, double t, double exposure_s, double mps,
             Radiance& picture);

  /// Radiance that a unit of light on the camera adds this far (degrees) from its source: the
  /// glare of a clean windscreen, about 2 % of the light over all angles.
  [[nodiscard]] static float veil(float degrees) noexcept;

 private:
  struct Level {  // of a pyramid of ever smaller pictures
    int width = 0, height = 0;
    std::vector<F4> pixels;
  };
  void mirror_images(Workers& workers, const Shading& s, Radiance& picture) const;
  void lit_fog(Workers& workers, const Shading& s, Radiance& picture);
  void streaks(const Shading& s, double t, double exposure_s, double mps, Radiance& picture) const;
  void shrink(Workers& workers, const Radiance& picture);
  void scatter(Workers& workers, const Shading& s, Radiance& picture);
  void drops(const Shading& s, double t, double mps, Radiance& picture) const;
  [[nodiscard]] static F4 look(const Level& level, float x, float y) noexcept;

  WeatherSpec weather_;
  Canvas canvas_;
  std::uint64_t seed_;
  bool any_ = false;
  float wet_ = 0, fog_ = 0;
  std::vector<Level> levels_;  // of the picture, the first a quarter as wide
  std::vector<Level> spread_;  // of its scattered light
  std::vector<V3> cells_;      // of lit fog: columns x rows x depths
};

}  // namespace kerb::sim
