// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kerb::board {

/// Test frames that carry their own number. The top kBandRows rows hold 32 cells, black or white,
/// for the bits of the number (most significant first), and below them the same cells inverted; the
/// rest is a fixed texture, shifted by an amount that depends on the number and the row, so that no
/// two frames are alike and a frame torn from two is seen. The rows go each their own way: if all
/// went together, it would be a camera that turns, or, with a frame left out, one that was knocked.
/// Works on rows of bytes: the loop through vivid has to carry any format as it is.
class Pattern {
 public:
  static constexpr std::size_t kBandRows = 32;  ///< 16 of the bits, 16 of their inverse

  /// A frame of `rows` rows of `stride` bytes: stride at least 256, rows more than kBandRows.
  Pattern(std::size_t stride, std::size_t rows);

  std::size_t bytes() const { return stride_ * rows_; }
  /// Draws frame `number` into the first bytes() of `frame`.
  void draw(std::uint32_t number, std::span<std::uint8_t> frame) const;
  /// The number in the band, or nothing where a cell and its inverse do not agree.
  std::optional<std::uint32_t> number_of(std::span<const std::uint8_t> frame) const;
  /// How many bytes of `frame` differ from frame `number` as drawn.
  std::size_t differences(std::uint32_t number, std::span<const std::uint8_t> frame) const;

 private:
  void draw_row(std::uint32_t number, std::size_t row, std::uint8_t* out) const;

  std::size_t stride_;
  std::size_t rows_;
  std::size_t cell_;                   // bytes in a cell
  std::vector<std::uint8_t> texture_;  // a row and as much again, to be read at any shift
};

}  // namespace kerb::board
