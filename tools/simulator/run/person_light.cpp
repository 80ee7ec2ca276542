// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/run/person_light.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/simulator/render/renderer.hpp"

namespace kerb::sim {
namespace {

constexpr int kHeights = 8;       // parts of a person, from head to foot
constexpr double kAround = 0.35;  // of the person's height: how far "around" goes to each side
constexpr int kLeastPixels = 12;  // of a part that counts

double grey(const Rendered& r, std::size_t i) {
  if (r.channels != 3) return r.pixels[i * static_cast<std::size_t>(r.channels)];
  return 0.299 * r.pixels[3 * i] + 0.587 * r.pixels[3 * i + 1] + 0.114 * r.pixels[3 * i + 2];
}

}  // namespace

std::optional<Truth::PersonLight> measure_person_light(const World& world, const Truth& truth,
                                                       double before_s, int threads) {
  if (!truth.contact) return std::nullopt;
  Truth::PersonLight out;
  out.at = std::max(0.0, truth.contact->t - before_s - kSeeingTime_s);
  const int person = truth.contact->person;
  Scenario clear = world.scenario();
  clear.camera.noise = 0;
  Rendered with, without;
  Renderer noisy{world.scenario(), {.truth = false, .threads = threads}};
  noisy.draw(world, out.at, with);
  Renderer quiet{clear, {.truth = true, .threads = threads}};
  quiet.draw(world, out.at, without);
  out.lux = quiet.person_lux(world, person, out.at);
  const auto id = static_cast<std::uint16_t>(ObjectId::kFirstPerson + person);
  int x0 = without.width, x1 = -1, y0 = without.height, y1 = -1;
  for (int y = 0; y < without.height; ++y)
    for (int x = 0; x < without.width; ++x)
      if (without.objects[static_cast<std::size_t>(y * without.width + x)] == id) {
        x0 = std::min(x0, x);
        x1 = std::max(x1, x);
        y0 = std::min(y0, y);
        y1 = std::max(y1, y);
      }
  if (x1 < 0) return std::nullopt;
  const int tall = y1 - y0 + 1, margin = std::max(4, static_cast<int>(std::lround(kAround * tall)));
  struct Part {
    double inside = 0, around = 0;
    int n = 0, m = 0;
  };
  std::array<Part, kHeights> parts{};
  double squares = 0;
  int count = 0;
  for (int y = y0; y <= y1; ++y)
    for (int x = std::max(0, x0 - margin); x <= std::min(without.width - 1, x1 + margin); ++x) {
      const auto i = static_cast<std::size_t>(y * without.width + x);
      Part& part = parts[static_cast<std::size_t>((y - y0) * kHeights / tall)];
      const double level = grey(without, i), off = grey(with, i) - level;
      squares += off * off;
      ++count;
      if (without.objects[i] == id) {
        part.inside += level;
        ++part.n;
        out.pixels += 1;
      } else {
        part.around += level;
        ++part.m;
      }
    }
  double sum = 0;
  int counted = 0;
  for (const Part& p : parts) {
    if (p.n < std::min(kLeastPixels, tall / kHeights) || p.n == 0 || p.m == 0) continue;
    const double d = p.inside / p.n - p.around / p.m;
    sum += d * d;
    ++counted;
  }
  out.contrast = counted > 0 ? std::sqrt(sum / counted) : 0;
  out.noise = std::sqrt(squares / std::max(count, 1));
  return out;
}

}  // namespace kerb::sim
