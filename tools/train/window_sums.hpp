// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstring>
#include <vector>

#include "gpu/hog/cascade_layout.hpp"
#include "gpu/image/grid_histogram.hpp"
#include "tools/train/features.hpp"
#include "tools/train/patches.hpp"

namespace kerb::train {

/// The sums of some windows' channels over rectangles: what trees ask about. For one thread.
class WindowSums {
 public:
  static constexpr std::size_t kPlaces = 16;  ///< windows at a time

  /// For windows like those of `patches`.
  WindowSums(const hog::Channels& channels, int grid, const Patches& patches)
      : planes_{count_of(patches.planes())},
        histogram_{
            {grid, channels.bins, channels.half_shifted, channels.magnitude, channels.colour},
            patches.window_width()} {
    level_.image_width = level_.width = patches.window_width();
    level_.image_height = level_.height = patches.window_height();
    level_.row_stride = patches.row_stride();
    rows_ = histogram_.cells(level_.height);
    size_ = histogram_.size_of(level_, rows_ + 1);
    nodes_.resize(size_ * kPlaces);
    constexpr std::size_t kSlack = 64;  // vectors read past the end
    samples_.resize(patches.patch_size() + kSlack);
    pitch_ = (histogram_.cells(level_.width) + 1) * histogram_.lanes();
  }

  /// Window i becomes the `place`th.
  void load(const Patches& patches, std::size_t i, std::size_t place) {
    std::memcpy(samples_.data(), patches.plane(i), patches.patch_size());
    const std::uint8_t* planes[3] = {};
    for (int p = 0; p < planes_; ++p)
      planes[p] = samples_.data() + static_cast<std::size_t>(p) * patches.plane_size();
    histogram_.build_rows(level_, planes, nodes_.data() + place * size_, rows_ + 1, 0, rows_);
  }

  /// Of the `place`th window, as the engines compute it: see cascade_layout.hpp.
  [[nodiscard]] float value(const Feature& f, std::size_t place) const {
    const std::uint32_t* nodes = nodes_.data() + place * size_;
    const float sum = over(nodes, f.channel, f.x, f.y, f.width, f.height);
    if (f.divisor < 0) return sum;
    return sum /
           (over(nodes, f.divisor, f.divisor_x, f.divisor_y, f.divisor_width, f.divisor_height) +
            hog::kDivisorFloor);
  }

 private:
  [[nodiscard]] float over(const std::uint32_t* nodes, int channel, int x, int y, int width,
                           int height) const {
    const int lanes = histogram_.lanes();
    const std::uint32_t* upper = nodes + y * pitch_ + x * lanes + channel;
    const std::uint32_t* lower = upper + height * pitch_;
    return static_cast<float>((lower[width * lanes] - lower[0]) -
                              (upper[width * lanes] - upper[0]));
  }

  int planes_;
  cpu::GridHistogram histogram_;
  Level level_;
  int rows_ = 0;
  std::ptrdiff_t pitch_ = 0;
  std::size_t size_ = 0;  // numbers of one window
  std::vector<std::uint8_t> samples_;
  std::vector<std::uint32_t> nodes_;
};

}  // namespace kerb::train
