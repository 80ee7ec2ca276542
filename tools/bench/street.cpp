// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/street.hpp"

#include <algorithm>
#include <cstddef>

#include "tools/bench/random.hpp"

namespace kerb::bench {
namespace {

/// Draws in thousandths of the picture's height from its top left, so that a street keeps its look
/// in every size.
class Canvas {
 public:
  Canvas(int width, int height)
      : width_{width},
        height_{height},
        samples_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {}

  [[nodiscard]] int columns() const { return 1 + 1000 * width_ / std::max(1, height_); }

  void box(int x0, int y0, int x1, int y1, int grey) {
    const int left = std::max(0, to_pixels(x0)), right = std::min(width_, to_pixels(x1));
    const int top = std::max(0, to_pixels(y0)), bottom = std::min(height_, to_pixels(y1));
    for (int y = top; y < bottom; ++y)
      for (int x = left; x < right; ++x) at(x, y) = static_cast<std::uint8_t>(grey);
  }

  /// A filled ellipse round (x, y).
  void disc(int x, int y, int radius_x, int radius_y, int grey) {
    const int cx = to_pixels(x), cy = to_pixels(y);
    const std::int64_t rx = std::max(1, to_pixels(radius_x)), ry = std::max(1, to_pixels(radius_y));
    for (int v = static_cast<int>(std::max<std::int64_t>(0, cy - ry));
         v < std::min<std::int64_t>(height_, cy + ry + 1); ++v)
      for (int u = static_cast<int>(std::max<std::int64_t>(0, cx - rx));
           u < std::min<std::int64_t>(width_, cx + rx + 1); ++u)
        if ((u - cx) * (u - cx) * ry * ry + (v - cy) * (v - cy) * rx * rx <= rx * rx * ry * ry)
          at(u, v) = static_cast<std::uint8_t>(grey);
  }

  /// A limb: a slanted bar from (x0, y0) to (x1, y1).
  void bar(int x0, int y0, int x1, int y1, int half_width, int grey) {
    const int top = std::max(0, to_pixels(y0)), bottom = std::min(height_, to_pixels(y1));
    const int length = std::max(1, to_pixels(y1) - to_pixels(y0));
    const int half = std::max(1, to_pixels(half_width));
    for (int y = top; y < bottom; ++y) {
      const int centre =
          to_pixels(x0) + (to_pixels(x1) - to_pixels(x0)) * (y - to_pixels(y0)) / length;
      for (int x = std::max(0, centre - half); x < std::min(width_, centre + half + 1); ++x)
        at(x, y) = static_cast<std::uint8_t>(grey);
    }
  }

  /// Grain, and a slow rise of light to the right, as lenses and the sun have it.
  void expose(Random& random) {
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x) {
        const std::uint64_t r = random.next();
        const int grain = static_cast<int>(r & 7) + static_cast<int>((r >> 8) & 7) - 7;
        at(x, y) = static_cast<std::uint8_t>(
            std::clamp(at(x, y) + grain + 16 * x / std::max(1, width_), 0, 255));
      }
  }

  /// A mean over 3 x 3: a lens has no sharper edges.
  void blur() {
    const std::vector<std::uint8_t> in = samples_;
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x) {
        int sum = 0;
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx)
            sum += in[index(std::clamp(x + dx, 0, width_ - 1), std::clamp(y + dy, 0, height_ - 1))];
        at(x, y) = static_cast<std::uint8_t>((sum + 4) / 9);
      }
  }

  /// One of R, G and B, before lens and grain.
  [[nodiscard]] Canvas tinted(int plane) const {
    constexpr int kTints[8][3] = {{0, 0, 0},    {22, -8, -18}, {-20, 6, 24}, {-12, 10, -14},
                                  {16, 2, -30}, {-10, -4, 30}, {28, -14, 0}, {-6, 0, 12}};
    Canvas out = *this;
    for (std::uint8_t& sample : out.samples_) {
      const unsigned paint = sample / 8U;  // the sky fades without a rainbow
      const int tint = kTints[paint * 0x9E3779B1U >> 29][plane];
      sample = static_cast<std::uint8_t>(std::clamp(sample + tint, 0, 255));
    }
    return out;
  }

  std::vector<std::uint8_t> take() { return std::move(samples_); }

 private:
  [[nodiscard]] int to_pixels(int thousandths) const {
    return static_cast<int>(std::int64_t{thousandths} * height_ / 1000);
  }
  [[nodiscard]] std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
           static_cast<std::size_t>(x);
  }
  std::uint8_t& at(int x, int y) { return samples_[index(x, y)]; }

  int width_, height_;
  std::vector<std::uint8_t> samples_;
};

constexpr int kHorizon = 480;

void draw_houses(Canvas& canvas, Random& random) {
  for (int x = 0; x < canvas.columns();) {
    const int width = 120 + random.below(160), top = 60 + random.below(240);
    const int wall = 90 + random.below(110), pane = wall - 40 - random.below(40);
    canvas.box(x, top, x + width, kHorizon + 20, wall);
    canvas.box(x, top, x + width, top + 8, wall - 30);  // the eaves
    const int step = 34 + random.below(24);
    for (int v = top + 24; v + step < kHorizon; v += step)
      for (int u = x + 12; u + step < x + width; u += step) {
        canvas.box(u, v, u + step * 5 / 8, v + step * 3 / 4, random.below(5) == 0 ? 220 : pane);
        canvas.box(u, v + step * 3 / 8, u + step * 5 / 8, v + step * 3 / 8 + 2, wall + 30);
      }
    x += width + random.below(30);
  }
}

void draw_road(Canvas& canvas, Random& random) {
  canvas.box(0, kHorizon, canvas.columns(), 560, 150);  // the pavement
  canvas.box(0, 556, canvas.columns(), 564, 190);       // its kerb
  canvas.box(0, 564, canvas.columns(), 1000, 95);
  for (int i = 0; i < 9; ++i) {  // dashes, larger as they come nearer
    const int y = 600 + i * i * 5, middle = canvas.columns() / 2 - i * 14;
    canvas.bar(middle, y, middle - 8, y + 10 + 3 * i, 3 + i, 215);
  }
  for (int i = 0; i < 400; ++i) {  // patches and cracks
    const int x = random.below(canvas.columns()), y = 566 + random.below(430);
    canvas.box(x, y, x + 4 + random.below(28), y + 2 + random.below(5), 80 + random.below(40));
  }
}

void draw_car(Canvas& canvas, Random& random, int x, int foot, int height) {
  const int paint = 40 + random.below(180), width = height * 12 / 5;
  canvas.box(x, foot - height * 3 / 5, x + width, foot - height / 8, paint);
  canvas.box(x + width / 5, foot - height, x + width * 4 / 5, foot - height * 3 / 5, paint - 20);
  canvas.box(x + width / 4, foot - height * 9 / 10, x + width * 3 / 4, foot - height * 3 / 5, 40);
  for (const int wheel : {x + width / 5, x + width * 4 / 5})
    canvas.disc(wheel, foot - height / 6, height / 6, height / 6, 25);
}

/// Head, body, arms and legs; `height` from sole to crown.
void draw_person(Canvas& canvas, Random& random, int x, int foot, int height) {
  const int coat = random.below(2) == 0 ? 30 + random.below(50) : 180 + random.below(60);
  const int legs = 25 + random.below(60), skin = 150 + random.below(60);
  const int hip = foot - height * 48 / 100, shoulder = foot - height * 82 / 100;
  const int stride = height * (4 + random.below(8)) / 100, limb = height * 5 / 100;
  canvas.bar(x - limb, hip, x - stride, foot, limb, legs);
  canvas.bar(x + limb, hip, x + stride, foot, limb, legs);
  canvas.bar(x - height * 12 / 100, shoulder + limb, x - height * 15 / 100, hip, limb / 2, coat);
  canvas.bar(x + height * 12 / 100, shoulder + limb, x + height * 15 / 100, hip, limb / 2, coat);
  canvas.bar(x, shoulder, x, hip, height * 9 / 100, coat);
  canvas.disc(x, foot - height * 91 / 100, height * 6 / 100, height * 8 / 100, skin);
  canvas.disc(x, foot - height * 95 / 100, height * 6 / 100, height * 5 / 100, 40);
}

}  // namespace

namespace {

Canvas painted_street(int width, int height, Random& random) {
  Canvas canvas{width, height};
  for (int y = 0; y < kHorizon; y += 4)  // the sky
    canvas.box(0, y, canvas.columns(), y + 4, 235 - y / 8);
  draw_houses(canvas, random);
  draw_road(canvas, random);
  for (int i = 0; i < 5; ++i)
    draw_car(canvas, random, random.below(canvas.columns()), 590 + 8 * i, 70 + 10 * i);
  for (int i = 0; i < 10; ++i) {  // the far ones first; who is nearer stands lower
    const int tall = 110 + 28 * i;
    draw_person(canvas, random, 40 + random.below(canvas.columns() - 80), 560 + tall * 2 / 3, tall);
  }
  return canvas;
}

}  // namespace

std::vector<std::uint8_t> street_picture(int width, int height, std::uint64_t seed) {
  if (width < 1 || height < 1) return {};
  Random random{seed};
  Canvas canvas = painted_street(width, height, random);
  canvas.blur();
  canvas.expose(random);
  return canvas.take();
}

std::vector<std::uint8_t> street_colours(int width, int height, std::uint64_t seed) {
  if (width < 1 || height < 1) return {};
  Random random{seed};
  const Canvas canvas = painted_street(width, height, random);
  std::vector<std::uint8_t> planes;
  for (int plane = 0; plane < 3; ++plane) {
    Canvas one = canvas.tinted(plane);
    one.blur();
    one.expose(random);  // each colour has a grain of its own
    const std::vector<std::uint8_t> samples = one.take();
    planes.insert(planes.end(), samples.begin(), samples.end());
  }
  return planes;
}

}  // namespace kerb::bench
