// SPDX-License-Identifier: Apache-2.0
#include "gpu/emd/transport.hpp"

#include <algorithm>

#include "gpu/image/simd.hpp"

namespace kerb::emd {
namespace {

using simd::S32x4;

constexpr std::int32_t kNever = 1 << 30;  // costs of padding: never chosen
constexpr int kFine = 64;                 // parts of a unit of mass; more than two for each source

KERB_INLINE S32x4 smaller(S32x4 a, S32x4 b) noexcept { return a < b ? a : b; }

std::size_t at(int i) noexcept { return static_cast<std::size_t>(i); }

int lowest_bit(std::uint64_t bits) noexcept { return __builtin_ctzll(bits); }

}  // namespace

/// A tree to begin with: each source in turn gives to its cheapest sinks that still want. Then
/// parents, depths and potentials, from the root down.
void Transport::begin() noexcept {
  std::array<std::uint64_t, 2 * kMaxSide> joined{};
  std::array<std::array<std::int32_t, kRow>, kMaxSide> amount{};
  alignas(16) std::array<std::int32_t, kRow> closed{};  // added to costs: much, once a sink is full
  const int vectors = (m_ + 3) / 4;
  for (int i = 0; i < n_; ++i) {
    std::int32_t left = supply_[at(i)];
    while (left > 0) {
      S32x4 best = S32x4{kNever, kNever, kNever, kNever};
      for (int k = 0; k < vectors; ++k)
        best = smaller(best, simd::load<S32x4>(&cost_[at(i)][at(4 * k)]) +
                                 simd::load<S32x4>(&closed[at(4 * k)]));
      const std::int32_t least = std::min(std::min(best[0], best[1]), std::min(best[2], best[3]));
      int j = 0;
      while (cost_[at(i)][at(j)] + closed[at(j)] != least) ++j;
      const std::int32_t moved = std::min(left, demand_[at(j)]);
      amount[at(i)][at(j)] = moved;
      joined[at(i)] |= std::uint64_t{1} << (n_ + j);
      joined[at(n_ + j)] |= std::uint64_t{1} << i;
      left -= moved;
      demand_[at(j)] -= moved;
      if (demand_[at(j)] == 0) closed[at(j)] = kNever / 2;
    }
  }
  std::array<std::int16_t, 2 * kMaxSide> queue{};
  int head = 0, tail = 1;
  parent_[0] = -1;
  depth_[0] = 0;
  u_[0] = 0;
  children_[0] = joined[0];
  while (head < tail) {
    const int above = queue[at(head++)];
    for (std::uint64_t below = children_[at(above)]; below != 0; below &= below - 1) {
      const int node = lowest_bit(below);
      parent_[at(node)] = static_cast<std::int16_t>(above);
      depth_[at(node)] = static_cast<std::int16_t>(depth_[at(above)] + 1);
      children_[at(node)] = joined[at(node)] & ~(std::uint64_t{1} << above);
      const std::int32_t cost = cost_of(above, node);
      if (node < n_) {
        u_[at(node)] = cost - v_[at(above - n_)];
        flow_[at(node)] = amount[at(node)][at(above - n_)];
      } else {
        v_[at(node - n_)] = cost - u_[at(above)];
        flow_[at(node)] = amount[at(above)][at(node - n_)];
      }
      queue[at(tail++)] = static_cast<std::int16_t>(node);
    }
  }
}

/// The edge whose use gains most for each unit of mass. False: none gains, the tree is optimal.
bool Transport::find_entering(int& i, int& j, std::int32_t& gain) const noexcept {
  const int vectors = (m_ + 3) / 4;
  S32x4 best{}, rows{};
  for (int row = 0; row < n_; ++row) {
    const std::int32_t* costs = cost_[at(row)].data();
    S32x4 least = simd::load<S32x4>(costs) - simd::load<S32x4>(v_.data());
    for (int k = 1; k < vectors; ++k)
      least =
          smaller(least, simd::load<S32x4>(costs + 4 * k) - simd::load<S32x4>(v_.data() + 4 * k));
    least -= u_[at(row)];
    const S32x4 here = least < best;
    best = here ? least : best;
    rows = here ? S32x4{row, row, row, row} : rows;
  }
  int lane = 0;
  for (int l = 1; l < 4; ++l)
    if (best[l] < best[lane]) lane = l;
  gain = best[lane];
  if (gain >= 0) return false;
  i = rows[lane];
  j = lane;
  while (cost_[at(i)][at(j)] - u_[at(i)] - v_[at(j)] != gain) j += 4;
  return true;
}

/// Potentials and depths below and at `root`, whose parent has changed.
void Transport::move_subtree(int root, std::int32_t source_shift) noexcept {
  std::array<std::int16_t, 2 * kMaxSide> stack{};
  int size = 1;
  stack[0] = static_cast<std::int16_t>(root);
  while (size > 0) {
    const int node = stack[at(--size)];
    depth_[at(node)] = static_cast<std::int16_t>(depth_[at(parent_[at(node)])] + 1);
    if (node < n_)
      u_[at(node)] += source_shift;
    else
      v_[at(node - n_)] -= source_shift;
    for (std::uint64_t below = children_[at(node)]; below != 0; below &= below - 1)
      stack[at(size++)] = static_cast<std::int16_t>(lowest_bit(below));
  }
}

void Transport::pivot(int i, int j, std::int32_t gain) noexcept {
  // Around the cycle that the edge (i, j) closes: along edges whose lower end is of the side the
  // climb began on, the flow falls by what the new edge carries; along the others it rises.
  const int ends[2] = {i, n_ + j};
  int climb[2] = {i, n_ + j};
  std::int32_t moved = INT32_MAX;
  int leaving = 0, side = 0;
  while (climb[0] != climb[1]) {
    const int s = depth_[at(climb[0])] >= depth_[at(climb[1])] ? 0 : 1;
    const int node = climb[s];
    if ((node < n_) == (s == 0) && flow_[at(node)] < moved) {
      moved = flow_[at(node)];
      leaving = node;
      side = s;
    }
    climb[s] = parent_[at(node)];
  }
  const int top = climb[0];
  for (int s = 0; s < 2; ++s)
    for (int node = ends[s]; node != top; node = parent_[at(node)])
      flow_[at(node)] += (node < n_) == (s == 0) ? -moved : moved;
  // The part below the leaving edge hangs itself under the other end of the new one.
  int node = ends[side], above = ends[1 - side];
  std::int32_t carried = moved;
  for (;;) {
    const int old_parent = parent_[at(node)];
    const std::int32_t old_flow = flow_[at(node)];
    children_[at(old_parent)] &= ~(std::uint64_t{1} << node);
    children_[at(above)] |= std::uint64_t{1} << node;
    parent_[at(node)] = static_cast<std::int16_t>(above);
    flow_[at(node)] = carried;
    if (node == leaving) break;
    above = node;
    node = old_parent;
    carried = old_flow;
  }
  move_subtree(ends[side], side == 0 ? gain : -gain);
}

std::int64_t Transport::solve(int sources, const std::int32_t* supply, int sinks,
                              const std::int32_t* demand, const std::int32_t* costs,
                              int stride) noexcept {
  std::int32_t total_supply = 0, total_demand = 0;
  for (int i = 0; i < sources; ++i) total_supply += supply[i];
  for (int j = 0; j < sinks; ++j) total_demand += demand[j];
  n_ = m_ = 0;
  if (total_supply == 0 || total_demand == 0) return 0;
  for (int j = 0; j < sinks; ++j)
    if (demand[j] > 0) {
      column_[at(m_)] = static_cast<std::int16_t>(j);
      demand_[at(m_++)] = demand[j] * kFine;
    }
  const bool has_spare_sink = total_supply > total_demand;
  if (has_spare_sink) {
    demand_[at(m_)] = (total_supply - total_demand) * kFine;
    column_[at(m_)] = -1;
  }
  for (int i = 0; i < sources; ++i)
    if (supply[i] > 0) {
      supply_[at(n_)] = supply[i] * kFine + 1;
      for (int k = 0; k < m_; ++k) cost_[at(n_)][at(k)] = costs[i * stride + column_[at(k)]];
      row_[at(n_)] = static_cast<std::int16_t>(i);
      ++n_;
    }
  if (total_supply < total_demand) {
    supply_[at(n_)] = (total_demand - total_supply) * kFine + 1;
    for (int k = 0; k < m_; ++k) cost_[at(n_)][at(k)] = 0;
    row_[at(n_)] = -1;
    ++n_;
  }
  if (has_spare_sink) {
    for (int i = 0; i < n_; ++i) cost_[at(i)][at(m_)] = 0;
    ++m_;
  }
  demand_[at(m_ - 1)] += n_;
  for (int j = m_; j < (m_ + 3) / 4 * 4; ++j) {
    v_[at(j)] = 0;
    for (int i = 0; i < n_; ++i) cost_[at(i)][at(j)] = kNever;
  }
  begin();
  int i = 0, j = 0;
  std::int32_t gain = 0;
  while (find_entering(i, j, gain)) pivot(i, j, gain);
  std::int64_t cost = 0;
  for (int node = 1; node < n_ + m_; ++node) {
    const std::int32_t whole = (flow_[at(node)] + n_) / kFine;
    cost += std::int64_t{whole} * cost_of(node, parent_[at(node)]);
  }
  return cost;
}

template <typename Cost>
double Transport::cost_by(const Cost* costs, int stride) const noexcept {
  double sum = 0;
  for (int node = 1; node < n_ + m_; ++node) {
    const int other = parent_[at(node)];
    const int row = row_[at(std::min(node, other))],
              column = column_[at(std::max(node, other) - n_)];
    if (row < 0 || column < 0) continue;
    const std::int32_t whole = (flow_[at(node)] + n_) / kFine;
    sum += static_cast<double>(whole) * static_cast<double>(costs[row * stride + column]);
  }
  return sum;
}
template double Transport::cost_by(const float*, int) const noexcept;
template double Transport::cost_by(const double*, int) const noexcept;

std::uint32_t Transport::solve(const Ground& ground, const Signature& from,
                               const Signature& to) noexcept {
  std::array<std::int32_t, kMaxBins> supply{}, demand{};
  for (int i = 0; i < ground.bins(); ++i) {
    supply[at(i)] = from.bins[at(i)];
    demand[at(i)] = to.bins[at(i)];
  }
  return static_cast<std::uint32_t>(
      solve(ground.bins(), supply.data(), ground.bins(), demand.data(), ground.costs(), kMaxBins));
}

}  // namespace kerb::emd
