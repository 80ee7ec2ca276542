// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/flow/flow.hpp"
#include "gpu/flow/points.hpp"
#include "gpu/memory/workers.hpp"

namespace kerb::flow {

/// Columns x0 <= x < x1, rows y0 <= y < y1 of a picture.
struct Square {
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;
};

/// Measures where a picture has texture in both directions, which can be tracked: for every second
/// pixel of every second row the smaller eigenvalue of the mean gradient tensor of about 10 x 10
/// pixels around it, in (grey values / pixel)^2. On the CPU; allocates only when constructed.
class Corners {
 public:
  Corners(Workers& workers, int width, int height);
  /// Reads a picture of that size.
  void look_at(const Picture<Space::host>& picture);
  /// The best place of a square, if any is better than `least`.
  [[nodiscard]] bool best_of(const Square& square, float least, Point& out) const noexcept;

 private:
  /// Sums over columns, of a worker.
  struct Rows {
    std::vector<int> xx, xy, yy;
  };
  void make_rows(const Picture<Space::host>& picture, int row0, int row1, Rows& sums);

  Workers& workers_;
  int width_, height_, columns_, rows_;  // of the picture; of the measured grid
  std::vector<float> measure_;
  std::vector<Rows> scratch_;
};

}  // namespace kerb::flow
