// SPDX-License-Identifier: Apache-2.0
#include "tests/board/pattern.hpp"

#include <algorithm>
#include <cstring>

#include "tests/support/random.hpp"

namespace kerb::board {
namespace {
constexpr std::size_t kBits = 32;
}

Pattern::Pattern(std::size_t stride, std::size_t rows)
    : stride_(stride), rows_(rows), cell_(stride / kBits), texture_(2 * stride) {
  std::uint32_t state = 0x6b657262;  // any seed: both sides draw from here
  for (std::size_t i = 0; i < texture_.size(); ++i) {
    state = state * 1664525U + 1013904223U;
    texture_[i] = static_cast<std::uint8_t>(state >> 24U);
  }
}

void Pattern::draw_row(std::uint32_t number, std::size_t row, std::uint8_t* out) const {
  if (row >= kBandRows) {
    const std::size_t shift = test::Random{std::uint64_t{number} << 32U | row}.next() % stride_;
    std::memcpy(out, texture_.data() + shift, stride_);
    return;
  }
  const std::uint32_t bits = row < kBandRows / 2 ? number : ~number;
  std::memset(out, 0, stride_);
  for (std::size_t bit = 0; bit < kBits; ++bit)
    if ((bits >> (kBits - 1 - bit)) & 1U) std::memset(out + bit * cell_, 0xff, cell_);
}

void Pattern::draw(std::uint32_t number, std::span<std::uint8_t> frame) const {
  for (std::size_t row = 0; row < rows_; ++row) draw_row(number, row, frame.data() + row * stride_);
}

std::optional<std::uint32_t> Pattern::number_of(std::span<const std::uint8_t> frame) const {
  if (frame.size() < bytes()) return std::nullopt;
  std::uint32_t number = 0;
  for (std::size_t bit = 0; bit < kBits; ++bit) {
    const std::size_t column = bit * cell_ + cell_ / 2;
    const bool is_set = frame[(kBandRows / 4) * stride_ + column] > 127;
    const bool is_clear = frame[(3 * kBandRows / 4) * stride_ + column] > 127;
    if (is_set == is_clear) return std::nullopt;
    number = number << 1U | (is_set ? 1U : 0U);
  }
  return number;
}

std::size_t Pattern::differences(std::uint32_t number, std::span<const std::uint8_t> frame) const {
  if (frame.size() < bytes()) return bytes();
  std::vector<std::uint8_t> expected(stride_);
  std::size_t count = 0;
  for (std::size_t row = 0; row < rows_; ++row) {
    draw_row(number, row, expected.data());
    const std::uint8_t* seen = frame.data() + row * stride_;
    if (std::memcmp(seen, expected.data(), stride_) == 0) continue;
    for (std::size_t i = 0; i < stride_; ++i) count += seen[i] != expected[i];
  }
  return count;
}

}  // namespace kerb::board
