// SPDX-License-Identifier: Apache-2.0
#include "drivers/replay/pattern_reader.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "drivers/replay/frame_number.hpp"

namespace kerb::replay {
namespace {

constexpr int kStreetGrids = 256;  // the street repeats after so many grids of columns

std::uint32_t hash(std::uint32_t a, std::uint32_t b) {
  std::uint32_t h = a * 0x9E3779B1U ^ b * 0x85EBCA77U;
  h ^= h >> 15U;
  h *= 0xC2B2AE3DU;
  return h ^ h >> 13U;
}

Rgb clamp(int r, int g, int b) {
  return {std::clamp(r, 0, 255), std::clamp(g, 0, 255), std::clamp(b, 0, 255)};
}

/// Sky over house fronts over road, repeating after `period` columns.
Rgb street_colour(int x, int y, int height, int period) {
  x %= period;
  const int noise =
      static_cast<int>(hash(static_cast<std::uint32_t>(x / 2), static_cast<std::uint32_t>(y / 2)) %
                       25) -
      12;
  const int sky = height / 4, road = height * 2 / 3;
  if (y < sky) {
    const int fade = 60 * y / std::max(sky, 1);
    return clamp(120 + fade, 160 + fade / 2, 220 + noise / 4);
  }
  if (y < road) {  // windows in fronts of eight colours
    const int tile_w = std::max(period / 16, 2), tile_h = std::max(height / 16, 2);
    const std::uint32_t front = hash(static_cast<std::uint32_t>(x / (2 * tile_w)), 7);
    const bool window = (x / tile_w + (y - sky) / tile_h) % 2 == 0;
    const int shade = window ? 60 : 130;
    return clamp(shade + static_cast<int>(front % 70) + noise,
                 shade + static_cast<int>(front / 70 % 60) + noise,
                 shade + static_cast<int>(front / 4200 % 50) + noise);
  }
  const int dash_w = std::max(period / 4, 2);
  const int line = road + (height - road) / 2;
  if (std::abs(y - line) <= height / 120 && x % dash_w < dash_w / 2) return {235, 235, 230};
  return clamp(78 + noise, 78 + noise, 84 + noise);
}

Result<Swatch> paint_street(const PictureLayout& layout) {
  const int period = kStreetGrids * Swatch::grid(layout);
  Result<Swatch> street =
      Swatch::create(layout.format, layout.width + period, layout.height, layout.mosaic);
  if (!street) return street;
  for (int y = 0; y < layout.height; ++y)
    for (int x = 0; x < layout.width + period; ++x)
      street->paint(x, y, street_colour(x, y, layout.height, period));
  return street;
}

}  // namespace

Result<std::unique_ptr<PictureReader>> PatternReader::open(const CameraSettings& settings) {
  const Result<PixelFormat> format =
      parse_format(settings.format, settings.mosaic == 0 ? PixelFormat::yuyv : PixelFormat::grey8);
  if (!format) return format.error();
  const Result<PictureLayout> layout =
      make_layout(*format, settings.width, settings.height, settings.mosaic);
  if (!layout) return layout.error();
  if (layout->width < FrameNumberBand::kMinWidth || layout->height < FrameNumberBand::kMinHeight)
    return failure(Errc::invalid_argument, "pattern size (64x32 at least)",
                   std::to_string(layout->width) + "x" + std::to_string(layout->height));
  Result<Swatch> street = paint_street(*layout);
  if (!street) return street.error();
  Result<Swatch> white = Swatch::solid(*layout, {255, 255, 255});
  Result<Swatch> black = Swatch::solid(*layout, {0, 0, 0});
  Result<Swatch> coat = Swatch::solid(*layout, {40, 36, 90});
  Result<Swatch> skin = Swatch::solid(*layout, {225, 180, 150});
  return std::unique_ptr<PictureReader>{
      new PatternReader{*layout, settings.rate_hz,
                        Swatches{*std::move(street), *std::move(white), *std::move(black),
                                 *std::move(coat), *std::move(skin)}}};
}

Status PatternReader::read(std::uint8_t* out) {
  draw_street(out);
  draw_walker(out);
  draw_number(out);
  ++number_;
  return Done{};
}

void PatternReader::draw_number(std::uint8_t* out) const {
  const FrameNumberBand band = frame_number_band(layout_.width, layout_.height);
  const auto number = static_cast<std::uint32_t>(number_);
  for (int y = 0; y < 2 * band.rows; ++y) {
    const std::uint32_t bits = y < band.rows ? number : ~number;
    for (int bit = 0; bit < FrameNumberBand::kBits; ++bit) {
      const bool one = (bits >> (FrameNumberBand::kBits - 1 - bit) & 1U) != 0;
      const Swatch& solid = one ? swatches_.white : swatches_.black;
      // The grid does not matter here: all samples of black are alike, and all of white.
      solid.copy_span(0, y % solid.layout().height, band.cell_width, layout_, out,
                      bit * band.cell_width, y);
    }
  }
}

void PatternReader::draw_street(std::uint8_t* out) const {
  const int shift = static_cast<int>(number_ % kStreetGrids) * Swatch::grid(layout_);
  for (int y = 0; y < layout_.height; ++y)
    swatches_.street.copy_span(shift, y, layout_.width, layout_, out, 0, y);
}

void PatternReader::draw_span(const Swatch& solid, std::uint8_t* out, int left, int right,
                              int y) const {
  left = std::max(left, 0) & ~1;  // whole chroma pairs
  right = std::min(right, layout_.width) & ~1;
  if (left < right)
    solid.copy_span(left, y % solid.layout().height, right - left, layout_, out, left, y);
}

void PatternReader::draw_walker(std::uint8_t* out) const {
  const int tall = layout_.height / 2, top = layout_.height * 2 / 5, wide = tall / 2;
  const int way = layout_.width + wide;  // from outside on the left to outside on the right
  const int middle = static_cast<int>(number_ * 4 % static_cast<std::uint64_t>(way)) - wide / 2;
  const int phase = static_cast<int>(number_ % 32);  // a stride takes 32 frames
  const double swing = 0.22 * std::abs(phase - 16) / 16.0;
  for (int row = 0; row < tall; ++row) {
    const double v = static_cast<double>(row) / tall;  // 0: crown, 1: sole
    const int y = top + row;
    const auto at = [&](double u) { return middle + static_cast<int>(u * tall); };
    if (v < 0.14) {
      const double half = 0.07 * std::sqrt(std::max(0.0, 1 - (v - 0.07) * (v - 0.07) / 0.0049));
      draw_span(swatches_.skin, out, at(-half), at(half), y);
    } else if (v < 0.55) {
      draw_span(swatches_.coat, out, at(-0.11), at(0.11), y);
    } else {
      const double apart = swing * (v - 0.55) / 0.45;
      draw_span(swatches_.coat, out, at(-apart - 0.05), at(-apart + 0.05), y);
      draw_span(swatches_.coat, out, at(apart - 0.05), at(apart + 0.05), y);
    }
  }
}

}  // namespace kerb::replay
