// SPDX-License-Identifier: Apache-2.0
#include "tests/support/allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::uint64_t> count{0}, freed{0};
thread_local std::uint64_t of_thread = 0;

void release(void* data) noexcept {
  if (data != nullptr) ++freed;
  std::free(data);
}
}  // namespace

std::uint64_t kerb::test::allocations() noexcept { return count; }
std::uint64_t kerb::test::live_allocations() noexcept { return count - freed; }
std::uint64_t kerb::test::thread_allocations() noexcept { return of_thread; }

// The array forms end up here too. So do the nothrow ones of the standard library, but not a
// sanitizer's.
void* operator new(std::size_t size) {
  ++count;
  ++of_thread;
  void* data = std::malloc(size == 0 ? 1 : size);
  if (data == nullptr) std::abort();
  return data;
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  ++count;
  ++of_thread;
  const auto unit = static_cast<std::size_t>(alignment);
  void* data = std::aligned_alloc(unit, (size + unit - 1) / unit * unit);
  if (data == nullptr) std::abort();
  return data;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return operator new(size); }
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return operator new(size, alignment);
}
void operator delete(void* data) noexcept { release(data); }
void operator delete(void* data, std::size_t) noexcept { release(data); }
void operator delete(void* data, std::align_val_t) noexcept { release(data); }
void operator delete(void* data, std::size_t, std::align_val_t) noexcept { release(data); }
