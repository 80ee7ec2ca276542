// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "tools/train/pictures.hpp"
#include "tools/train/random.hpp"

/// Pictures made by code, for trainers: people of sticks and discs, and places where nobody is.
namespace kerb::test {

class Canvas {
 public:
  Canvas(int width, int height, std::uint64_t seed) : random_{seed} {
    pixels_.width = width;
    pixels_.height = height;
    pixels_.grey.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 0);
  }
  int below(int limit) { return static_cast<int>(random_.below(static_cast<std::size_t>(limit))); }
  int within(int from, int to) { return from + below(to - from + 1); }

  void box(int x, int y, int width, int height, int level) {
    for (int v = std::max(0, y); v < std::min(pixels_.height, y + height); ++v)
      for (int u = std::max(0, x); u < std::min(pixels_.width, x + width); ++u)
        at(u, v) = byte(level);
  }
  void disc(int x, int y, int radius, int level) {
    for (int v = y - radius; v <= y + radius; ++v)
      for (int u = x - radius; u <= x + radius; ++u)
        if (u >= 0 && v >= 0 && u < pixels_.width && v < pixels_.height &&
            (u - x) * (u - x) + (v - y) * (v - y) <= radius * radius)
          at(u, v) = byte(level);
  }
  /// Walls, doors, lamp posts and grain.
  void place() {
    box(0, 0, pixels_.width, pixels_.height, within(60, 190));
    const int things = pixels_.width * pixels_.height / 1500 + 3;
    for (int i = 0; i < things; ++i) {
      const int x = below(pixels_.width), y = below(pixels_.height), level = below(256);
      if (below(3) == 0) {
        disc(x, y, within(2, 9), level);
      } else {
        box(x - 8, y - 8, within(3, 40), within(3, 40), level);
      }
    }
  }
  /// Upright, `height` pixels tall, the feet's middle at (x, y): a head, a body, two legs.
  void person(int x, int y, int height) {
    const int level = below(2) == 0 ? within(0, 50) : within(205, 255), w = height / 6;
    disc(x, y - height + height / 12, height / 12, level);
    box(x - w, y - height + height / 6, 2 * w, height * 5 / 12, level + within(-10, 10));
    box(x - w + 1, y - height * 5 / 12, w - 1, height * 5 / 12, level);
    box(x + 1, y - height * 5 / 12, w - 1, height * 5 / 12, level);
  }
  train::Pixels finish() {
    for (std::uint8_t& sample : pixels_.grey) sample = byte(sample + within(-6, 6));
    return std::move(pixels_);
  }

 private:
  std::uint8_t& at(int x, int y) {
    return pixels_.grey[static_cast<std::size_t>(y) * static_cast<std::size_t>(pixels_.width) +
                        static_cast<std::size_t>(x)];
  }
  static std::uint8_t byte(int level) {
    return static_cast<std::uint8_t>(std::min(std::max(level, 0), 255));
  }
  train::Pixels pixels_;
  train::Random random_;
};

inline train::Pixels make_place(int width, int height, std::uint64_t seed) {
  Canvas canvas{width, height, seed};
  canvas.place();
  return canvas.finish();
}

/// A crop with a person of 3/4 the window's height in the middle, and a rim of 8 pixels.
inline train::Pixels make_crop(int window_width, int window_height, std::uint64_t seed) {
  Canvas canvas{window_width + 16, window_height + 16, seed};
  canvas.place();
  canvas.person(window_width / 2 + 8 + canvas.within(-1, 1),
                window_height * 7 / 8 + 8 + canvas.within(-1, 1), window_height * 3 / 4);
  return canvas.finish();
}

/// "crop N" and "place N" as files.
inline train::Loader made_pictures(int window_width, int window_height) {
  return [=](const std::string& path, bool colour) -> Result<train::Pixels> {
    const std::size_t gap = path.rfind(' ');
    if (gap == std::string::npos)
      return Error{Errc::damaged, 0, "no such picture", std::string_view{path}};
    const std::uint64_t seed = std::stoull(path.substr(gap + 1));
    train::Pixels pixels =
        path.find("crop") == 0
            ? make_crop(window_width, window_height, 1000 + seed)
            : make_place(100 + 20 * static_cast<int>(seed % 3), 110, 500000 + seed);
    for (int i = 0; colour && i < 3; ++i)
      pixels.planes.insert(pixels.planes.end(), pixels.grey.begin(), pixels.grey.end());
    return pixels;
  };
}

inline std::vector<std::string> names(const std::string& kind, int from, int count) {
  std::vector<std::string> all;
  for (int i = from; i < from + count; ++i) all.push_back(kind + " " + std::to_string(i));
  return all;
}

}  // namespace kerb::test
