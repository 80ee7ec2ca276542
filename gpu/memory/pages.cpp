// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory/pages.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace kerb::runtime {

std::size_t round_to_pages(std::size_t bytes) noexcept {
  const std::size_t rounded = (bytes + kPage - 1) / kPage * kPage;
  return rounded < bytes ? 0 : rounded;
}

Result<Block> take_pages(std::size_t bytes) {
  if (bytes == 0) return Error{Errc::invalid_argument, 0, "allocate memory", "0 bytes"};
  const std::size_t rounded = round_to_pages(bytes);
  void* data = rounded == 0 ? nullptr : std::aligned_alloc(kPage, rounded);
  if (data == nullptr) return Error{Errc::io, ENOMEM, "allocate memory"};
  std::memset(data, 0, rounded);
  Block block;
  block.base = block.host = data;
  block.bytes = rounded;
  return block;
}

void free_pages(const Block& block) noexcept { std::free(block.base); }

}  // namespace kerb::runtime
