// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "hal/base/result.hpp"
#include "hal/base/view.hpp"

namespace kerb {

/// Upper bound of a grey picture's file size: its blocks of 8 x 8 pixels twice, and tables.
[[nodiscard]] constexpr std::size_t encoded_room(int width, int height) noexcept {
  const auto up = [](int side) { return (static_cast<std::size_t>(side) + 7) / 8 * 8; };
  return up(width) * up(height) * 2 + 4096;
}

/// Compresses a picture into a file. One thread at a time.
class PictureEncoder {
 public:
  virtual ~PictureEncoder() = default;
  /// Writes a whole JPEG file into `out` and gives its size. Fails: invalid_argument (no picture,
  /// a side longer than 65500), would_block (`room` is less than encoded_room()), io.
  virtual Result<std::size_t> encode(ImageView<Space::host, const std::uint8_t> grey,
                                     std::uint8_t* out, std::size_t room) = 0;
};

}  // namespace kerb
