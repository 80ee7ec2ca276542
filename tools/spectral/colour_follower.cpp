// SPDX-License-Identifier: Apache-2.0
#include "tools/spectral/colour_follower.hpp"

#include <algorithm>
#include <cmath>

#include "tools/spectral/band_follower.hpp"

namespace kerb::spectral {
namespace {

constexpr std::size_t kLevels = 16;  // of each colour, in the histogram
constexpr int kShifts = 16;

bool is_in(const emd::Box& box, int x, int y) noexcept {
  return x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
}

}  // namespace

void ColourFollower::show(const std::uint8_t* rgb, int width, int height) noexcept {
  rgb_ = rgb;
  width_ = width;
  height_ = height;
}

/// As far as it is in the picture.
emd::Box ColourFollower::pixels_of(const Detection& box) const noexcept {
  const auto whole = [](float v) { return static_cast<int>(std::lround(v)); };
  const int x0 = std::max(whole(box.x), 0), y0 = std::max(whole(box.y), 0);
  const int x1 = std::min(whole(box.x) + whole(box.w), width_);
  const int y1 = std::min(whole(box.y) + whole(box.h), height_);
  return x1 <= x0 || y1 <= y0 ? emd::Box{} : emd::Box{x0, y0, x1 - x0, y1 - y0};
}

std::size_t ColourFollower::bin_at(int x, int y) const noexcept {
  const std::uint8_t* p = rgb_ + 3 * (std::ptrdiff_t{y} * width_ + x);
  std::size_t out = 0;
  for (int c = 0; c < 3; ++c) out = out * kLevels + p[c] * kLevels / 256;
  return out;
}

void ColourFollower::begin(const Detection& body, float tall) {
  tall_ = tall;
  const emd::Box inner = pixels_of(body), outer = pixels_of(beside(body, tall));
  ratios_.assign(kLevels * kLevels * kLevels, 0);
  std::vector<float> theirs(ratios_.size()), others(ratios_.size());
  for (int y = outer.y; y < outer.y + outer.height; ++y)
    for (int x = outer.x; x < outer.x + outer.width; ++x)
      (is_in(inner, x, y) ? theirs : others)[bin_at(x, y)] += 1;
  const int area = inner.width * inner.height;
  const auto inside = static_cast<float>(std::max(area, 1));
  const auto outside = static_cast<float>(std::max(outer.width * outer.height - area, 1));
  for (std::size_t i = 0; i < ratios_.size(); ++i) {
    const float a = theirs[i] / inside, b = others[i] / outside;
    ratios_[i] = a > 0 ? a / (a + b) : 0;
  }
}

void ColourFollower::follow(Detection& body) {
  const emd::Box region = pixels_of(beside(body, tall_));
  if (region.width <= static_cast<int>(body.w) || region.height < 2) return;
  likely_.resize(static_cast<std::size_t>(region.width) * static_cast<std::size_t>(region.height));
  std::size_t at = 0;
  for (int y = region.y; y < region.y + region.height; ++y)
    for (int x = region.x; x < region.x + region.width; ++x)
      likely_[at++] = static_cast<std::uint8_t>(std::lround(255 * ratios_[bin_at(x, y)]));
  const PlanesView<Space::host, const std::uint8_t> plane{
      likely_.data(), 1,
      region.width,   region.height,
      region.width,   static_cast<std::ptrdiff_t>(likely_.size())};
  emd::Found found;
  found.box = {static_cast<int>(std::lround(body.x)) - region.x, 0,
               static_cast<int>(std::lround(body.w)), region.height};
  if (!emd::cpu::mean_shift(plane, kShifts, &found) || found.mean == 0) return;
  body.x = static_cast<float>(found.box.x + region.x);
}

}  // namespace kerb::spectral
