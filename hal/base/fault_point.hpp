// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Places at which a test makes the product's own calls fail or hang: `if (fault_point("gpio.set")
/// || ::ioctl(...) < 0)`. They exist in a build with KERB_FAULT_POINTS=ON, which is for tests and
/// not for a car; in any other they compile to nothing. tests/README.md lists them. For sources,
/// not for headers: the targets that have points are compiled with the macro (kerb_fault_points()).
namespace kerb {

#ifdef KERB_FAULT_POINTS
/// True: the call fails with errno. It may also wait, or throw std::bad_alloc. Any thread.
[[nodiscard]] bool fault_of_plan(const char* point);
[[nodiscard]] inline bool fault_point(const char* name) { return fault_of_plan(name); }
#else
[[nodiscard]] constexpr bool fault_point(const char*) noexcept { return false; }
#endif

}  // namespace kerb
