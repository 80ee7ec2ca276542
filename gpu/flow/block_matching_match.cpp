// SPDX-License-Identifier: Apache-2.0
// Block matching on the CPU: the best shift of every block, refined to parts of a pixel.
#include <algorithm>
#include <cmath>

#include "gpu/flow/block_matching_cpu.hpp"
#include "gpu/flow/block_matching_simd.hpp"

namespace kerb::flow::bm {
namespace {

/// A block of the first picture.
struct Block {
  const Byte* at;
  Rows rows;
  int sum, variance;
};

Block block_at(const Byte* at, std::ptrdiff_t stride) {
  Block block;
  block.at = at;
  block.rows = rows_at(at, stride);
  S16x8 sum{};
  S32x4 squares{};
  for (const U8x8 row : block.rows.at) {
    const S16x8 wide = simd::widen(row);
    sum += wide;
    squares = add_products(squares, wide, wide);
  }
  block.sum = sum_of(sum);
  block.variance = variance_of(block.sum, sum_of(squares));
  return block;
}

/// Both pictures of a level where one block looks.
struct Scene {
  const Byte* second;  // the place of shift (0, 0)
  std::ptrdiff_t stride;
  const Sums* sums;  // NCC's; likewise
  std::ptrdiff_t sums_stride;
};

template <Cost C>
KERB_INLINE float score_of(const Block& block, float inverse, const Scene& scene, Shift shift) {
  const Byte* const at = scene.second + shift.y * scene.stride + shift.x;
  if constexpr (C == Cost::ncc)
    return ncc_score(block.sum, block.variance, inverse, products(block.rows, at, scene.stride),
                     scene.sums[shift.y * scene.sums_stride + shift.x]);
  if constexpr (C == Cost::ssd)
    return -static_cast<float>(squared_differences(block.rows, at, scene.stride));
  return -static_cast<float>(absolute_differences(block.rows, at, scene.stride));
}

/// What step_of() needs of the first picture's block, and its rows.
struct Refined {
  S16x8 a[kBlock], x[kBlock], y[kBlock];
  Gradients sums;
};
KERB_INLINE void gradients_of(const Block& block, std::ptrdiff_t stride, Refined& out) {
  S16x8 x{}, y{};
  S32x4 xx{}, xy{}, yy{}, ax{}, ay{};
  for (int i = 0; i < kBlock; ++i) {
    const Byte* const row = block.at + i * stride;
    const S16x8 a = simd::widen(block.rows.at[i]);
    const S16x8 gx = wide_at(row + 1) - wide_at(row - 1);
    const S16x8 gy = wide_at(row + stride) - wide_at(row - stride);
    x += gx;
    y += gy;
    xx = add_products(xx, gx, gx);
    xy = add_products(xy, gx, gy);
    yy = add_products(yy, gy, gy);
    ax = add_products(ax, a, gx);
    ay = add_products(ay, a, gy);
    out.a[i] = a;
    out.x[i] = gx;
    out.y[i] = gy;
  }
  out.sums = {sum_of(x), sum_of(y), sum_of(xx), sum_of(xy), sum_of(yy), sum_of(ax), sum_of(ay)};
}

KERB_INLINE Warped warp(const Refined& block, const Byte* at, std::ptrdiff_t stride, int part_x,
                        int part_y) {
  S16x8 sum{};
  S32x4 squares{}, x{}, y{}, a{};
  U16x8 upper = across(at, part_x);
  for (int i = 0; i < kBlock; ++i) {
    const U16x8 lower = across(at + (i + 1) * stride, part_x);
    const auto w = simd::bits<S16x8>(down(upper, lower, part_y));
    upper = lower;
    sum += w;
    squares = add_products(squares, w, w);
    x = add_products(x, w, block.x[i]);
    y = add_products(y, w, block.y[i]);
    a = add_products(a, w, block.a[i]);
  }
  return {sum_of(sum), sum_of(squares), sum_of(x), sum_of(y), sum_of(a)};
}

}  // namespace

template <Cost C>
void OnCpu::match_block(int i, int column, int row) {
  const Level& level = plan_.levels[index(i)];
  const std::size_t number = level.block + index(row * level.columns + column);
  const int x = column * kCell - kBefore, y = row * kCell - kBefore;
  const std::ptrdiff_t stride = level.row_stride, at = y * stride + x;
  const bool smallest = index(i) + 1 == plan_.levels.size();
  const Level& above = plan_.levels[index(smallest ? i : i + 1)];
  const auto number_above = [&](int dx, int dy) {
    return above.block + index(between((row >> 1) + dy, 0, above.rows - 1) * above.columns +
                               between((column >> 1) + dx, 0, above.columns - 1));
  };
  const Block block = block_at(pictures_[0].data() + level.image + at, stride);
  const float noise = plan_.settings.noise * kPixels;
  if (static_cast<float>(block.variance) <= noise * noise) {
    const std::size_t own = number_above(0, 0);
    raw_u_[number] = smallest ? 0.0F : 2 * u_[own];
    raw_v_[number] = smallest ? 0.0F : 2 * v_[own];
    correlation_[number] = 0;
    poor_[number] = 1;
    return;
  }
  const Scene scene{
      pictures_[1].data() + level.image + at, stride,
      sums_.data() + level.sums + (y - kFirst) * std::ptrdiff_t{level.sums_stride} + (x - kFirst),
      level.sums_stride};
  const float inverse = inverse_deviation(block.variance);
  const Bounds bounds = bounds_of(level, x, y);
  Shift best{0, 0};
  float score = -kExact;
  const auto take = [&](Shift shift, float now) {
    if (now > score) {
      score = now;
      best = shift;
    }
  };
  const auto look = [&](Shift shift) { take(shift, score_of<C>(block, inverse, scene, shift)); };
  if (smallest) {
    for (const Shift& shift : plan_.shifts) look(inside(bounds, shift));
  } else {
    Shift seen[9];
    int count = 0;
    const auto look_above = [&](int dx, int dy) {
      const std::size_t from = number_above(dx, dy);
      const Shift shift = inside(bounds, {nearest(2 * u_[from]), nearest(2 * v_[from])});
      for (int j = 0; j < count; ++j)
        if (seen[j].x == shift.x && seen[j].y == shift.y) return;
      seen[count++] = shift;
      look(shift);
    };
    look_above(0, 0);
    for (int j = 0; j < 8; ++j) {
      const Shift to = around(j);
      look_above(kNeighbours * to.x, kNeighbours * to.y);
    }
    const Shift middle = best;
    const bool free = middle.x > bounds.left && middle.x < bounds.right && middle.y > bounds.top &&
                      middle.y < bounds.bottom;
    if (C == Cost::ncc && free) {
      int with[9];
      products_around(block.rows, scene.second + middle.y * stride + middle.x, stride, with);
      for (int j = 0; j < 8; ++j) {
        const Shift to = around(j), shift{middle.x + to.x, middle.y + to.y};
        take(shift, ncc_score(block.sum, block.variance, inverse, with[j < 4 ? j : j + 1],
                              scene.sums[shift.y * scene.sums_stride + shift.x]));
      }
    } else {
      for (int j = 0; j < 8; ++j) {
        const Shift to = around(j);
        look(inside(bounds, {middle.x + to.x, middle.y + to.y}));
      }
    }
  }
  Refined refined;
  gradients_of(block, stride, refined);
  float dx = 0, dy = 0;
  const auto warped_to = [&](int qx, int qy) {
    const Byte* const from = scene.second + (best.y + (qy >> 4)) * stride + best.x + (qx >> 4);
    return warp(refined, from, stride, qx & (kParts - 1), qy & (kParts - 1));
  };
  for (int step = 0; step < plan_.settings.steps; ++step) {
    const int qx = nearest(dx * kParts), qy = nearest(dy * kParts);
    const Step by =
        step_of(C == Cost::ncc, block.sum, block.variance, refined.sums, warped_to(qx, qy));
    if (!by.solved) break;
    dx = static_cast<float>(qx) * (1.0F / kParts) + by.x;
    dy = static_cast<float>(qy) * (1.0F / kParts) + by.y;
    if (std::fabs(dx) <= 1 && std::fabs(dy) <= 1) continue;
    dx = dy = 0;
    break;
  }
  raw_u_[number] = static_cast<float>(best.x) + dx;
  raw_v_[number] = static_cast<float>(best.y) + dy;
  poor_[number] = 0;
  if (i == 0)  // only the finest level's quality is used
    correlation_[number] = correlation(block.sum, block.variance,
                                       warped_to(nearest(dx * kParts), nearest(dy * kParts)));
}

template <Cost C>
void OnCpu::match_level(int i) {
  const Level& level = plan_.levels[index(i)];
  if (C == Cost::ncc) sum_places(i);
  workers_.run(tasks_for(level.rows, kBlockRowsPerTask), [&](int task, int /*worker*/) {
    const int first = task * kBlockRowsPerTask;
    for (int row = first; row < std::min(first + kBlockRowsPerTask, level.rows); ++row)
      for (int column = 0; column < level.columns; ++column)
        if (!masked_ || need_raw_[level.block + index(row * level.columns + column)] != 0)
          match_block<C>(i, column, row);
  });
}

void OnCpu::match(int i) {
  switch (plan_.settings.cost) {
    case Cost::ncc:
      return match_level<Cost::ncc>(i);
    case Cost::ssd:
      return match_level<Cost::ssd>(i);
    case Cost::sad:
      return match_level<Cost::sad>(i);
  }
}

}  // namespace kerb::flow::bm
