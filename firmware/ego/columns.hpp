// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstddef>
#include <vector>

#include "firmware/ego/geometry.hpp"
#include "firmware/types/ego_motion.hpp"

/// Many points under one guess at once: the search's inner loop, in a shape that compilers turn
/// into vectors. The arithmetic of a point is written once, for one and for many, so that both give
/// the same, bit for bit.
namespace kerb::ego {

/// One guess, as points are looked at with it.
struct View {
  Rotation r{};
  Vec2 foe;
  double focal_px = 1;
  double most_outwards = 0;
};

/// EgoEstimator::Seen, number by number.
struct Look {
  double turned_x, turned_y, u_x, u_y, unit_x, unit_y, rho, along, across, excess;
};

template <Travel kTravel>
[[nodiscard]] inline Look look_at(const View& view, double x, double y, double x2,
                                  double y2) noexcept {
  Look out{};
  const Vec2 turned = turned_back(view.r, view.focal_px, {x2, y2});
  out.turned_x = turned.x;
  out.turned_y = turned.y;
  out.u_x = turned.x - x;
  out.u_y = turned.y - y;
  out.unit_x = 1;
  out.unit_y = 0;
  if constexpr (kTravel != Travel::none) {
    const double from_x = x - view.foe.x, from_y = y - view.foe.y;
    out.rho = std::sqrt(from_x * from_x + from_y * from_y);
    const double away_x = from_x / out.rho, away_y = from_y / out.rho;
    const bool apart = out.rho > 1e-9;
    out.unit_x = apart ? away_x : 1;
    out.unit_y = apart ? away_y : 0;
  }
  out.along = out.u_x * out.unit_x + out.u_y * out.unit_y;
  out.across = out.u_y * out.unit_x - out.u_x * out.unit_y;
  const double reach = out.rho * view.most_outwards;
  const double low = kTravel == Travel::backward ? -reach : 0;
  const double high = kTravel == Travel::forward ? reach : 0;
  const double not_below = out.along < low ? low : out.along;
  out.excess = out.along - (high < not_below ? high : not_below);
  return out;
}

/// In variances. Beyond its limits by noise alone half of all far points are a little: that is
/// free, or it would pull on the rotation.
template <Travel kTravel>
[[nodiscard]] inline double misfit(double across, double excess, double sigma) noexcept {
  const double slack = kTravel == Travel::none ? 0 : 2 * sigma;
  const double over = std::abs(excess) - slack;
  const double beyond = over < 0.0 ? 0.0 : over;
  return (across * across + beyond * beyond) / (sigma * sigma);
}

/// Points, number by number, in blocks; the last is filled up with points that mean nothing.
struct Columns {
  static constexpr std::size_t kBlock = 16;
  std::vector<double> x, y, x2, y2, sigma;
  std::size_t count = 0;

  explicit Columns(std::size_t most) {
    const std::size_t room = (most + kBlock - 1) / kBlock * kBlock;
    for (std::vector<double>* column : {&x, &y, &x2, &y2, &sigma}) column->resize(room);
  }
  void add(double px, double py, double px2, double py2, double psigma) noexcept {
    x[count] = px;
    y[count] = py;
    x2[count] = px2;
    y2[count] = py2;
    sigma[count] = psigma;
    ++count;
  }
  void fill_up() noexcept {
    for (std::size_t i = count; i % kBlock != 0; ++i) x[i] = y[i] = x2[i] = y2[i] = sigma[i] = 1;
  }
};

/// How a block of points fits. From `first` on, which begins one.
struct Misfits {
  double of[Columns::kBlock];
};
template <Travel kTravel>
void look_at(const View& view, const Columns& points, std::size_t first, Misfits& out) noexcept {
  const double *x = points.x.data() + first, *y = points.y.data() + first,
               *x2 = points.x2.data() + first, *y2 = points.y2.data() + first,
               *sigma = points.sigma.data() + first;
  for (std::size_t i = 0; i < Columns::kBlock; ++i) {
    const Look seen = look_at<kTravel>(view, x[i], y[i], x2[i], y2[i]);
    out.of[i] = misfit<kTravel>(seen.across, seen.excess, sigma[i]);
  }
}

/// ... and what a block of points says of the unknowns: rotation about x, y, z; focus x, y.
struct Rows {
  double weight[Columns::kBlock], across[Columns::kBlock], excess[Columns::kBlock];
  double of_across[5][Columns::kBlock];  ///< how `across` changes with each
  double of_along[3][Columns::kBlock];   ///< and along; the focus hardly matters to it
};
template <Travel kTravel>
void look_at(const View& view, const Columns& points, std::size_t first, double scale,
             Rows& out) noexcept {
  const double *x = points.x.data() + first, *y = points.y.data() + first,
               *x2 = points.x2.data() + first, *y2 = points.y2.data() + first,
               *sigma = points.sigma.data() + first;
  const double focal = view.focal_px, near = 0.02 * focal * (0.02 * focal), scale2 = scale * scale;
  for (std::size_t i = 0; i < Columns::kBlock; ++i) {
    const Look seen = look_at<kTravel>(view, x[i], y[i], x2[i], y2[i]);
    const double chi2 = misfit<kTravel>(seen.across, seen.excess, sigma[i]);
    const double doubt = 1 + chi2 / scale2;
    double weight = 1 / (sigma[i] * sigma[i] * (doubt * doubt));
    const TurnJacobian j = turn_jacobian(focal, {seen.turned_x, seen.turned_y});
    for (std::size_t k = 0; k < 3; ++k) {
      out.of_across[k][i] = j.y[k] * seen.unit_x - j.x[k] * seen.unit_y;
      out.of_along[k][i] = j.x[k] * seen.unit_x + j.y[k] * seen.unit_y;
    }
    if constexpr (kTravel != Travel::none) {  // near the focus a direction says nothing
      weight *= seen.rho * seen.rho / (seen.rho * seen.rho + near);
      // d/dfoe of (g x u) / |g|, g = p - foe.
      const double to_x = (-seen.u_y + seen.across * seen.unit_x) / seen.rho;
      const double to_y = (seen.u_x + seen.across * seen.unit_y) / seen.rho;
      const bool apart = seen.rho > 1e-9;
      out.of_across[3][i] = apart ? to_x : 0;
      out.of_across[4][i] = apart ? to_y : 0;
    } else {
      out.of_across[3][i] = out.of_across[4][i] = 0;
    }
    out.weight[i] = weight;
    out.across[i] = seen.across;
    out.excess[i] = seen.excess;
  }
}

/// Calls what is written for one kind of travel.
template <typename Use>
decltype(auto) for_travel(Travel travel, const Use& use) {
  switch (travel) {
    case Travel::forward:
      return use.template operator()<Travel::forward>();
    case Travel::backward:
      return use.template operator()<Travel::backward>();
    case Travel::none:
      break;
  }
  return use.template operator()<Travel::none>();
}

}  // namespace kerb::ego
