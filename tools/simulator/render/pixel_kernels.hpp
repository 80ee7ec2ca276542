// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "gpu/memory/stream.hpp"
#include "tools/simulator/render/pixel_view.hpp"
#include "tools/simulator/render/weather_view.hpp"

/// pixel_lanes.hpp's work on the GPU. Each queues launches on the stream and returns at once; the
/// view's pointers are the device's. Fail: device (a launch was refused).
namespace kerb::sim::cuda {

/// Samples, and shading.
Status draw(StreamRef stream, const PixelView& view);
/// Weather over it.
Status add_weather(StreamRef stream, const DrawView& view, const WeatherView& weather);
/// The camera.
Status develop(StreamRef stream, const PixelView& view);
/// Which triangle is in the middle of each pixel.
Status see(StreamRef stream, const PixelView& view, std::uint32_t* seen);
/// Every eighth pixel of every eighth row from the first quarter of the picture on, four channels
/// each: metered_count() of them.
Status gather_metered(StreamRef stream, const PixelView& view, float* out);

struct MeteredGrid {
  int first_row = 0, columns = 0, rows = 0;
  [[nodiscard]] KERB_BOTH int count() const noexcept { return columns * rows; }
};
/// The pixels that SensorModel::meter() looks at.
inline constexpr int kMeterStep = 8;
KERB_BOTH inline MeteredGrid metered_grid(int width, int height) noexcept {
  return {height / 4, (width + kMeterStep - 1) / kMeterStep,
          (height - height / 4 + kMeterStep - 1) / kMeterStep};
}

}  // namespace kerb::sim::cuda
