// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/world/way.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kerb::sim {
namespace {

Place straight_on(Place from, double metres) {
  return {from.at + metres * direction(from.heading), from.heading};
}

Place round_circle(Place from, double curvature, double metres) {
  const double turn = curvature * metres;
  // The chord: as long as the arc times sin(x)/x, half turned. Good down to no turn at all.
  const double half = turn / 2;
  const double ratio = std::abs(half) < 1e-6 ? 1 - half * half / 6 : std::sin(half) / half;
  return {from.at + metres * ratio * direction(from.heading + half), from.heading + turn};
}

// Gauss-Legendre with five points: abscissas and weights on -1..1.
constexpr std::array<double, 5> kNodes = {-0.9061798459386640, -0.5384693101056831, 0,
                                          0.5384693101056831, 0.9061798459386640};
constexpr std::array<double, 5> kWeights = {0.2369268850561891, 0.4786286704993665,
                                            0.5688888888888889, 0.4786286704993665,
                                            0.2369268850561891};

/// Curvature changes evenly by `slope` a metre.
Place along_clothoid(Place from, double curvature, double slope, double metres) {
  const auto turned = [&](double s) { return curvature * s + slope * s * s / 2; };
  const double most = std::abs(curvature * metres) + std::abs(slope) * metres * metres / 2;
  const int parts = 1 + static_cast<int>(most / 0.1);
  const double step = metres / parts;
  Vec2 moved;
  for (int i = 0; i < parts; ++i)
    for (std::size_t k = 0; k < kNodes.size(); ++k) {
      const double s = step * (i + (1 + kNodes[k]) / 2);
      moved = moved + kWeights[k] * step / 2 * direction(from.heading + turned(s));
    }
  return {from.at + moved, from.heading + turned(metres)};
}

}  // namespace

Way::Way(Place start, const std::vector<Stretch>& stretches) : start_{start}, end_{start} {
  double last = 0;
  for (const Stretch& stretch : stretches) {
    if (!(stretch.length_m > 0)) continue;
    const double to = stretch.radius_m == 0 ? 0 : 1 / stretch.radius_m;
    const Piece piece{length_, stretch.length_m, end_, stretch.transition ? last : to, to};
    pieces_.push_back(piece);
    end_ = along(piece, stretch.length_m);
    length_ += stretch.length_m;
    last = to;
  }
}

Place Way::along(const Piece& piece, double metres) {
  if (piece.from != piece.to)
    return along_clothoid(piece.start, piece.from, (piece.to - piece.from) / piece.length, metres);
  if (piece.to == 0) return straight_on(piece.start, metres);
  return round_circle(piece.start, piece.to, metres);
}

const Way::Piece* Way::piece_at(double metres) const {
  if (metres < 0 || metres >= length_) return nullptr;
  const auto after =
      std::upper_bound(pieces_.begin(), pieces_.end(), metres,
                       [](double value, const Piece& piece) { return value < piece.begin; });
  return &*(after - 1);
}

Place Way::at(double metres) const {
  if (const Piece* piece = piece_at(metres)) return along(*piece, metres - piece->begin);
  return metres < 0 ? straight_on(start_, metres) : straight_on(end_, metres - length_);
}

double Way::curvature(double metres) const {
  const Piece* piece = piece_at(metres);
  if (piece == nullptr) return 0;
  return piece->from + (piece->to - piece->from) * (metres - piece->begin) / piece->length;
}

double Way::most_curved() const {
  double most = 0;
  for (const Piece& piece : pieces_)
    most = std::max({most, std::abs(piece.from), std::abs(piece.to)});
  return most;
}

}  // namespace kerb::sim
