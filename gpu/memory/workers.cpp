// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory/workers.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace kerb {
namespace {

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

struct Workers::State {
  std::mutex mutex;
  std::condition_variable begin, end;
  std::uint64_t round = 0;  // under mutex; each run() is one
  int busy = 0;             // under mutex; threads still in the round
  bool leaving = false;     // under mutex
  Call call = nullptr;
  const void* body = nullptr;
  int tasks = 0;
  std::atomic<int> next{0};
  std::vector<std::thread> threads;

  void work(int worker) {
    for (int task = next.fetch_add(1, std::memory_order_relaxed); task < tasks;
         task = next.fetch_add(1, std::memory_order_relaxed))
      call(body, task, worker);
  }
  void live(int worker) {
    std::uint64_t seen = 0;
    std::unique_lock lock{mutex};
    for (;;) {
      begin.wait(lock, [&] { return leaving || round != seen; });
      if (leaving) return;
      seen = round;
      lock.unlock();
      work(worker);
      lock.lock();
      if (--busy == 0) end.notify_one();
    }
  }
};

Workers::Workers(int count) : state_{std::make_unique<State>()} {
  if (count <= 0) count = usable_cores();
  state_->threads.reserve(static_cast<std::size_t>(count));
  try {
    for (int i = 1; i < count; ++i) state_->threads.emplace_back([this, i] { state_->live(i); });
  } catch (const std::system_error&) {
    // The system creates no more threads: continue with those there are.
  }
}

Workers::~Workers() {
  {
    const std::lock_guard lock{state_->mutex};
    state_->leaving = true;
  }
  state_->begin.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
}

int Workers::count() const noexcept { return static_cast<int>(state_->threads.size()) + 1; }

void Workers::run(int tasks, Call call, const void* body) {
  State& s = *state_;
  if (tasks <= 0) return;
  s.call = call;
  s.body = body;
  s.tasks = tasks;
  s.next.store(0, std::memory_order_relaxed);
  if (tasks == 1 || s.threads.empty()) return s.work(0);
  {
    const std::lock_guard lock{s.mutex};
    ++s.round;
    s.busy = static_cast<int>(s.threads.size());
  }
  s.begin.notify_all();
  s.work(0);
  std::unique_lock lock{s.mutex};
  s.end.wait(lock, [&] { return s.busy == 0; });
}

}  // namespace kerb
