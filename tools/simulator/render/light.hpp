// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "tools/simulator/base/scenario.hpp"
#include "tools/simulator/render/vecf.hpp"

namespace kerb::sim {

/// Light that arrives, in kilolux (a white matt surface under 1 then has the radiance 1), and where
/// from. Colours are linear.
struct Light {
  bool sun_shines = false;
  V3 to_sun{0, 0, 1};
  V3 sun;                    ///< on what faces it
  V3 sky;                    ///< from an open sky on level ground
  V3 side{0, 0, 0};          ///< more on what faces the open ends of a street
  float bounce = 0.16F;      ///< of the ground
  V3 horizon;                ///< the haze's radiance
  float haze = 1.0F / 2500;  ///< 1 / m
  bool fog = false;    ///< the haze is thick: it needs an exact exponential, and hides the sky
  bool lamps = false;  ///< windows, lanterns
  double exposure_s = 0.004;
  float gain = 1;     ///< of the sensor's noise
  float row = 1;      ///< of the noise of whole rows, against that
  float darkest = 0;  ///< radiance below which automatic exposure does not brighten any further
};
Light light_of(const LightSpec& spec, std::uint32_t seed);
/// What fog and rain do to it: extinction, air light, less sun and more sky.
void add_weather(const WeatherSpec& weather, Light& light);
/// 1 / m, from the meteorological visibility: a contrast is down to 5 % there (WMO).
[[nodiscard]] float fog_extinction(double fog_m);
/// 1 / m, of rain (Carbonneau and Wisely: 1.076 R^0.67 dB / km).
[[nodiscard]] float rain_extinction(double mm_h);

/// How a lamp's light is spread over directions.
enum class Pattern : std::uint8_t {
  lantern_simple,
  beam_simple,  ///< symmetrical, with a soft cut-off
  lantern,      ///< a street lantern: even light on the road
  dipped,       ///< ECE R112 class B, for traffic on the right
  full,
};

/// What comes from a lamp: falls with the square of the distance.
struct Lamp {
  V3 at, axis{0, 0, -1};
  V3 candela;                     ///< kilocandela on its axis
  float range = 30;               ///< metres, beyond which it is left out
  bool beam = false;              ///< a car's low beam, with a cut-off; else a lantern
  V3 left{0, 1, 0}, up{0, 0, 1};  ///< of a beam: across its axis
  Pattern pattern = Pattern::lantern_simple;
  float extinction = 0;  ///< 1 / m, of fog
};
/// A car's low beam there.
Lamp low_beam(V3 at, V3 axis);
/// A headlamp by its photometry, there; `ahead` is level, the beam is aimed 1 % down when dipped.
Lamp real_beam(V3 at, V3 ahead, Beam beam);
/// A street lantern by its photometry: 10 lx on the road below, 7 m high.
Lamp real_lantern(V3 at);
/// Kilocandela of a headlamp towards a direction: tangents to the left of and above its axis.
[[nodiscard]] float beam_candela(Beam beam, float left, float up);
/// Kilolux at a point, on what faces the lamp.
V3 lamp_light(const Lamp& lamp, V3 point, V3& to_lamp);

/// The upper half of all directions as a square of pixels, and one more behind.
struct Dome {
  const V3* pixels = nullptr;
  int side = 0;
};

/// The sky with its clouds, and what else shiny things mirror. Upper half of all directions.
class Sky {
 public:
  Sky(const LightSpec& spec, const Light& light, bool houses, std::uint32_t seed);
  /// Radiance from a direction (unit length).
  [[nodiscard]] V3 radiance(V3 d) const noexcept { return look(sky_, kSide, d); }
  /// The same with houses and trees round about, blurred.
  [[nodiscard]] V3 mirrored(V3 d) const noexcept { return look(mirror_, kMirror, d); }
  /// What they look at, for light_lanes.hpp.
  [[nodiscard]] Dome radiance_dome() const noexcept { return {sky_.data(), kSide}; }
  [[nodiscard]] Dome mirror_dome() const noexcept { return {mirror_.data(), kMirror}; }

 private:
  static constexpr int kSide = 1024, kMirror = 256;
  static V3 look(const std::vector<V3>& dome, int side, V3 d) noexcept;
  std::vector<V3> sky_, mirror_;
};

}  // namespace kerb::sim
