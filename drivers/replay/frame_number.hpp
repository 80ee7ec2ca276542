// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include "hal/base/view.hpp"

namespace kerb {

/// Where a test picture carries its number: the top `rows` rows hold 32 cells, white for a one and
/// black for a zero, the most significant bit on the left; the next `rows` rows hold the same
/// inverted. Columns beyond the last cell carry nothing.
struct FrameNumberBand {
  static constexpr int kBits = 32;
  static constexpr int kMinWidth = 2 * kBits, kMinHeight = 32;
  int cell_width = 0, rows = 0;
};
/// For a picture of this size, kMinWidth x kMinHeight at least.
[[nodiscard]] FrameNumberBand frame_number_band(int width, int height) noexcept;

/// The number in a test picture of any format, from the brightness in the middle of each cell:
/// survives conversion between formats and lossy compression. Nothing when the picture is too small
/// or a cell and its inverse do not differ clearly, as in a picture that carries no number or was
/// torn.
[[nodiscard]] std::optional<std::uint32_t> read_frame_number(
    const RawImageView<Space::host>& image) noexcept;

}  // namespace kerb
