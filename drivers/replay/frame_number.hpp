// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

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
[[nodiscard]] constexpr FrameNumberBand frame_number_band(int width, int height) noexcept {
  return {width / FrameNumberBand::kBits, std::max(2, height / 64 * 2)};  // 720 rows: 22 and 22
}

}  // namespace kerb
