// SPDX-License-Identifier: Apache-2.0
#include "gpu/flow/corners.hpp"

#include <algorithm>
#include <cmath>

namespace kerb::flow {
namespace {

constexpr int kReach = 2;  // columns and rows of every second pixel, either way
constexpr int kSide = 2 * kReach + 1;
constexpr int kBand = 16;  // rows made at once
/// Two pixels' difference is twice a gradient.
constexpr float kScale = 1.0F / (4 * kSide * kSide);

/// Adds (or takes away) a row's gradient products: of the pixels 1, 3, 5 ... of its line.
void add_row(const Picture<Space::host>& picture, int row, int sign, int columns, int* xx, int* xy,
             int* yy) noexcept {
  const std::uint8_t* p = picture.data + (2 * row + 1) * picture.row_stride + 1;
  const std::ptrdiff_t stride = picture.row_stride;
  for (int x = 0; x < columns; ++x) {
    const int gx = p[2 * x + 1] - p[2 * x - 1], gy = p[2 * x + stride] - p[2 * x - stride];
    xx[x] += sign * (gx * gx);
    xy[x] += sign * (gx * gy);
    yy[x] += sign * (gy * gy);
  }
}

}  // namespace

Corners::Corners(Workers& workers, int width, int height)
    : workers_{workers},
      width_{width},
      height_{height},
      columns_{(width - 1) / 2},
      rows_{(height - 1) / 2},
      measure_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_)),
      scratch_(static_cast<std::size_t>(workers.count())) {
  for (Rows& rows : scratch_)
    for (std::vector<int>* sums : {&rows.xx, &rows.xy, &rows.yy})
      sums->resize(static_cast<std::size_t>(columns_));
}

void Corners::make_rows(const Picture<Space::host>& picture, int row0, int row1, Rows& sums) {
  int *xx = sums.xx.data(), *xy = sums.xy.data(), *yy = sums.yy.data();
  for (int* of : {xx, xy, yy}) std::fill(of, of + columns_, 0);
  const auto add = [&](int row, int sign) {
    add_row(picture, std::clamp(row, 0, rows_ - 1), sign, columns_, xx, xy, yy);
  };
  for (int row = row0 - kReach; row < row0 + kReach; ++row) add(row, 1);
  for (int row = row0; row < row1; ++row) {
    add(row + kReach, 1);
    float* out = measure_.data() + std::ptrdiff_t{row} * columns_;
    for (int x = 0; x < columns_ - 2 * kReach; ++x) {
      const int a = xx[x] + xx[x + 1] + xx[x + 2] + xx[x + 3] + xx[x + 4];
      const int b = xy[x] + xy[x + 1] + xy[x + 2] + xy[x + 3] + xy[x + 4];
      const int c = yy[x] + yy[x + 1] + yy[x + 2] + yy[x + 3] + yy[x + 4];
      const auto half = 0.5F * static_cast<float>(a - c), across = static_cast<float>(b);
      out[x + kReach] =
          (0.5F * static_cast<float>(a + c) - std::sqrt(half * half + across * across)) * kScale;
    }
    add(row - kReach, -1);
  }
}

void Corners::look_at(const Picture<Space::host>& picture) {
  workers_.run((rows_ + kBand - 1) / kBand, [&](int task, int worker) {
    make_rows(picture, task * kBand, std::min((task + 1) * kBand, rows_),
              scratch_[static_cast<std::size_t>(worker)]);
  });
}

bool Corners::best_of(const Square& square, float least, Point& out) const noexcept {
  // Pixels 1, 3, 5 ... are looked at; the outermost columns have no measure and stay 0.
  const int x0 = std::max(square.x0 / 2, 0), x1 = std::min(square.x1 / 2, columns_);
  const int y0 = std::max(square.y0 / 2, 0), y1 = std::min(square.y1 / 2, rows_);
  float best = least;
  int at_x = -1, at_y = -1;
  for (int y = y0; y < y1; ++y) {
    const float* row = measure_.data() + std::ptrdiff_t{y} * columns_;
    for (int x = x0; x < x1; ++x)
      if (row[x] > best) {
        best = row[x];
        at_x = x;
        at_y = y;
      }
  }
  if (at_x < 0) return false;
  out = {static_cast<float>(2 * at_x + 1), static_cast<float>(2 * at_y + 1)};
  return true;
}

}  // namespace kerb::flow
