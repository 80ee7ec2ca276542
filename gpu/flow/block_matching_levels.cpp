// SPDX-License-Identifier: Apache-2.0
// Block matching on the CPU: the levels of a picture, and what of each block is computed once.
#include <algorithm>
#include <cstring>

#include "gpu/flow/block_matching_cpu.hpp"

namespace kerb::flow::bm {
namespace {

/// Left and right of a row, and above and below the picture, copies of the nearest pixel.
void make_rim(const Plane& plane, int y) {
  Byte* const row = plane.row(y);
  std::memset(row - kRim, row[0], kRim);
  std::memset(row + plane.width, row[plane.width - 1], kRim);
  const auto copy_to = [&](int to) {
    std::memcpy(plane.row(to) - kRim, row - kRim, index(plane.width + 2 * kRim));
  };
  if (y == 0)
    for (int i = 1; i <= kRim; ++i) copy_to(-i);
  if (y == plane.height - 1)
    for (int i = 1; i <= kRim; ++i) copy_to(plane.height - 1 + i);
}

/// 1 2 1 each way, (sum + 8) >> 4, the picture's edge repeated.
void smooth_row(const Picture<Space::host>& in, const Plane& out, int y, std::uint16_t* scratch) {
  const int w = in.width;
  const Byte* const above = in.data + std::max(y - 1, 0) * in.row_stride;
  const Byte* const here = in.data + y * in.row_stride;
  const Byte* const below = in.data + std::min(y + 1, in.height - 1) * in.row_stride;
  std::uint16_t* const sums = scratch + 1;
  for (int x = 0; x < w; ++x)
    sums[x] = static_cast<std::uint16_t>(above[x] + 2 * here[x] + below[x]);
  sums[-1] = sums[0];
  sums[w] = sums[w - 1];
  Byte* const to = out.row(y);
  for (int x = 0; x < w; ++x)
    to[x] = static_cast<Byte>((sums[x - 1] + 2 * sums[x] + sums[x + 1] + 8) >> 4);
  make_rim(out, y);
}

/// 1 3 3 1 each way, (sum + 32) >> 6; what lies beyond the edge is the rim.
void halve_row(const Plane& in, const Plane& out, int y, std::uint16_t* scratch) {
  const Byte* const a = in.row(2 * y - 1);
  const Byte* const b = in.row(2 * y);
  const Byte* const c = in.row(2 * y + 1);
  const Byte* const d = in.row(2 * y + 2);
  const int from = 2 * out.width + 2;  // columns -1 and on
  for (int x = 0; x < from; ++x)
    scratch[x] = static_cast<std::uint16_t>(a[x - 1] + 3 * (b[x - 1] + c[x - 1]) + d[x - 1]);
  Byte* const to = out.row(y);
  for (int x = 0; x < out.width; ++x)
    to[x] = static_cast<Byte>((scratch[2 * x] + 3 * (scratch[2 * x + 1] + scratch[2 * x + 2]) +
                               scratch[2 * x + 3] + 32) >>
                              6);
  make_rim(out, y);
}

/// Sums and deviations of the blocks at every place of the second picture.
struct SumsScratch {
  std::int32_t *sum, *squares, *sums_across, *squares_across;  // a row each
};
void sum_rows(const Plane& in, const Places& box, int first, int last, const SumsScratch& scratch,
              Sums* out, std::ptrdiff_t out_stride) {
  const int count = box.right - box.left, columns = count + kBlock - 1;
  const auto row_at = [&](int y) { return in.row(y + kFirst) + kFirst + box.left; };
  std::fill_n(scratch.sum, columns, 0);
  std::fill_n(scratch.squares, columns, 0);
  for (int y = first; y < first + kBlock - 1; ++y) {
    const Byte* const enters = row_at(y);
    for (int x = 0; x < columns; ++x) {
      scratch.sum[x] += enters[x];
      scratch.squares[x] += enters[x] * enters[x];
    }
  }
  for (int y = first; y < last; ++y) {
    const Byte* const enters = row_at(y + kBlock - 1);
    for (int x = 0; x < columns; ++x) {
      scratch.sum[x] += enters[x];
      scratch.squares[x] += enters[x] * enters[x];
    }
    // Eight beside each other: pairs, pairs of pairs, and two of those.
    for (int x = 0; x < columns - 3; ++x) {
      scratch.sums_across[x] =
          (scratch.sum[x] + scratch.sum[x + 1]) + (scratch.sum[x + 2] + scratch.sum[x + 3]);
      scratch.squares_across[x] = (scratch.squares[x] + scratch.squares[x + 1]) +
                                  (scratch.squares[x + 2] + scratch.squares[x + 3]);
    }
    Sums* const to = out + y * out_stride + box.left;
    for (int x = 0; x < count; ++x) {
      const int sum = scratch.sums_across[x] + scratch.sums_across[x + 4];
      const int squares = scratch.squares_across[x] + scratch.squares_across[x + 4];
      to[x] = {sum, inverse_deviation(variance_of(sum, squares))};
    }
    const Byte* const leaves = row_at(y);
    for (int x = 0; x < columns; ++x) {
      scratch.sum[x] -= leaves[x];
      scratch.squares[x] -= leaves[x] * leaves[x];
    }
  }
}

}  // namespace

void OnCpu::make_pictures(const Picture<Space::host>& previous, const Picture<Space::host>& next) {
  const auto rows = [&](int height, const auto& body) {
    const int tasks = tasks_for(height, kRowsPerTask);
    workers_.run(2 * tasks, [&](int task, int worker) {
      const int picture = task % 2, first = task / 2 * kRowsPerTask;
      auto* const room = reinterpret_cast<std::uint16_t*>(scratch(worker, 0));
      for (int y = first; y < std::min(first + kRowsPerTask, height); ++y) body(picture, y, room);
    });
  };
  const Level& first = plan_.levels[0];
  rows(first.height, [&](int picture, int y, std::uint16_t* room) {
    smooth_row(picture == 0 ? previous : next, plane(picture, first), y, room);
  });
  for (std::size_t i = 1; i < plan_.levels.size(); ++i)
    rows(plan_.levels[i].height, [&](int picture, int y, std::uint16_t* room) {
      halve_row(plane(picture, plan_.levels[i - 1]), plane(picture, plan_.levels[i]), y, room);
    });
}

void OnCpu::sum_places(int i) {
  const Level& level = plan_.levels[index(i)];
  const Places box =
      masked_ ? places_[index(i)] : Places{0, 0, places(level.width), places(level.height)};
  const int each = 4 * kRowsPerTask;
  workers_.run(tasks_for(box.bottom - box.top, each), [&](int task, int worker) {
    const SumsScratch room{scratch(worker, 0), scratch(worker, 1), scratch(worker, 2),
                           scratch(worker, 3)};
    const int first = box.top + task * each;
    sum_rows(plane(1, level), box, first, std::min(first + each, box.bottom), room,
             sums_.data() + level.sums, level.sums_stride);
  });
}

}  // namespace kerb::flow::bm
