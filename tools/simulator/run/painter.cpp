// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/run/painter.hpp"

#include <cmath>

#include "tools/simulator/render/renderer.hpp"

namespace kerb::sim {
namespace {

class RenderedPainter final : public Painter {
 public:
  RenderedPainter(const Scenario& scenario, int threads)
      : renderer_{scenario, {.truth = false, .threads = threads}} {}
  void paint(const World& world, double t, std::vector<std::uint8_t>& bytes) override {
    renderer_.draw(world, t, rendered_);
    bytes = rendered_.pixels;
  }

 private:
  Renderer renderer_;
  Rendered rendered_;
};

class PlainPainter final : public Painter {
 public:
  explicit PlainPainter(const CameraSpec& camera) : camera_{camera} {}
  void paint(const World& /*world*/, double t, std::vector<std::uint8_t>& bytes) override {
    const auto samples = static_cast<std::size_t>(camera_.width) *
                         static_cast<std::size_t>(channels_of(camera_.sensor));
    const auto rows = static_cast<std::size_t>(camera_.height);
    const auto moved = static_cast<std::size_t>(std::lround(t * 300));
    bytes.resize(samples * rows);
    for (std::size_t y = 0; y < rows; ++y)
      for (std::size_t x = 0; x < samples; ++x)
        bytes[y * samples + x] =
            static_cast<std::uint8_t>(60 + (x / 3 + y + moved) % 64 + 80 * y / rows);
  }

 private:
  CameraSpec camera_;
};

}  // namespace

std::unique_ptr<Painter> make_rendered_painter(const Scenario& scenario, int threads) {
  return std::make_unique<RenderedPainter>(scenario, threads);
}

std::unique_ptr<Painter> make_plain_painter(const Scenario& scenario, int /*threads*/) {
  return std::make_unique<PlainPainter>(scenario.camera);
}

}  // namespace kerb::sim
