// SPDX-License-Identifier: Apache-2.0
#include "gpu/flow/lucas_kanade_pyramid.hpp"

#include <algorithm>
#include <cstring>

namespace kerb::flow::lk {
namespace {

constexpr int kBand = 32;   // rows made at once
constexpr int kBefore = 8;  // of a scratch row

std::size_t scratch_row(const Plan& plan) {
  return static_cast<std::size_t>(plan.levels[0].stride) + 2 * kBefore;
}

void fill_rim(Sample* row, int width) {
  for (int i = 1; i <= kRimLeft; ++i) row[-i] = row[0];
  for (int i = 0; i < kRimRight; ++i) row[width + i] = row[width - 1];
}

/// Rows y0..y1 of level 0, and the rim's where they are the picture's first or last.
void smooth_rows(const Picture<Space::host>& in, const Level& level, Sample* base, int y0, int y1,
                 std::uint16_t* column) {
  const int width = level.width, height = level.height;
  for (int y = y0; y < y1; ++y) {
    const std::uint8_t* above = in.data + std::max(y - 1, 0) * in.row_stride;
    const std::uint8_t* here = in.data + y * in.row_stride;
    const std::uint8_t* below = in.data + std::min(y + 1, height - 1) * in.row_stride;
    std::uint16_t* c = column + 1;
    for (int x = 0; x < width; ++x)
      c[x] = static_cast<std::uint16_t>(above[x] + 2 * here[x] + below[x]);
    c[-1] = c[0];
    c[width] = c[width - 1];
    Sample* out = base + level.samples + static_cast<std::ptrdiff_t>(y) * level.stride;
    for (int x = 0; x < width; ++x) out[x] = static_cast<Sample>(c[x - 1] + 2 * c[x] + c[x + 1]);
    fill_rim(out, width);
  }
}

void halve_rows(const Level& from, const Level& to, Sample* base, int y0, int y1,
                std::uint16_t* column) {
  for (int y = y0; y < y1; ++y) {
    const Sample* rows[4];
    for (int j = 0; j < 4; ++j)
      rows[j] =
          base + from.samples +
          static_cast<std::ptrdiff_t>(std::clamp(2 * y - 1 + j, 0, from.height - 1)) * from.stride;
    std::uint16_t* c = column + 1;
    for (int x = -1; x < from.width + 3; ++x)  // the rim holds copies of the edge
      c[x] = static_cast<std::uint16_t>(taps4(rows[0][x], rows[1][x], rows[2][x], rows[3][x]));
    Sample* out = base + to.samples + static_cast<std::ptrdiff_t>(y) * to.stride;
    for (int x = 0; x < to.width; ++x)
      out[x] =
          static_cast<Sample>(halved(taps4(c[2 * x - 1], c[2 * x], c[2 * x + 1], c[2 * x + 2])));
    fill_rim(out, to.width);
  }
}

void fill_rim_rows(const Level& level, Sample* base) {
  Sample* first = base + level.samples - kRimLeft;
  const std::size_t bytes = sizeof(Sample) * (kRimLeft + level.width + kRimRight);
  for (int i = 1; i <= kRimRows; ++i) {
    std::memcpy(first - static_cast<std::ptrdiff_t>(i) * level.stride, first, bytes);
    Sample* last = first + static_cast<std::ptrdiff_t>(level.height - 1) * level.stride;
    std::memcpy(last + static_cast<std::ptrdiff_t>(i) * level.stride, last, bytes);
  }
}

}  // namespace

std::size_t pyramid_scratch(const Plan& plan, const Workers& workers) noexcept {
  return scratch_row(plan) * static_cast<std::size_t>(workers.count());
}

void make_pyramids(Workers& workers, const Plan& plan, const Picture<Space::host>& previous,
                   const Picture<Space::host>& next, std::vector<Sample> (&pictures)[2],
                   std::vector<std::uint16_t>& scratch) {
  const auto column = [&](int worker) {
    return scratch.data() + scratch_row(plan) * static_cast<std::size_t>(worker) + kBefore;
  };
  for (std::size_t i = 0; i < plan.levels.size(); ++i) {
    const Level& to = plan.levels[i];
    workers.run(2 * ((to.height + kBand - 1) / kBand), [&](int task, int worker) {
      const int y0 = task / 2 * kBand, y1 = std::min(y0 + kBand, to.height);
      Sample* base = pictures[task % 2].data();
      if (i == 0)
        smooth_rows(task % 2 == 0 ? previous : next, to, base, y0, y1, column(worker));
      else
        halve_rows(plan.levels[i - 1], to, base, y0, y1, column(worker));
    });
    for (auto& picture : pictures) fill_rim_rows(to, picture.data());
  }
}

}  // namespace kerb::flow::lk
