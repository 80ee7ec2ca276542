// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstddef>
#include <vector>

#include "firmware/ego/geometry.hpp"
#include "firmware/types/ego_motion.hpp"

/// Many points under one motion hypothesis at once: the inner loop of the search, in a shape that
/// compilers vectorise. The arithmetic of a point is written once, for one point and for many, so
/// that both give the same result, bit for bit.
namespace kerb::ego {

/// One hypothesis of the camera's motion, as points are compared with it.
struct MotionModel {
  Rotation r{};
  Vec2 foe;
  double focal_px = 1;
  double max_outward_share = 0;
};

/// EgoEstimator::PointFit, number by number.
struct FitValues {
  double turned_x, turned_y, u_x, u_y, unit_x, unit_y, rho, along, across, excess;
};

template <Travel kTravel>
[[nodiscard]] inline FitValues fit_point(const MotionModel& model, double x, double y, double x2,
                                         double y2) noexcept {
  FitValues out{};
  const Vec2 turned = turned_back(model.r, model.focal_px, {x2, y2});
  out.turned_x = turned.x;
  out.turned_y = turned.y;
  out.u_x = turned.x - x;
  out.u_y = turned.y - y;
  out.unit_x = 1;
  out.unit_y = 0;
  if constexpr (kTravel != Travel::none) {
    const double from_x = x - model.foe.x, from_y = y - model.foe.y;
    out.rho = std::sqrt(from_x * from_x + from_y * from_y);
    const double away_x = from_x / out.rho, away_y = from_y / out.rho;
    const bool apart = out.rho > 1e-9;
    out.unit_x = apart ? away_x : 1;
    out.unit_y = apart ? away_y : 0;
  }
  out.along = out.u_x * out.unit_x + out.u_y * out.unit_y;
  out.across = out.u_y * out.unit_x - out.u_x * out.unit_y;
  const double reach = out.rho * model.max_outward_share;
  const double low = kTravel == Travel::backward ? -reach : 0;
  const double high = kTravel == Travel::forward ? reach : 0;
  const double not_below = out.along < low ? low : out.along;
  out.excess = out.along - (high < not_below ? high : not_below);
  return out;
}

/// In variances. Noise alone puts half of all far points slightly beyond their limits: up to two
/// standard deviations cost nothing, because they would pull on the rotation otherwise.
template <Travel kTravel>
[[nodiscard]] inline double misfit(double across, double excess, double sigma) noexcept {
  const double slack = kTravel == Travel::none ? 0 : 2 * sigma;
  const double over = std::abs(excess) - slack;
  const double beyond = over < 0.0 ? 0.0 : over;
  return (across * across + beyond * beyond) / (sigma * sigma);
}

/// Points as one array per number, in blocks; the last block is padded with dummy points.
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

/// How the block of points that begins at `first` fits.
struct Misfits {
  double of[Columns::kBlock];
};
template <Travel kTravel>
void fit_block(const MotionModel& model, const Columns& points, std::size_t first,
               Misfits& out) noexcept {
  const double *x = points.x.data() + first, *y = points.y.data() + first,
               *x2 = points.x2.data() + first, *y2 = points.y2.data() + first,
               *sigma = points.sigma.data() + first;
  for (std::size_t i = 0; i < Columns::kBlock; ++i) {
    const FitValues fit = fit_point<kTravel>(model, x[i], y[i], x2[i], y2[i]);
    out.of[i] = misfit<kTravel>(fit.across, fit.excess, sigma[i]);
  }
}

/// The rows that a block of points adds to the normal equations. The unknowns are the rotation
/// about x, y, z and the focus of expansion x, y.
struct Rows {
  double weight[Columns::kBlock], across[Columns::kBlock], excess[Columns::kBlock];
  double of_across[5][Columns::kBlock];  ///< derivative of `across` by each unknown
  double of_along[3][Columns::kBlock];   ///< of `along`; the focus hardly changes it
};
template <Travel kTravel>
void fit_block(const MotionModel& model, const Columns& points, std::size_t first, double scale,
               Rows& out) noexcept {
  const double *x = points.x.data() + first, *y = points.y.data() + first,
               *x2 = points.x2.data() + first, *y2 = points.y2.data() + first,
               *sigma = points.sigma.data() + first;
  const double focal = model.focal_px, near = 0.02 * focal * (0.02 * focal), scale2 = scale * scale;
  for (std::size_t i = 0; i < Columns::kBlock; ++i) {
    const FitValues fit = fit_point<kTravel>(model, x[i], y[i], x2[i], y2[i]);
    const double chi2 = misfit<kTravel>(fit.across, fit.excess, sigma[i]);
    const double doubt = 1 + chi2 / scale2;
    double weight = 1 / (sigma[i] * sigma[i] * (doubt * doubt));
    const TurnJacobian j = turn_jacobian(focal, {fit.turned_x, fit.turned_y});
    for (std::size_t k = 0; k < 3; ++k) {
      out.of_across[k][i] = j.y[k] * fit.unit_x - j.x[k] * fit.unit_y;
      out.of_along[k][i] = j.x[k] * fit.unit_x + j.y[k] * fit.unit_y;
    }
    if constexpr (kTravel != Travel::none) {  // near the focus a direction is meaningless
      weight *= fit.rho * fit.rho / (fit.rho * fit.rho + near);
      // d/dfoe of (g x u) / |g|, g = p - foe.
      const double to_x = (-fit.u_y + fit.across * fit.unit_x) / fit.rho;
      const double to_y = (fit.u_x + fit.across * fit.unit_y) / fit.rho;
      const bool apart = fit.rho > 1e-9;
      out.of_across[3][i] = apart ? to_x : 0;
      out.of_across[4][i] = apart ? to_y : 0;
    } else {
      out.of_across[3][i] = out.of_across[4][i] = 0;
    }
    out.weight[i] = weight;
    out.across[i] = fit.across;
    out.excess[i] = fit.excess;
  }
}

/// Calls `use` with the kind of travel as its template argument.
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
