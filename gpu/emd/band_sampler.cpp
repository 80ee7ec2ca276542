// SPDX-License-Identifier: Apache-2.0
#include "gpu/emd/band_sampler.hpp"

#include <algorithm>
#include <cmath>

namespace kerb::emd {
namespace {

constexpr int kEvery = 8;            // the mean brightness uses every 8th sample
constexpr std::uint32_t kSlow = 16;  // time constant of the mean brightness, pictures
constexpr std::uint32_t kDark = 1;   // weight of the dark bin, in means of the bands

}  // namespace

BandSampler::BandSampler(Workers& workers, const FrameSourceInfo& source, const BandLayout& layout,
                         int mass, std::size_t most)
    : workers_{workers},
      mosaic_{source.mosaic},
      bands_{source.mosaic * source.mosaic},
      width_{source.width / source.mosaic},
      height_{source.height / source.mosaic},
      layout_{layout} {
  settings_.bands = layout_.bins + 1;
  settings_.mass = mass;
  samples_.resize(static_cast<std::size_t>(settings_.bands) * most);
  rows_.resize(most);
}

bool BandSampler::fits(const PreparedImage& image) const noexcept {
  return image.bands.data != nullptr && image.bands.count == bands_ &&
         image.bands.width == width_ && image.bands.height == height_;
}

PlaceGrid BandSampler::grid_of(const Detection& box, int step, int most) const noexcept {
  const auto n = static_cast<float>(mosaic_);
  const auto within = [](float v, int size) {
    return static_cast<int>(std::clamp(std::floor(v + 0.5F), 0.0F, static_cast<float>(size)));
  };
  PlaceGrid g;
  g.x = within(box.x / n, width_);
  g.y = within(box.y / n, height_);
  const int right = within((box.x + box.w) / n, width_);
  const int bottom = within((box.y + box.h) / n, height_);
  for (g.step = step;; ++g.step) {
    g.width = std::max(right - g.x, 0) / g.step;
    g.height = std::max(bottom - g.y, 0) / g.step;
    if (g.width * g.height <= most) return g;
  }
}

PlaceGrid BandSampler::with_margin(const PlaceGrid& grid, Box& inside) const noexcept {
  PlaceGrid out = grid;
  const int left = grid.x >= grid.step ? 1 : 0, above = grid.y >= grid.step ? 1 : 0;
  const int right = grid.x + (grid.width + 1) * grid.step <= width_ ? 1 : 0;
  const int below = grid.y + (grid.height + 1) * grid.step <= height_ ? 1 : 0;
  out.x -= left * grid.step;
  out.y -= above * grid.step;
  out.width += left + right;
  out.height += above + below;
  inside = {left, above, grid.width, grid.height};
  return out;
}

void BandSampler::balance(const PreparedImage& image) noexcept {
  const auto bins = static_cast<std::size_t>(layout_.bins);
  std::array<std::uint32_t, kMaxBins> sums{};
  std::uint32_t each = 0;
  for (int band = 0; band < bands_; ++band) {
    const ImageView<Space::host, const std::uint16_t> plane = image.bands.plane(band);
    std::uint64_t sum = 0;
    std::uint32_t count = 0;
    for (int y = kEvery / 2; y < plane.height; y += kEvery)
      for (int x = kEvery / 2; x < plane.width; x += kEvery, ++count)
        sum += plane.data[y * plane.row_stride + x];
    const auto bin = static_cast<std::size_t>(layout_.bin_of[static_cast<std::size_t>(band)]);
    sums[bin] += static_cast<std::uint32_t>(sum * 256 / std::max(count, 1U) /
                                            static_cast<std::uint64_t>(layout_.members[bin]));
    each = std::max(each, count);
  }
  std::array<std::uint32_t, kMaxBins> means{};
  std::uint32_t brightest = 1;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    means_[bin] = balanced_ ? means_[bin] - means_[bin] / kSlow + sums[bin] / kSlow : sums[bin];
    means[bin] = std::max(means_[bin] / 256, 1U);
    brightest = std::max(brightest, means[bin]);
  }
  balanced_ = each > 0;
  const auto gains = white_gains(means, layout_.bins);
  std::copy_n(gains.begin(), bins, settings_.gain.begin());
  settings_.gain[bins] = 256;
  dark_ = static_cast<std::uint16_t>(std::min(kDark * brightest, 65535U));
}

/// Beyond the grid its edge is repeated.
void BandSampler::smooth(std::uint16_t* plane, const PlaceGrid& grid) noexcept {
  const auto mean = [](const std::uint16_t* at, std::ptrdiff_t before, std::ptrdiff_t after) {
    return static_cast<std::uint16_t>((at[before] + 2 * at[0] + at[after] + 2) / 4);
  };
  const std::ptrdiff_t width = grid.width, height = grid.height;
  for (std::ptrdiff_t y = 0, i = 0; y < height; ++y)
    for (std::ptrdiff_t x = 0; x < width; ++x, ++i)
      rows_[static_cast<std::size_t>(i)] = mean(plane + i, x > 0 ? -1 : 0, x + 1 < width ? 1 : 0);
  for (std::ptrdiff_t y = 0, i = 0; y < height; ++y)
    for (std::ptrdiff_t x = 0; x < width; ++x, ++i)
      plane[i] = mean(rows_.data() + i, y > 0 ? -width : 0, y + 1 < height ? width : 0);
}

Status BandSampler::sign(const PreparedImage& image, const PlaceGrid& grid, Signature* out) {
  const std::size_t count = grid.count(), bins = static_cast<std::size_t>(layout_.bins);
  const auto block = static_cast<std::uint32_t>(grid.step * grid.step);
  std::uint16_t* const dark = samples_.data() + bins * count;
  std::fill(dark, dark + count, dark_);
  for (int y = 0; y < grid.height; ++y) {
    for (int x = 0; x < grid.width; ++x) {
      std::array<std::uint32_t, kMaxBins> sums{};
      const std::ptrdiff_t from =
          std::ptrdiff_t{grid.y + y * grid.step} * image.bands.row_stride + grid.x + x * grid.step;
      for (int band = 0; band < bands_; ++band) {
        const std::uint16_t* p = image.bands.data + band * image.bands.plane_stride + from;
        std::uint32_t sum = 0;
        for (int j = 0; j < grid.step; ++j, p += image.bands.row_stride)
          for (int i = 0; i < grid.step; ++i) sum += p[i];
        sums[static_cast<std::size_t>(layout_.bin_of[static_cast<std::size_t>(band)])] +=
            (sum + block / 2) / block;
      }
      const std::size_t i = static_cast<std::size_t>(y) * static_cast<std::size_t>(grid.width) +
                            static_cast<std::size_t>(x);
      for (std::size_t bin = 0; bin < bins; ++bin)
        samples_[bin * count + i] = static_cast<std::uint16_t>(
            sums[bin] / static_cast<std::uint32_t>(layout_.members[bin]));
    }
  }
  for (std::size_t bin = 0; bin < bins; ++bin) smooth(samples_.data() + bin * count, grid);
  const PlanesView<Space::host, const std::uint16_t> planes{
      samples_.data(), settings_.bands, grid.width,
      grid.height,     grid.width,      static_cast<std::ptrdiff_t>(count)};
  return cpu::band_signatures(workers_, planes, settings_,
                              {out, grid.width, grid.height, grid.width});
}

}  // namespace kerb::emd
