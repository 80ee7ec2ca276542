// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/run/painter.hpp"

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

}  // namespace

std::unique_ptr<Painter> make_rendered_painter(const Scenario& scenario, int threads) {
  return std::make_unique<RenderedPainter>(scenario, threads);
}

}  // namespace kerb::sim
