// SPDX-License-Identifier: Apache-2.0
#include "gpu/emd/packed_simplex.hpp"

#include <cstddef>

namespace kerb::emd {
namespace {

constexpr std::size_t index(int i) noexcept { return static_cast<std::size_t>(i); }

template <typename Words>
void set_bit(Words& words, int column) noexcept {
  words[index(column / 32)] |= 1U << (column % 32);
}
template <typename Words>
bool has_bit(const Words& words, int column) noexcept {
  return (words[index(column / 32)] >> (column % 32) & 1U) != 0;
}

}  // namespace

void PackedSimplex::begin(const Ground& ground, const Signature& from,
                          const Signature& to) noexcept {
  bins_ = ground.bins();
  rows_ = 2 * bins_;
  columns_ = PackedTableau::columns(bins_);
  words_ = (columns_ + 31) / 32;
  const std::int32_t price = PackedTableau::price(bins_, ground.largest());
  const int square = bins_ * bins_;
  for (int r = 0; r < rows_; ++r) {
    Row& row = row_[index(r)];
    row.plus.fill(0);
    row.minus.fill(0);
    const bool gives = r < bins_;
    for (int k = 0; k < bins_; ++k)
      set_bit(row.plus, gives ? r * bins_ + k : k * bins_ + r - bins_);
    set_bit(row.plus, square + r);
    row.basic = square + r;
    row.amount =
        gives ? from.bins[index(r)] * PackedTableau::kFine + PackedTableau::kMoreSupply
              : to.bins[index(r - bins_)] * PackedTableau::kFine + PackedTableau::kMoreDemand;
  }
  for (int i = 0; i < bins_; ++i)
    for (int j = 0; j < bins_; ++j) gain_[index(i * bins_ + j)] = ground.cost(i, j) - price;
  for (int c = square; c < columns_; ++c) gain_[index(c)] = 0;
}

/// Entries are -1, 0, 1 and stay so; adding rows is logic.
void PackedSimplex::pivot(int row, int column) noexcept {
  const Row& by = row_[index(row)];
  for (int r = 0; r < rows_; ++r) {
    if (r == row) continue;
    Row& to = row_[index(r)];
    const bool plus = has_bit(to.plus, column), minus = has_bit(to.minus, column);
    if (!plus && !minus) continue;
    const auto& up = plus ? by.plus : by.minus;  // what is subtracted
    const auto& down = plus ? by.minus : by.plus;
    for (std::size_t w = 0; w < index(words_); ++w) {
      const std::uint32_t p = to.plus[w], m = to.minus[w];
      to.plus[w] = (p & ~up[w]) | (down[w] & ~m);
      to.minus[w] = (m & ~down[w]) | (up[w] & ~p);
    }
    to.amount += plus ? -by.amount : by.amount;
  }
  const std::int32_t gain = gain_[index(column)];
  for (int c = 0; c < columns_; ++c) {
    if (has_bit(by.plus, c)) gain_[index(c)] -= gain;
    if (has_bit(by.minus, c)) gain_[index(c)] += gain;
  }
  row_[index(row)].basic = column;
}

std::uint32_t PackedSimplex::solve(const Ground& ground, const Signature& from,
                                   const Signature& to) noexcept {
  begin(ground, from, to);
  for (;;) {
    int column = 0;
    for (int c = 1; c < columns_; ++c)
      if (gain_[index(c)] < gain_[index(column)]) column = c;
    if (gain_[index(column)] >= 0) break;
    int row = -1;
    for (int r = 0; r < rows_; ++r)
      if (has_bit(row_[index(r)].plus, column) &&
          (row < 0 || row_[index(r)].amount < row_[index(row)].amount))
        row = r;
    pivot(row, column);
  }
  std::uint32_t cost = 0;
  for (int r = 0; r < rows_; ++r) {
    const Row& row = row_[index(r)];
    if (row.basic >= bins_ * bins_) continue;
    const std::int32_t whole = (row.amount + PackedTableau::kFine / 2) / PackedTableau::kFine;
    cost += static_cast<std::uint32_t>(whole) *
            static_cast<std::uint32_t>(ground.cost(row.basic / bins_, row.basic % bins_));
  }
  return cost;
}

}  // namespace kerb::emd
