// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "gpu/memory/context.hpp"
#include "tools/simulator/world/world.hpp"

namespace kerb::sim {

/// Makes the camera's pictures of a scenario: bytes as the sensor has them, rows dense, grey or
/// R G B. One thread at a time.
class Painter {
 public:
  virtual ~Painter() = default;
  virtual void paint(const World& world, double t, std::vector<std::uint8_t>& bytes) = 0;
};
using PainterMaker = std::function<std::unique_ptr<Painter>(const Scenario& scenario, int threads)>;

/// Samples a pixel has with this sensor.
[[nodiscard]] constexpr int channels_of(Sensor sensor) noexcept {
  return sensor == Sensor::rgb ? 3 : 1;
}

/// For a firmware that decides by a log: pictures of kSmallWidth x kSmallHeight that show nothing,
/// but have detail and differ, so that the camera counts as good.
inline constexpr int kSmallWidth = 64, kSmallHeight = 40;
[[nodiscard]] std::unique_ptr<Painter> make_small_painter();

/// The renderer (tools/simulator/render): pictures in which a detector can see people.
[[nodiscard]] std::unique_ptr<Painter> make_rendered_painter(const Scenario& scenario, int threads);
/// The same where `choice` says: on the CPU, or on a GPU, the same pictures. `report` is told, in
/// words, when a GPU fails later; the CPU goes on then. Fails: as Context::create().
[[nodiscard]] Result<PainterMaker> rendered_painters(BackendChoice choice,
                                                     std::function<void(const Error&)> report);

}  // namespace kerb::sim
