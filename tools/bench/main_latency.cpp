// SPDX-License-Identifier: Apache-2.0
// How late a thread wakes up that waits as the control thread does: for a bell, or the next of its
// ticks 10 ms apart. Two such threads run side by side, one under the usual policy and one under
// SCHED_FIFO; first with nothing else to do, then beside threads that compute and write to memory.
//   bench_latency [--seconds N] [--priority P] [--cpu C] [--lock] [--json FILE]
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "firmware/threads/bell.hpp"
#include "firmware/threads/real_time.hpp"

namespace {

using namespace kerb;

constexpr std::chrono::milliseconds kTick{10};
constexpr std::size_t kBuckets = 20;  // up to 1, 2, 4 ... microseconds

struct Arguments {
  double seconds = 30;
  int priority = 80, cpu = -1;
  bool lock = false;
  std::string json;
};

/// The latencies of one thread, in microseconds.
struct Sample {
  std::vector<double> late_us;
  int refused = 0;  ///< errno of SCHED_FIFO
};

void wait_and_measure(Sample& out, int priority, int cpu, std::size_t ticks) {
  ThreadSystem system;
  if (cpu >= 0) static_cast<void>(system.set_cpus({cpu}));
  if (priority > 0) out.refused = system.set_priority(priority, false);
  touch_stack();
  Bell bell;
  SteadyClock::time_point tick = SteadyClock::now() + kTick;
  for (std::size_t i = 0; i < ticks; ++i) {
    static_cast<void>(bell.wait_until(tick));
    const auto late = SteadyClock::now() - tick;
    out.late_us[i] = std::chrono::duration<double, std::micro>{late}.count();
    tick += kTick;
    if (const auto now = SteadyClock::now(); tick < now) tick = now + kTick;  // do not catch up
  }
}

void burn(const std::atomic<bool>& stop, unsigned seed) {
  std::vector<unsigned> memory(std::size_t{1} << 21);  // 8 MiB: more than the caches share out
  for (std::size_t i = seed; !stop.load(std::memory_order_relaxed);) {
    for (int k = 0; k < 4096; ++k) {
      i = i * 2862933555777941757u + 3037000493u;
      memory[i >> 43] += static_cast<unsigned>(i);
    }
  }
}

double quantile(const std::vector<double>& sorted, double q) {
  const auto last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(q * last)];
}

void report(const char* load, const char* policy, Sample& sample, std::FILE* json) {
  if (sample.refused != 0) {
    fmt::print("{:<5} {:<6} refused: {}\n", load, policy,
               std::generic_category().message(sample.refused));
    return;
  }
  std::array<std::size_t, kBuckets> buckets{};
  for (const double us : sample.late_us) {
    const auto whole = static_cast<unsigned>(std::clamp(us, 0.0, 1e9));
    ++buckets[std::min<std::size_t>(std::bit_width(whole), kBuckets - 1)];
  }
  std::ranges::sort(sample.late_us);
  const double median = quantile(sample.late_us, 0.5), p99 = quantile(sample.late_us, 0.99),
               p999 = quantile(sample.late_us, 0.999), most = sample.late_us.back();
  fmt::print("{:<5} {:<6} {:>8} {:>10.0f} {:>10.0f} {:>10.0f} {:>10.0f}\n", load, policy,
             sample.late_us.size(), median, p99, p999, most);
  std::string histogram;
  for (std::size_t i = 0; i < kBuckets; ++i)
    if (buckets[i] > 0)
      histogram += fmt::format("{}\"{}\":{}", histogram.empty() ? "" : ",", 1u << i, buckets[i]);
  if (json != nullptr)
    fmt::print(json,
               "{{\"load\":\"{}\",\"policy\":\"{}\",\"wakeups\":{},\"median_us\":{:.1f},"
               "\"p99_us\":{:.1f},\"p999_us\":{:.1f},\"max_us\":{:.1f},\"below_us\":{{{}}}}}\n",
               load, policy, sample.late_us.size(), median, p99, p999, most, histogram);
}

/// Both threads at the same time, so that the machine is the same for both.
void measure(const Arguments& arguments, bool loaded, std::FILE* json) {
  const auto ticks = static_cast<std::size_t>(
      std::max(1.0, arguments.seconds / std::chrono::duration<double>{kTick}.count()));
  Sample usual, fifo;
  usual.late_us.resize(ticks);
  fifo.late_us.resize(ticks);
  std::atomic<bool> stop = false;
  std::vector<std::thread> busy;
  const unsigned count = loaded ? 2 * std::max(1U, std::thread::hardware_concurrency()) : 0;
  for (unsigned i = 0; i < count; ++i) busy.emplace_back([&stop, i] { burn(stop, i + 1); });
  std::thread a{[&] { wait_and_measure(usual, 0, arguments.cpu, ticks); }};
  std::thread b{[&] { wait_and_measure(fifo, arguments.priority, arguments.cpu, ticks); }};
  a.join();
  b.join();
  stop = true;
  for (std::thread& thread : busy) thread.join();
  report(loaded ? "busy" : "idle", "usual", usual, json);
  report(loaded ? "busy" : "idle", "fifo", fifo, json);
}

bool read(int argc, char** argv, Arguments& out) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--lock") {
      out.lock = true;
      continue;
    }
    if (i + 1 >= argc) return false;
    const char* const value = argv[++i];
    if (name == "--seconds")
      out.seconds = std::atof(value);
    else if (name == "--priority")
      out.priority = std::atoi(value);
    else if (name == "--cpu")
      out.cpu = std::atoi(value);
    else if (name == "--json")
      out.json = value;
    else
      return false;
  }
  return out.seconds > 0 && out.seconds <= 36000 && out.priority >= 1 && out.priority <= 99 &&
         out.cpu < 1024;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!read(argc, argv, arguments)) {
    fmt::print(stderr,
               "usage: bench_latency [--seconds N] [--priority 1..99] [--cpu C] [--lock] "
               "[--json FILE]\n");
    return 2;
  }
  std::FILE* json = nullptr;
  if (!arguments.json.empty() && (json = std::fopen(arguments.json.c_str(), "w")) == nullptr) {
    fmt::print(stderr, "{}: cannot be written\n", arguments.json);
    return 2;
  }
  if (arguments.lock)
    if (ThreadSystem system; const int error = system.lock_memory())
      fmt::print("locking the memory was refused: {}\n", std::generic_category().message(error));
  fmt::print("load  policy  wakeups  median us      99 us    99.9 us     max us\n");
  for (const bool loaded : {false, true}) measure(arguments, loaded, json);
  const bool written = json == nullptr || std::fclose(json) == 0;
  return written ? 0 : 2;
}
