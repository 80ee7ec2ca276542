// SPDX-License-Identifier: Apache-2.0
#include "gpu/hog/dense_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kerb::hog::dense {
namespace {

/// exp(-t) for t >= 0, in plain products and sums: halve t until it is small, a series, square.
double falling_exp(double t) {
  if (t > 700) return 0;
  int halvings = 0;
  while (t > 0.125) {
    t *= 0.5;
    ++halvings;
  }
  double sum = 1, term = 1;
  for (int n = 1; n <= 12; ++n) {
    term = term * -t / n;
    sum += term;
  }
  for (int i = 0; i < halvings; ++i) sum *= sum;
  return sum;
}

/// Windows along one side, dealt out to sheets: sheet i has windows i, i + period, ...
struct Side {
  int start, first_block, windows, blocks;
};
Side side_of(int sheet, int period, int places, int stride, int window_blocks) {
  Side side{};
  side.start = sheet * stride % kCell;
  side.first_block = sheet * stride / kCell;
  side.windows = (places - sheet + period - 1) / period;
  side.blocks = side.first_block + (side.windows - 1) * (stride * period / kCell) + window_blocks;
  return side;
}

}  // namespace

DensePlan plan_dense(const DenseModel& model, const SearchPlan& search, std::size_t round_values) {
  DensePlan plan;
  plan.grid = std::gcd(search.stride, kCell);
  const int period = kCell / plan.grid;
  for (std::size_t i = 0; i < search.windows.size(); ++i) {
    const LevelWindows& windows = search.windows[i];
    for (int ky = 0; ky < std::min(period, windows.rows); ++ky)
      for (int kx = 0; kx < std::min(period, windows.columns); ++kx) {
        const Side across = side_of(kx, period, windows.columns, search.stride, model.blocks_x());
        const Side down = side_of(ky, period, windows.rows, search.stride, model.blocks_y());
        Sheet sheet;
        sheet.level = static_cast<int>(i);
        sheet.x = windows.first_x + across.start;
        sheet.y = windows.first_y + down.start;
        sheet.columns = across.blocks;
        sheet.rows = down.blocks;
        sheet.first_bx = across.first_block;
        sheet.first_by = down.first_block;
        sheet.step = search.stride / plan.grid;
        sheet.window_columns = across.windows;
        sheet.window_rows = down.windows;
        sheet.first_window = windows.first_window + ky * windows.columns + kx;
        sheet.window_step = period;
        sheet.window_pitch = period * windows.columns;
        plan.sheets.push_back(sheet);
      }
  }
  std::size_t used = 0;
  for (std::size_t i = 0; i < plan.sheets.size(); ++i) {
    Sheet& sheet = plan.sheets[i];
    if (plan.rounds.empty() || used + sheet.values() > round_values) {
      plan.rounds.push_back({static_cast<int>(i), 0});
      used = 0;
    }
    ++plan.rounds.back().sheets;
    sheet.offset = used;
    used += sheet.values();
    plan.values = std::max(plan.values, used);
  }
  return plan;
}

std::vector<float> ordered_weights(const DenseModel& model) {
  const int bx = model.blocks_x(), by = model.blocks_y();
  std::vector<float> ordered;
  ordered.reserve(model.weights.size());
  for (int y = 0; y < by; ++y)
    for (int bin = 0; bin < kBins; ++bin)
      for (int x = 0; x < bx; ++x)
        for (int cell = 0; cell < kLanes; ++cell) {
          const float* block =
              model.weights.data() + std::ptrdiff_t{y * bx + x} * DenseModel::kBlockValues;
          ordered.push_back(block[cell * kBins + bin]);
        }
  return ordered;
}

Shares shares_of(float sigma) noexcept {
  const double width = static_cast<double>(sigma), spread = 1 / (2 * width * width);
  Shares shares{};
  for (int u = 0; u < kCell; ++u)
    for (int k = 0; k < 4; ++k) {
      const int place = u + (k < 2 ? 0 : kCell);  // in the block
      const double from_middle = place - kCell, centre = k % 2 == 0 ? 3.5 : 11.5;
      const double ramp = 1 - std::abs(place - centre) / kCell;
      if (ramp <= 0) continue;
      shares.of[u][k] = static_cast<float>(falling_exp(from_middle * from_middle * spread) * ramp);
    }
  return shares;
}

Work work_of(const DenseModel& model, const SearchPlan& search) {
  Work work;
  work.windows = search.window_count;
  work.learners = work.windows * model.blocks_x() * model.blocks_y();
  return work;
}

void fill_samples(bool gamma, float (&samples)[256]) noexcept {
  for (int i = 0; i < 256; ++i) {
    const auto value = static_cast<float>(i);
    samples[i] = gamma ? std::sqrt(value) : value;
  }
}

}  // namespace kerb::hog::dense
