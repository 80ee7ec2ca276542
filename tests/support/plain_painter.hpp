// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tools/simulator/run/painter.hpp"

namespace kerb::test {

/// Plain pictures that change from frame to frame, with nobody in them: for whoever tests the
/// running, not the seeing.
class PlainPainter final : public sim::Painter {
 public:
  explicit PlainPainter(const sim::CameraSpec& camera) : camera_{camera} {}
  void paint(const sim::World& /*world*/, double t, std::vector<std::uint8_t>& bytes) override {
    const auto samples = static_cast<std::size_t>(camera_.width) *
                         static_cast<std::size_t>(sim::channels_of(camera_.sensor));
    const auto rows = static_cast<std::size_t>(camera_.height);
    const auto moved = static_cast<std::size_t>(std::lround(t * 300));
    bytes.resize(samples * rows);
    for (std::size_t y = 0; y < rows; ++y)
      for (std::size_t x = 0; x < samples; ++x)
        bytes[y * samples + x] =
            static_cast<std::uint8_t>(60 + (x / 3 + y + moved) % 64 + 80 * y / rows);
  }

 private:
  sim::CameraSpec camera_;
};

inline std::unique_ptr<sim::Painter> make_plain_painter(const sim::Scenario& scenario,
                                                        int /*threads*/) {
  return std::make_unique<PlainPainter>(scenario.camera);
}

}  // namespace kerb::test
