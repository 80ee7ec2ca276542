// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/world/speed_profile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kerb::sim {

SpeedProfile::SpeedProfile(const std::vector<SpeedPoint>& speeds) {
  pieces_.push_back({0, 0, speeds.empty() ? 0 : speeds.front().mps, 0});
  for (std::size_t i = 1; i < speeds.size(); ++i) {
    const SpeedPoint& to = speeds[i];
    const double until =
        i + 1 < speeds.size() ? speeds[i + 1].at_s : std::numeric_limits<double>::infinity();
    const Now from = at(to.at_s);
    const double change = to.mps - from.mps;
    if (change == 0 || !(to.within_mps2 > 0)) {
      pieces_.push_back({to.at_s, from.metres, to.within_mps2 > 0 ? from.mps : to.mps, 0});
      continue;
    }
    const double acceleration = std::copysign(to.within_mps2, change);
    pieces_.push_back({to.at_s, from.metres, from.mps, acceleration});
    const double reached = to.at_s + change / acceleration;
    if (reached < until) pieces_.push_back({reached, at(reached).metres, to.mps, 0});
  }
}

SpeedProfile::Now SpeedProfile::at(double t) const {
  auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), t,
                                [](double value, const Piece& p) { return value < p.t; });
  if (piece != pieces_.begin()) --piece;
  const double dt = t - piece->t;
  return {piece->metres + piece->mps * dt + piece->mps2 * dt * dt / 2,
          piece->mps + piece->mps2 * dt, piece->mps2};
}

double SpeedProfile::fastest() const {
  double most = 0;  // speed is linear in each piece, so a piece's ends are enough
  for (const Piece& piece : pieces_) most = std::max(most, std::abs(piece.mps));
  return most;
}

}  // namespace kerb::sim
