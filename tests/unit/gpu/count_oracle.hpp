// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "gpu/image/count_range.hpp"

namespace kerb::test {

/// The counts of a picture, row by row, read byte by byte.
inline std::vector<std::uint32_t> counts_of(const RawImageView<Space::host>& in) {
  std::vector<std::uint32_t> out;
  const std::uint32_t mask = (1u << bit_depth(in.format)) - 1;
  for (int y = 0; y < in.height; ++y)
    for (int x = 0; x < in.width; ++x) {
      const std::uint8_t* at = in.data + y * in.row_stride + std::ptrdiff_t{2} * x;
      out.push_back((at[0] + 256u * at[1]) & mask);
    }
  return out;
}

/// CountRange as its header defines it: by sorting, on whole pictures.
class CountOracle {
 public:
  CountOracle(const CountRangeSettings& settings, int bits) : s_{settings}, bits_{bits} {}

  CountMap update(std::vector<std::uint32_t> v) {
    std::ranges::sort(v);
    if (!last_.empty() && v == last_) return shown();
    const bool first = last_.empty();
    last_ = v;
    const std::int64_t n = static_cast<std::int64_t>(v.size());
    const auto at = [&](std::int64_t rank) {
      return std::int64_t{v[static_cast<std::size_t>(rank)]};
    };
    const std::int64_t dark = at(n * s_.black_permyriad / 10000);
    const std::int64_t bright = at(n - 1 - n * s_.white_permyriad / 10000);
    const std::int64_t middle = at(n / 2);
    const CountMap now = shown();
    const bool lost = !first && bright - dark < s_.min_span && 4 * (bright - dark) < now.span;
    if (lost && without_ < s_.hold_frames) {
      ++without_;
      return now;
    }
    if (!lost) without_ = 0;
    std::int64_t low = dark, high = bright;
    if (high - low < s_.min_span) {
      const std::int64_t most = (std::int64_t{1} << bits_) - 1;
      low = (dark + bright) / 2 - s_.min_span / 2;
      low = std::max<std::int64_t>(0, std::min<std::int64_t>(low, most - s_.min_span));
      high = low + s_.min_span;
    }
    if (first || middle < now.low || middle > std::int64_t{now.low} + now.span) {
      low256_ = 256 * low;
      high256_ = 256 * high;
    } else {
      const std::int64_t range = high256_ - low256_;
      const auto part = [&](std::int64_t way) {
        const std::int64_t length = std::min(std::abs(way), range) / s_.smooth_frames;
        return way < 0 ? -length : length;
      };
      low256_ += part(256 * low - low256_);
      high256_ += part(256 * high - high256_);
    }
    return shown();
  }

 private:
  [[nodiscard]] CountMap shown() const {
    const auto whole = [](std::int64_t v) {
      return static_cast<std::int64_t>(std::floor(static_cast<double>(v) / 256));
    };
    const std::int64_t low = whole(low256_), high = whole(high256_);
    const std::int64_t span =
        std::clamp<std::int64_t>(high - low, std::int64_t{s_.min_span}, 65535);
    return {static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(span)};
  }

  CountRangeSettings s_;
  int bits_;
  std::vector<std::uint32_t> last_;
  std::int64_t low256_ = 0, high256_ = 0;
  int without_ = 0;
};

/// Whether `level` is what a count becomes: within one of the exact ratio, and exact at both ends.
inline bool is_level(std::uint32_t count, const CountMap& map, int level) {
  const double d = std::clamp(static_cast<double>(count) - map.low, 0.0, double(map.span));
  if (d == 0) return level == 0;
  if (d == map.span) return level == 255;
  return std::abs(level - 255 * d / map.span) <= 1;
}

}  // namespace kerb::test
