// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <malloc.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>

namespace kerb::test {

/// What the process has of the machine's memory, and what it uses of that: bytes.
struct ProcessMemory {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr bool kOwnAllocator = true;  ///< it keeps what was freed for a while
#else
  static constexpr bool kOwnAllocator = false;
#endif
  std::size_t resident = 0, in_use = 0;

  static ProcessMemory now() {
    std::size_t total = 0, pages = 0;
    std::ifstream{"/proc/self/statm"} >> total >> pages;
    const struct mallinfo2 heap = ::mallinfo2();
    return {pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)), heap.uordblks + heap.hblkhd};
  }
};

}  // namespace kerb::test
