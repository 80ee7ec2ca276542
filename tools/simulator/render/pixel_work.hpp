// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "tools/simulator/render/pixel_view.hpp"
#include "tools/simulator/render/weather_view.hpp"

/// All threads' work, one after the other on the CPU: see pixel_lanes.hpp.
namespace kerb::sim::one {

/// Samples, and shading.
void draw(const PixelView& view);
/// Weather over it.
void add_weather(const DrawView& view, const WeatherView& weather);
/// The camera.
void develop(const PixelView& view);
/// Which triangle is in the middle of each pixel.
void see(const PixelView& view, std::uint32_t* seen);

}  // namespace kerb::sim::one
