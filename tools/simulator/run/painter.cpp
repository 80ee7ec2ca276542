// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/run/painter.hpp"

#include "hal/base/splitmix.hpp"
#include "tools/simulator/render/renderer.hpp"

namespace kerb::sim {
namespace {

class RenderedPainter final : public Painter {
 public:
  RenderedPainter(const Scenario& scenario, int threads, std::shared_ptr<const Context> gpu,
                  std::function<void(const Error&)> report)
      : gpu_{std::move(gpu)},
        report_{std::move(report)},
        renderer_{scenario, {.truth = false, .threads = threads, .gpu = gpu_.get()}} {}
  void paint(const World& world, double t, std::vector<std::uint8_t>& bytes) override {
    renderer_.draw(world, t, rendered_);
    bytes = rendered_.pixels;
    if (!renderer_.gpu_error() || !report_) return;
    report_(*renderer_.gpu_error());
    report_ = nullptr;  // once
  }

 private:
  std::shared_ptr<const Context> gpu_;
  std::function<void(const Error&)> report_;
  Renderer renderer_;
  Rendered rendered_;
};

/// A texture that stays, and noise in its lowest bits that changes.
class SmallPainter final : public Painter {
 public:
  void paint(const World& /*world*/, double /*t*/, std::vector<std::uint8_t>& bytes) override {
    bytes.resize(std::size_t{kSmallWidth} * kSmallHeight);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::uint8_t>(64 + splitmix64(i) % 128 + noise_.next() % 4);
  }

 private:
  SplitMix64 noise_{1};
};

}  // namespace

std::unique_ptr<Painter> make_small_painter() { return std::make_unique<SmallPainter>(); }

std::unique_ptr<Painter> make_rendered_painter(const Scenario& scenario, int threads) {
  return std::make_unique<RenderedPainter>(scenario, threads, nullptr, nullptr);
}

Result<PainterMaker> rendered_painters(BackendChoice choice,
                                       std::function<void(const Error&)> report) {
  Result<Context> made = Context::create(choice);
  if (!made) return made.error();
  return PainterMaker{[context = std::make_shared<const Context>(std::move(*made)),
                       report = std::move(report)](const Scenario& scenario, int threads) {
    return std::make_unique<RenderedPainter>(scenario, threads, context, report);
  }};
}

}  // namespace kerb::sim
