// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "hal/frame_memory.hpp"

namespace kerb {

/// Plain pages of the process: what a driver's test gives it without anything of gpu/.
class PageableFrameMemory final : public FrameMemory {
 public:
  Result<MemoryBlock> allocate(std::size_t bytes) override {
    constexpr std::size_t kPage = 65536;  // the largest page size of aarch64 kernels
    if (bytes == 0) return Error{Errc::invalid_argument, 0, "allocate frame memory", "0 bytes"};
    const std::size_t rounded = (bytes + kPage - 1) / kPage * kPage;
    void* data = rounded < bytes ? nullptr : std::aligned_alloc(kPage, rounded);
    if (data == nullptr) return Error{Errc::io, ENOMEM, "allocate frame memory"};
    std::memset(data, 0, rounded);
    return MemoryBlock{*this, data, rounded};
  }
  [[nodiscard]] const char* kind() const noexcept override { return "pageable"; }

 private:
  void free(void* data, std::size_t) noexcept override { std::free(data); }
};

}  // namespace kerb
