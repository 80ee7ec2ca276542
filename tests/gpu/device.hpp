// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "gpu/memory/buffer.hpp"
#include "tests/support/test.hpp"

/// What the tests on a GPU share: the context, uploads, downloads.
namespace kerb::test {

inline std::optional<Context> gpu;  // opened once, in open_gpu()

/// For BEFORE_SUITE: run when there is a GPU to test on, which is then open.
inline Start open_gpu() {
  Result<Context> context = Context::create(BackendChoice::cuda);
  if (!context) {
    const bool broken = context.error().code == Errc::device;  // there is one: no reason to skip
    std::printf("%s: %s\n", broken ? "failed" : "skipped", describe(context.error()).c_str());
    return broken ? Start::fail : Start::skip;
  }
  gpu.emplace(std::move(*context));
  return Start::run;
}

/// Whether KERB_TEST_SMALL is set: fewer and smaller problems, for compute-sanitizer, under which
/// kernels are some hundred times slower. Every kernel still runs.
inline bool small_sizes() { return std::getenv("KERB_TEST_SMALL") != nullptr; }

/// Device memory with a copy of `values`; at least one element.
template <typename T>
DeviceBuffer<T> upload(const std::vector<T>& values) {
  Result<DeviceBuffer<T>> made = DeviceBuffer<T>::create(*gpu, values.empty() ? 1 : values.size());
  TEST_ASSERT_OK(made);
  TEST_ASSERT_OK(copy_to_device(gpu->stream(), made->device_data(), values.data(), values.size()));
  TEST_ASSERT_OK(wait(gpu->stream()));  // `values` may go
  return std::move(*made);
}

template <typename T>
std::vector<T> download(const DeviceBuffer<T>& from, std::size_t count) {
  std::vector<T> out(count);
  TEST_ASSERT_OK(copy_to_host(gpu->stream(), out.data(), from.device_data(), count));
  TEST_ASSERT_OK(wait(gpu->stream()));
  return out;
}

/// Bit for bit, padding included.
template <typename T>
void assert_equal_bits(const std::vector<T>& expected, const std::vector<T>& actual,
                       const char* what) {
  TEST_ASSERT_EQUAL_MESSAGE(expected.size(), actual.size(), what);
  if (std::memcmp(expected.data(), actual.data(), expected.size() * sizeof(T)) == 0) return;
  std::size_t i = 0;
  while (std::memcmp(&expected[i], &actual[i], sizeof(T)) == 0) ++i;
  char text[200];
  std::snprintf(text, sizeof text, "%s: the first difference is element %zu", what, i);
  TEST_FAIL_MESSAGE(text);
}

}  // namespace kerb::test
