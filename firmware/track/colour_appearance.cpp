// SPDX-License-Identifier: Apache-2.0
#include "firmware/track/colour_appearance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>

namespace kerb::track {
namespace {

constexpr int kBins = 24;
static_assert(2 * kBins == Signature::kSize);
constexpr int kShades = 8, kHues = 8, kTones = 2;  // grey shades; hues, each dark and bright
static_assert(kShades + kHues * kTones == kBins);

using Histogram = std::span<float>;

/// Splits the weight between the two nearest bins, so that a little more light changes little.
void add_shared(Histogram h, int first, int count, bool round, float at, float weight) {
  const float place = at * static_cast<float>(count) - 0.5F;
  const float below = std::floor(place), share = place - below;
  const auto bin = [&](int i) {
    const int within = round ? (i % count + count) % count : std::clamp(i, 0, count - 1);
    return static_cast<std::size_t>(first) + static_cast<std::size_t>(within);
  };
  h[bin(static_cast<int>(below))] += weight * (1 - share);
  h[bin(static_cast<int>(below) + 1)] += weight * share;
}

void add_grey(Histogram h, float grey) { add_shared(h, 0, kBins, false, grey / 255, 1); }

/// Counts as grey where there is little colour, as hue where there is much, as both in between.
void add_colour(Histogram h, float r, float g, float b) {
  const float high = std::max({r, g, b}), low = std::min({r, g, b}), chroma = high - low;
  const float colour = std::clamp((chroma - 12) / 40, 0.0F, 1.0F);
  add_shared(h, 0, kShades, false, (r + 2 * g + b) / (4 * 255), 1 - colour);
  if (!(colour > 0)) return;
  float hue = 0;  // in sixths of the circle
  if (high == r) {
    hue = (g - b) / chroma;
  } else if (high == g) {
    hue = 2 + (b - r) / chroma;
  } else {
    hue = 4 + (r - g) / chroma;
  }
  hue /= 6;
  if (hue < 0) hue += 1;
  const float bright = std::clamp((high - 60) / 120, 0.0F, 1.0F);
  add_shared(h, kShades, kHues, true, hue, colour * (1 - bright));
  add_shared(h, kShades + kHues, kHues, true, hue, colour * bright);
}

struct Part {
  float left, right, top, bottom;  // shares of the box
};
// Without arms, background, head and feet.
constexpr Part kUpper{0.28F, 0.72F, 0.18F, 0.48F}, kLower{0.28F, 0.72F, 0.54F, 0.88F};
constexpr int kMaxColumns = 16, kMaxRows = 20;  // pixels that are sampled

class ColourAppearance final : public Appearance {
 public:
  void sign(const PreparedImage& image, const Detection& box, Signature& out) override {
    out = {};
    const bool colour = image.rgb.count == 3 && image.rgb.data != nullptr;
    if (!colour && image.grey.data == nullptr) return;
    const std::span<float> values{out.values};
    if (!sign_part(image, colour, box, kUpper, values.first(kBins))) return;
    if (!sign_part(image, colour, box, kLower, values.last(kBins))) return;
    out.known = true;
  }

  [[nodiscard]] double distance(const Signature& a, const Signature& b) const noexcept override {
    if (!a.known || !b.known) return 0.5;
    double same = 0;
    for (std::size_t i = 0; i < a.values.size(); ++i)
      same += std::sqrt(static_cast<double>(a.values[i]) * static_cast<double>(b.values[i]));
    return std::clamp(1 - same, 0.0, 1.0);
  }

 private:
  /// False: the part is not in the picture.
  static bool sign_part(const PreparedImage& image, bool colour, const Detection& box,
                        const Part& part, Histogram h) {
    const int width = colour ? image.rgb.width : image.grey.width;
    const int height = colour ? image.rgb.height : image.grey.height;
    const float left = std::max(box.x + part.left * box.w, 0.0F);
    const float right = std::min(box.x + part.right * box.w, static_cast<float>(width));
    const float top = std::max(box.y + part.top * box.h, 0.0F);
    const float bottom = std::min(box.y + part.bottom * box.h, static_cast<float>(height));
    if (!(right - left >= 2 && bottom - top >= 2)) return false;
    const int across = std::min(kMaxColumns, static_cast<int>(right - left));
    const int down = std::min(kMaxRows, static_cast<int>(bottom - top));
    const auto pick = [](float from, float to, int i, int n) {
      return static_cast<std::ptrdiff_t>(from + (to - from) * static_cast<float>(i) /
                                                    static_cast<float>(n));
    };
    for (int i = 0; i < down; ++i) {
      const std::ptrdiff_t row = pick(top, bottom, i, down);
      for (int k = 0; k < across; ++k) {
        const std::ptrdiff_t column = pick(left, right, k, across);
        if (colour) {
          const std::uint8_t* at = image.rgb.data + row * image.rgb.row_stride + column;
          add_colour(h, at[0], at[image.rgb.plane_stride], at[2 * image.rgb.plane_stride]);
        } else {
          add_grey(h, image.grey.data[row * image.grey.row_stride + column]);
        }
      }
    }
    const auto samples = static_cast<float>(across * down);
    for (float& value : h) value /= 2 * samples;  // both parts together make 1
    return true;
  }
};

}  // namespace

std::unique_ptr<Appearance> make_colour_appearance() {
  return std::make_unique<ColourAppearance>();
}

}  // namespace kerb::track
