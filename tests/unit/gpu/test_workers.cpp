// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "gpu/memory/workers.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"

using namespace kerb;

namespace {

TEST(every_task_is_done_once_whatever_the_number_of_threads) {
  for (const int threads : {1, 2, 5}) {
    Workers workers{threads};
    TEST_ASSERT_EQUAL_INT(threads, workers.count());
    for (const int tasks : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(tasks));
      workers.run(tasks, [&](int task, int) { ++done[static_cast<std::size_t>(task)]; });
      for (const std::atomic<int>& times : done) TEST_ASSERT_EQUAL_INT(1, times);
    }
  }
}

/// Scratch memory by worker needs no lock: plain counters would lose some otherwise, and TSan would
/// say so.
TEST(a_worker_is_one_thread_at_a_time) {
  Workers workers{3};
  std::array<int, 3> done{};
  std::array<std::atomic<int>, 3> inside{};
  std::atomic<bool> shared{false};
  for (int round = 0; round < 50; ++round)
    workers.run(20, [&](int, int worker) {
      const auto i = static_cast<std::size_t>(worker);
      if (++inside[i] != 1) shared = true;
      ++done[i];
      if (round % 10 == 0) std::this_thread::yield();
      --inside[i];
    });
  TEST_ASSERT_FALSE(shared);
  TEST_ASSERT_EQUAL_INT(50 * 20, done[0] + done[1] + done[2]);
}

TEST(what_the_tasks_wrote_is_there_when_it_returns) {
  Workers workers{4};
  std::vector<int> values(500);
  for (int round = 1; round <= 20; ++round) {
    workers.run(500, [&](int task, int) { values[static_cast<std::size_t>(task)] += round; });
    TEST_ASSERT_EQUAL_INT(round * (round + 1) / 2, values[static_cast<std::size_t>(round)]);
  }
}

TEST(running_allocates_nothing) {
  Workers workers{2};
  std::atomic<int> sum{0};
  const auto body = [&](int task, int) { sum += task; };
  workers.run(10, body);
  const auto before = kerb::test::allocations();
  for (int i = 0; i < 10; ++i) workers.run(10, body);
  TEST_ASSERT_EQUAL_UINT64(before, kerb::test::allocations());
}

TEST(without_a_number_there_is_one_for_each_core) {
  TEST_ASSERT_GREATER_OR_EQUAL_INT(1, Workers{}.count());
}

}  // namespace
