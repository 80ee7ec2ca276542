// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "gpu/image/grid_histogram.hpp"

/// The gradients of a row of pixels, as gradient_math.hpp packs them. For gpu/image alone.
namespace kerb::cpu {

/// `planes` are at the row's first pixel; the rows above and below and the pixels beside are read
/// too, and up to 32 bytes behind the last. What stands beyond `count` is packed as well, up to the
/// next multiple of 16.
struct GradientRow {
  const std::uint8_t* planes[3];
  std::ptrdiff_t stride;
  int count;
};

/// For bins as in the settings, with as many lanes as this machine has.
[[nodiscard]] PackGradients gradient_packer(const GridSettings& settings) noexcept;

namespace base {  // with the lanes every machine of this kind has
[[nodiscard]] PackGradients gradient_packer(const GridSettings& settings) noexcept;
}
namespace avx2 {  // on x86 alone
[[nodiscard]] PackGradients gradient_packer(const GridSettings& settings) noexcept;
}

}  // namespace kerb::cpu
