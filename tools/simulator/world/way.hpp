// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "tools/simulator/base/scenario.hpp"
#include "tools/simulator/base/vec.hpp"

namespace kerb::sim {

/// A line on the ground by its length: straights, circular bends, and transitions between them
/// (clothoids), without a corner. Before its start and after its end it goes straight on.
class Way {
 public:
  Way(Place start, const std::vector<Stretch>& stretches);
  /// The point `metres` along it, and its direction there. Exact for straights and circles, to
  /// 1e-9 m for transitions.
  [[nodiscard]] Place at(double metres) const;
  /// 1 / radius, to the left is positive.
  [[nodiscard]] double curvature(double metres) const;
  /// Of its stretches, metres.
  [[nodiscard]] double length() const noexcept { return length_; }
  /// The tightest bend's curvature, as a positive number.
  [[nodiscard]] double most_curved() const;

 private:
  struct Piece {
    double begin, length;
    Place start;
    double from, to;  // curvature
  };
  static Place along(const Piece& piece, double metres);
  [[nodiscard]] const Piece* piece_at(double metres) const;
  Place start_, end_;
  std::vector<Piece> pieces_;
  double length_ = 0;
};

}  // namespace kerb::sim
