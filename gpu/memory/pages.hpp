// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpu/memory/runtime.hpp"

/// Plain pages of the process, for both sides of the seam. For gpu/memory alone.
namespace kerb::runtime {

inline constexpr std::size_t kPage = 65536;  // the largest page of any aarch64 kernel we meet

/// Whole pages; 0 when that does not fit into a size_t, or for zero bytes.
[[nodiscard]] std::size_t round_to_pages(std::size_t bytes) noexcept;
/// A pageable Block, zeroed. Fails: invalid_argument (0 bytes), io.
Result<Block> take_pages(std::size_t bytes);
void free_pages(const Block& block) noexcept;

}  // namespace kerb::runtime
