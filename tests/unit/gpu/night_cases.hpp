// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/night/temporal_filter.hpp"
#include "gpu/night/tone_curve.hpp"
#include "hal/motion.hpp"
#include "tests/support/random.hpp"
#include "tests/unit/gpu/planes.hpp"

/// Pictures and films in the dark for the tests of gpu/night, unit and gpu.
namespace kerb::test {

/// Planes that can be written.
struct NightCanvas {
  int count, width, height, stride;
  std::vector<std::uint8_t> bytes;

  NightCanvas(int planes, int w, int h, int slack = 0, std::uint8_t fill = 0xa5)
      : count{planes},
        width{w},
        height{h},
        stride{w + slack},
        bytes(static_cast<std::size_t>(planes * h * (w + slack)), fill) {}
  [[nodiscard]] std::ptrdiff_t plane_stride() const {
    return static_cast<std::ptrdiff_t>(stride) * height;
  }
  [[nodiscard]] std::size_t index(int plane, int x, int y) const {
    return static_cast<std::size_t>(plane * plane_stride() + y * stride + x);
  }
  [[nodiscard]] std::uint8_t at(int plane, int x, int y) const { return bytes[index(plane, x, y)]; }
  [[nodiscard]] PlanesView<Space::host, std::uint8_t> to() {
    return {bytes.data(), count, width, height, stride, plane_stride()};
  }
  [[nodiscard]] PlanesView<Space::host, const std::uint8_t> from() const {
    return {bytes.data(), count, width, height, stride, plane_stride()};
  }
};

/// Random pixels that are mostly dark: half are under a quarter of `brightest`.
inline NightCanvas dark_picture(int planes, int width, int height, int slack, int brightest,
                                std::uint64_t seed) {
  NightCanvas out{planes, width, height, slack};
  Random random{seed};
  for (std::uint8_t& b : out.bytes) {
    const std::uint64_t r = random.next();
    const auto flat = static_cast<double>(r >> 11) / 9007199254740992.0;
    b = static_cast<std::uint8_t>(flat * flat * brightest);
    if (r % 211 == 0) b = static_cast<std::uint8_t>(r >> 8);  // lamps
  }
  return out;
}

struct ToneCase {
  night::ToneCurveSettings settings;
  int planes, width, height, brightest;
};
inline const ToneCase kToneCases[] = {
    {{64, 4, 0, 3}, 1, 640, 480, 60},   {{64, 4, 0, 3}, 3, 333, 211, 60},
    {{64, 4, 1, 3}, 1, 640, 480, 60},   {{64, 4, 0.5, 2}, 3, 333, 211, 60},
    {{96, 8, 0.75, 4}, 3, 129, 97, 20}, {{40, 2, 0.3, 1.5}, 1, 1025, 70, 90},
    {{200, 16, 1, 16}, 3, 16, 16, 255}, {{64, 16, 0, 3}, 3, 64, 48, 1},
    {{1, 1, 1, 1}, 1, 64, 48, 255},     {{64, 4, 0.5, 3}, 3, 640, 480, 255},
    {{200, 16, 1, 1}, 1, 17, 19, 3}};

/// A street with somebody in it, as a function of place and time: exact between pixels too.
class NightFilm {
 public:
  struct Settings {
    int planes = 1, width = 160, height = 120;
    double pan_x = 0, pan_y = 0;    // of the picture's content, pixels a frame
    double walk_x = 0, walk_y = 0;  // of the person, pixels a frame
    double sigma = 4;               // noise, grey values
    double gain = 1;                // exposure, from frame `gain_from` on
    int gain_from = 1 << 30;
    int cut_at = 1 << 30;  // another street
  };
  explicit NightFilm(const Settings& settings) : s_{settings} {}

  [[nodiscard]] bool is_person(int x, int y, int t) const {
    const double px = s_.width * 0.3 + s_.walk_x * t, py = s_.height * 0.3 + s_.walk_y * t;
    return x >= px && x < px + kPersonWidth && y >= py && y < py + kPersonHeight;
  }
  [[nodiscard]] double truth(int plane, int x, int y, int t) const {
    double v = 0;
    if (is_person(x, y, t)) {
      v = 70 + 12 * std::sin(0.5 * (y - s_.walk_y * t)) + 3 * plane;
    } else {
      const double u = x - s_.pan_x * t, w = y - s_.pan_y * t;
      const double other = t >= s_.cut_at ? 2.0 : 0.0;
      v = 34 + 10 * std::sin(0.31 * u + 0.07 * w + other) +
          9 * std::cos(0.05 * u - 0.27 * w + 2 * other) + 8 * std::sin(0.11 * u + 0.12 * w) -
          2 * plane + 40 * other;
    }
    return std::clamp(v * (t >= s_.gain_from ? s_.gain : 1.0), 0.0, 255.0);
  }
  [[nodiscard]] NightCanvas frame(int t, int slack = 0) const {
    NightCanvas out{s_.planes, s_.width, s_.height, slack};
    Random random{static_cast<std::uint64_t>(t) + 77};
    for (int p = 0; p < s_.planes; ++p)
      for (int y = 0; y < s_.height; ++y)
        for (int x = 0; x < s_.width; ++x) {
          double bell = -6;  // a sum of twelve is nearly normal
          for (int i = 0; i < 12; ++i)
            bell += static_cast<double>(random.next() >> 11) / 9007199254740992.0;
          const double v = truth(p, x, y, t) + s_.sigma * bell;
          out.bytes[out.index(p, x, y)] =
              static_cast<std::uint8_t>(std::lround(std::clamp(v, 0.0, 255.0)));
        }
    return out;
  }
  /// Exact vectors from the frame before to frame t, one every `step` pixels.
  [[nodiscard]] std::unique_ptr<MotionField> motion(int t, int step = 12) const {
    auto field = std::make_unique<MotionField>();
    field->has_previous = true;
    for (int y = step / 2; y < s_.height; y += step)
      for (int x = step / 2; x < s_.width; x += step) {
        if (field->count == MotionField::kCapacity) return field;
        const bool person = is_person(x, y, t);
        const double dx = person ? s_.walk_x : s_.pan_x, dy = person ? s_.walk_y : s_.pan_y;
        field->items[field->count++] = {
            static_cast<float>(x - dx), static_cast<float>(y - dy), static_cast<float>(dx),
            static_cast<float>(dy), 0.5F + 0.4F * static_cast<float>((x * 7 + y * 3) % 11) / 11};
      }
    return field;
  }
  [[nodiscard]] const Settings& settings() const { return s_; }

 private:
  static constexpr int kPersonWidth = 20, kPersonHeight = 48;
  Settings s_;
};

struct FilmCase {
  const char* name;
  NightFilm::Settings film;
  bool with_motion;
};
inline const FilmCase kFilmCases[] = {
    {"still, grey", {1, 160, 120, 0, 0, 0, 0, 4}, true},
    {"pan and walk, colour", {3, 161, 97, 1.4, -0.6, -2.3, 0.2, 4}, true},
    {"pan, no flow", {3, 128, 64, 2.5, 0, 0, 0, 6}, false},
    {"exposure", {3, 131, 77, 0.3, 0, 1, 0, 4, 1.5, 4}, true},
    {"darker, cut", {1, 144, 80, 0, 0.5, 1, 0, 3, 0.6, 3, 5}, true},
    {"smallest", {3, 16, 16, 0, 0, 1, 0, 4}, true},
    {"wide", {1, 1040, 40, -3.2, 0, 1, 0, 4}, true}};

}  // namespace kerb::test
