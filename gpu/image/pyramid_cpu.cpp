// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <vector>

#include "gpu/image/pyramid.hpp"

namespace kerb::cpu {
namespace {

/// Two rows of the picture as one, 8.8: exact.
void blend_rows(const std::uint8_t* __restrict__ upper, const std::uint8_t* __restrict__ lower,
                unsigned weight, int count, std::uint16_t* __restrict__ out) {
  const std::uint16_t below = static_cast<std::uint16_t>(weight);
  const std::uint16_t above = static_cast<std::uint16_t>(256 - weight);
  for (int x = 0; x < count; ++x)
    out[x] = static_cast<std::uint16_t>(upper[x] * above + lower[x] * below);
}

void blend_columns(const std::uint16_t* __restrict__ sums, const Tap* __restrict__ taps, int count,
                   std::uint8_t* __restrict__ out) {
  for (int x = 0; x < count; ++x) {
    std::uint16_t pair[2];
    std::memcpy(pair, sums + taps[x].index, sizeof pair);
    const std::uint32_t right = taps[x].weight, left = 256 - right;
    out[x] = static_cast<std::uint8_t>((pair[0] * left + pair[1] * right + 32768U) >> 16);
  }
}

}  // namespace

void pyramid_level(const PyramidPlan& plan, const Level& level,
                   const ImageView<Space::host, const std::uint8_t>& in, std::uint8_t* first,
                   std::uint16_t* column_sums) {
  const Tap* x_taps = plan.taps.data() + level.x_taps;
  const Tap* y_taps = plan.taps.data() + level.y_taps;
  const int columns = level.width + 2, rows = level.height + 2;
  // Only the columns of the picture that are looked at.
  const auto [lowest, highest] = std::minmax_element(
      x_taps, x_taps + columns, [](const Tap& a, const Tap& b) { return a.index < b.index; });
  const int from = lowest->index, to = std::min(highest->index + 2, plan.width);
  const bool whole = std::all_of(x_taps, x_taps + columns, [](Tap t) { return t.weight == 0; });
  for (int y = 0; y < rows; ++y) {
    std::uint8_t* out = first + static_cast<std::ptrdiff_t>(y) * level.row_stride;
    const Tap tap = y_taps[y];
    const std::uint8_t* upper = in.data + tap.index * in.row_stride;
    if (whole && tap.weight == 0) {
      for (int x = 0; x < columns; ++x) out[x] = upper[x_taps[x].index];
      continue;
    }
    const std::uint8_t* lower = tap.weight == 0 ? upper : upper + in.row_stride;
    blend_rows(upper + from, lower + from, tap.weight, to - from, column_sums + from);
    column_sums[to] = 0;  // read with weight 0 at the right edge
    blend_columns(column_sums, x_taps, columns, out);
  }
}

Status pyramid(Workers& workers, const PyramidPlan& plan,
               const ImageView<Space::host, const std::uint8_t>& in, std::uint8_t* out) {
  if (in.data == nullptr || out == nullptr || in.width != plan.width || in.height != plan.height ||
      in.row_stride < in.width)
    return Error{Errc::invalid_argument, 0, "pyramid", "the picture is not of the plan's size"};
  const std::size_t room = static_cast<std::size_t>(plan.width) + 1;
  std::vector<std::uint16_t> sums(room * static_cast<std::size_t>(workers.count()));
  workers.run(static_cast<int>(plan.levels.size()), [&](int task, int worker) {
    const Level& level = plan.levels[static_cast<std::size_t>(task)];
    pyramid_level(plan, level, in, out + level.offset,
                  sums.data() + room * static_cast<std::size_t>(worker));
  });
  return Done{};
}

}  // namespace kerb::cpu
