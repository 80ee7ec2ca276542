// SPDX-License-Identifier: Apache-2.0
// A failed test whose thread still uses what the test made. CMake expects the failure's line and an
// orderly end; were the jump past the destructors made, the thread would find a dead stack.
#include <array>
#include <atomic>
#include <thread>

#include "tests/support/test.hpp"

namespace {

TEST(fails_while_a_thread_runs) {
  std::array<std::atomic<int>, 64> shared{};
  std::atomic<bool> stop{false};
  std::thread worker{[&] {
    while (!stop)
      for (std::atomic<int>& one : shared) ++one;
  }};
  while (shared.back() == 0) std::this_thread::yield();
  TEST_FAIL_MESSAGE("as it should");
  stop = true;
  worker.join();
}

TEST(is_not_reached) { TEST_PASS(); }

}  // namespace
