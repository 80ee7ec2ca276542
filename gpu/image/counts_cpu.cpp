// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "gpu/image/counts_math.hpp"

namespace kerb::cpu {
namespace {

using In = RawImageView<Space::host>;

const std::uint16_t* row_of(const In& in, int y) {
  return reinterpret_cast<const std::uint16_t*>(in.data + y * in.row_stride);  // even: check_input
}

void map_row(const std::uint16_t* __restrict from, std::uint8_t* __restrict to, int width,
             std::uint32_t mask, CountMap map, std::uint32_t gain) {
  for (int x = 0; x < width; ++x) to[x] = counts::level(from[x] & mask, map, gain);
}

}  // namespace

Status count_samples(const In& in, std::uint32_t* histogram) {
  if (Status ok = counts::check(in, histogram); !ok) return ok;
  const std::uint32_t bins = 1u << bit_depth(in.format), mask = bins - 1;
  std::fill_n(histogram, bins, 0u);
  for (int y = 0; y < in.height; ++y) {
    const std::uint16_t* row = row_of(in, y);
    for (int x = 0; x < in.width; ++x) ++histogram[row[x] & mask];
  }
  return Done{};
}

Status map_counts(const In& in, const CountMap& map,
                  const ImageView<Space::host, std::uint8_t>& out) {
  if (Status ok = counts::check(in, map, out); !ok) return ok;
  const std::uint32_t mask = (1u << bit_depth(in.format)) - 1, gain = counts::gain_of(map);
  for (int y = 0; y < in.height; ++y)
    map_row(row_of(in, y), out.data + y * out.row_stride, in.width, mask, map, gain);
  return Done{};
}

}  // namespace kerb::cpu
