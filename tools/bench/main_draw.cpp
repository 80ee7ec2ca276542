// SPDX-License-Identifier: Apache-2.0
// How long the simulator's pictures take, on the CPU and with CUDA: one JSON line a scene and
// backend. Pictures of a drive, one after the other, by turns; without what is true of each pixel.
#include <cstdio>
#include <memory>
#include <optional>

#include "hal/base/clock.hpp"
#include "tools/bench/arguments.hpp"
#include "tools/bench/contest.hpp"
#include "tools/simulator/render/renderer.hpp"

using namespace kerb;
using namespace kerb::bench;

namespace {

constexpr const char* kUsageText = "usage: bench_draw [auto|cpu|cuda] [REPEATS]\n";
constexpr int kWidth = 1280, kHeight = 720;

struct DrawBench {
  int repeats = 15;
  bool cpu = true, cuda = false;
};

struct Scene {
  const char* name;
  sim::Scenario scenario;
};

std::vector<Scene> scenes() {
  using namespace sim;
  Scenario base;
  base.camera.width = kWidth;
  base.camera.height = kHeight;
  base.car.speeds = {{0, 10, 3}};
  base.street.parked_cars = true;
  for (int i = 0; i < 9; ++i) {
    PersonSpec p;
    p.start = {{10 + 3.0 * i, i % 2 == 0 ? -3.0 : 3.5}, 0.7 * i};
    p.seed = static_cast<std::uint32_t>(i);
    base.people.push_back(p);
  }
  const auto with = [&](Daylight kind, bool lamps, const WeatherSpec& weather) {
    Scenario s = base;
    s.light.kind = kind;
    s.light.headlamps = s.light.street_lamps = lamps;
    s.weather = weather;
    return s;
  };
  Scenario park = with(Daylight::low_sun, false, {});
  park.street.left = park.street.right = Side::park;
  return {{"houses, overcast", with(Daylight::overcast, false, {})},
          {"houses, sun", with(Daylight::noon, false, {})},
          {"park, low sun", park},
          {"night, lamps", with(Daylight::night, true, {})},
          {"night, lamps, rain", with(Daylight::night, true, {0, 6, 0.8, {}, 1})},
          {"fog", with(Daylight::noon, false, {90, 0, 0, {}, 0})}};
}

/// A renderer on its way along the street.
struct Drive {
  Drive(const sim::Scenario& scenario, const Context* gpu, int threads)
      : world{scenario}, renderer{scenario, {.truth = false, .threads = threads, .gpu = gpu}} {}
  Status next() {
    renderer.draw(world, t, out);
    t += 1.0 / 30;
    if (++drawn <= 2) return Done{};  // the first pictures also make people
    const sim::Renderer::Times& s = renderer.times();
    sum.place += s.place;
    sum.shadows += s.shadows;
    sum.bin += s.bin;
    sum.shade += s.shade;
    sum.develop += s.develop;
    ++pictures;
    return renderer.gpu_error() ? Status{*renderer.gpu_error()} : Status{Done{}};
  }
  sim::World world;
  sim::Renderer renderer;
  sim::Rendered out;
  double t = 0;
  sim::Renderer::Times sum;
  int pictures = 0, drawn = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Arguments> arguments = read_arguments(argc, argv);
  if (!arguments) return usage(kUsageText);
  DrawBench bench;
  const Result<Context> context = apply(*arguments, bench);
  if (!context) return fail("bench_draw", context.error());
  print_machine(*context, bench);
  for (const Scene& scene : scenes()) {
    std::vector<std::unique_ptr<Drive>> drives;
    std::vector<Contestant> contestants;
    std::vector<int> threads;
    const auto add = [&](const char* backend, const Context* gpu, int count) {
      drives.push_back(std::make_unique<Drive>(scene.scenario, gpu, count));
      contestants.push_back({scene.name, backend, [d = drives.back().get()] { return d->next(); }});
      threads.push_back(count);
    };
    if (bench.cpu) add("cpu", nullptr, 1);
    if (bench.cpu) add("cpu", nullptr, 2);
    if (bench.cuda) add("cuda", &*context, 1);
    if (bench.cuda) add("cuda", &*context, 2);
    const Result<std::vector<Times>> times = contest(SystemClock{}, contestants, bench.repeats);
    if (!times) return fail("bench_draw", times.error());
    for (std::size_t i = 0; i < drives.size(); ++i) {
      const sim::Renderer::Times& s = drives[i]->sum;
      const double n = drives[i]->pictures / 1000.0;
      std::printf(
          "{\"scene\":\"%s\",\"width\":%d,\"height\":%d,\"backend\":\"%s\",\"threads\":%d,"
          "\"median_ms\":%.2f,\"best_ms\":%.2f,\"worst_ms\":%.2f,\"core_ms\":{\"place\":%.2f,"
          "\"shadows\":%.2f,\"sort\":%.2f,\"shade\":%.2f,\"camera\":%.2f}}\n",
          scene.name, kWidth, kHeight, contestants[i].backend.c_str(), threads[i],
          (*times)[i].median_ms, (*times)[i].best_ms, (*times)[i].worst_ms, s.place / n,
          s.shadows / n, s.bin / n, s.shade / n, s.develop / n);
      std::fflush(stdout);
    }
  }
  return 0;
}
