// SPDX-License-Identifier: Apache-2.0
#include "hal/frame_memory.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace kerb {
namespace {
constexpr std::size_t kPage = 65536;  // the largest page size of aarch64 kernels
}

Result<MemoryBlock> PageableFrameMemory::allocate(std::size_t bytes) {
  if (bytes == 0) return Error{Errc::invalid_argument, 0, "allocate frame memory", "0 bytes"};
  const std::size_t rounded = (bytes + kPage - 1) / kPage * kPage;
  void* data = rounded < bytes ? nullptr : std::aligned_alloc(kPage, rounded);
  if (data == nullptr) return Error{Errc::io, ENOMEM, "allocate frame memory"};
  std::memset(data, 0, rounded);
  return MemoryBlock{*this, data, rounded};
}

void PageableFrameMemory::free(void* data, std::size_t) noexcept { std::free(data); }

}  // namespace kerb
