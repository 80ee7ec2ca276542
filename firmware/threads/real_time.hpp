// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hal/base/log.hpp"

namespace kerb {

/// What a thread does.
enum class ThreadRole : std::uint8_t { control, capture, vision, log };
inline constexpr std::size_t kThreadRoles = 4;
[[nodiscard]] const char* name_of(ThreadRole role) noexcept;

/// How the system is to run the threads of a role.
struct ThreadSettings {
  int priority = 0;  ///< of SCHED_FIFO, 1..99; 0: as any other program
  std::string cpus;  ///< "0-2,5"; empty: any
};
struct RealTimeSettings {
  std::array<ThreadSettings, kThreadRoles> of{};  ///< by ThreadRole
  bool lock_memory = false;
};

/// The processors of "0-2,5", ascending; nothing: the text is no such list, or names one past 1023.
[[nodiscard]] std::optional<std::vector<int>> parse_cpus(std::string_view text);

/// What the system is asked for. Each returns 0 or an errno. Virtual: a test plays a system that
/// refuses.
class ThreadSystem {
 public:
  virtual ~ThreadSystem() = default;
  /// Of the calling thread; 0: the usual policy. `children`: threads that it makes have it, too.
  virtual int set_priority(int priority, bool children);
  virtual int set_cpus(const std::vector<int>& cpus);
  /// All pages, now and later. EPERM where there is a limit to how many.
  virtual int lock_memory();
};

/// Uses part of the calling thread's stack, so that no page of it is missing later.
void touch_stack() noexcept;

/// Applies the settings to threads, each of which calls begin() on itself. What the system refuses
/// is logged once for each kind, with what to do; the thread then runs as any other. Any thread.
class RealTime {
 public:
  RealTime(const RealTimeSettings& settings, ThreadSystem& system);

  /// Where refusals are logged from now on, earlier ones first: the log has a thread, too. It must
  /// outlive all threads but its own.
  void set_log(Log& log);

  /// For the calling thread. Threads that a vision thread makes are run as it is, others' as usual.
  void begin(ThreadRole role);
  /// Takes that back, for a thread that was of this role for a while.
  void end(ThreadRole role);
  /// Locks the memory, if the settings say so. Once, when most of it is there.
  void lock_memory();

 private:
  enum class Refusal : std::uint8_t { priority, cpus, memory };
  void refused(Refusal refusal, const std::string& what, int error);

  RealTimeSettings settings_;
  ThreadSystem& system_;
  std::vector<int> all_cpus_;
  std::mutex mutex_;
  Log* log_ = nullptr;
  std::array<bool, 3> told_{};
  std::vector<std::string> waiting_;  ///< for a log
};

}  // namespace kerb
