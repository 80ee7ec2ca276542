// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace kerb::test {

/// How often operator new was called so far, by any thread of this program. Link
/// tests/support/allocations.cpp, which replaces it.
[[nodiscard]] std::uint64_t allocations() noexcept;
/// The same, by the thread that asks.
[[nodiscard]] std::uint64_t thread_allocations() noexcept;
/// How many of all of them have not been freed.
[[nodiscard]] std::uint64_t live_allocations() noexcept;

}  // namespace kerb::test
