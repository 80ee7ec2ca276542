// SPDX-License-Identifier: Apache-2.0
#include "firmware/threads/real_time.hpp"

#include <linux/capability.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <set>
#include <system_error>

namespace kerb {
namespace {

constexpr int kMostCpu = CPU_SETSIZE - 1;
constexpr std::size_t kStack = std::size_t{128} << 10;  // more than any of our threads uses
constexpr std::size_t kPage = 4096;

std::vector<int> current_cpus() {
  std::vector<int> out;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return out;
  for (int cpu = 0; cpu <= kMostCpu; ++cpu)
    if (CPU_ISSET(static_cast<unsigned>(cpu), &set)) out.push_back(cpu);
  return out;
}

/// CAP_IPC_LOCK.
bool may_lock_all() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3]{};
  if (::syscall(SYS_capget, &header, data) != 0) return false;
  return (data[CAP_TO_INDEX(CAP_IPC_LOCK)].effective & CAP_TO_MASK(CAP_IPC_LOCK)) != 0;
}

}  // namespace

const char* name_of(ThreadRole role) noexcept {
  constexpr const char* kNames[] = {"control", "capture", "vision", "log"};
  return kNames[static_cast<std::size_t>(role)];
}

std::optional<std::vector<int>> parse_cpus(std::string_view text) {
  std::set<int> out;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view range = text.substr(0, comma);
    const std::size_t dash = std::min(range.find('-'), range.size());
    const auto number = [](std::string_view digits) -> std::optional<int> {
      int value = -1;
      const char* const end = digits.data() + digits.size();
      const auto [stop, error] = std::from_chars(digits.data(), end, value);
      if (error != std::errc{} || stop != end || value < 0 || value > kMostCpu) return std::nullopt;
      return value;
    };
    const std::optional<int> first = number(range.substr(0, dash));
    const std::optional<int> last = dash == range.size() ? first : number(range.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    for (int cpu = *first; cpu <= *last; ++cpu) out.insert(cpu);
    if (comma + 1 == text.size()) return std::nullopt;  // a comma at the end
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return std::vector<int>{out.begin(), out.end()};
}

int ThreadSystem::set_priority(int priority, bool children) {
  sched_param param{};
  param.sched_priority = priority;
  const int policy =
      (priority == 0 ? SCHED_OTHER : SCHED_FIFO) | (children ? 0 : SCHED_RESET_ON_FORK);
  return ::sched_setscheduler(0, policy, &param) == 0 ? 0 : errno;
}

int ThreadSystem::set_cpus(const std::vector<int>& cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<unsigned>(cpu), &set);
  return ::sched_setaffinity(0, sizeof set, &set) == 0 ? 0 : errno;
}

int ThreadSystem::lock_memory() {
  // With less than all, a later allocation would fail where it did not before.
  rlimit limit{};
  const bool unlimited =
      ::getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY;
  if (!unlimited && !may_lock_all()) return EPERM;
  return ::mlockall(MCL_CURRENT | MCL_FUTURE) == 0 ? 0 : errno;
}

void touch_stack() noexcept {
  volatile unsigned char block[kStack];
  for (std::size_t i = 0; i < kStack; i += kPage) block[i] = 1;
  static_cast<void>(block[0]);
}

RealTime::RealTime(const RealTimeSettings& settings, ThreadSystem& system)
    : settings_{settings}, system_{system}, all_cpus_{current_cpus()} {}

void RealTime::set_log(Log& log) {
  const std::lock_guard lock{mutex_};
  log_ = &log;
  for (const std::string& line : waiting_) log.warning("threads", line);
  waiting_.clear();
}

void RealTime::begin(ThreadRole role) {
  const ThreadSettings& own = settings_.of[static_cast<std::size_t>(role)];
  const std::string whose = std::string{name_of(role)} + " thread";
  if (own.priority > 0) {
    if (const int error = system_.set_priority(own.priority, role == ThreadRole::vision))
      refused(Refusal::priority, "priority " + std::to_string(own.priority) + " of the " + whose,
              error);
    else
      touch_stack();
  }
  if (const std::optional<std::vector<int>> cpus = parse_cpus(own.cpus); cpus && !cpus->empty())
    if (const int error = system_.set_cpus(*cpus))
      refused(Refusal::cpus, "CPUs " + own.cpus + " of the " + whose, error);
}

void RealTime::end(ThreadRole role) {
  const ThreadSettings& own = settings_.of[static_cast<std::size_t>(role)];
  // To be less than it was is not refused.
  if (own.priority > 0) static_cast<void>(system_.set_priority(0, false));
  if (!own.cpus.empty() && !all_cpus_.empty()) static_cast<void>(system_.set_cpus(all_cpus_));
}

void RealTime::lock_memory() {
  if (!settings_.lock_memory) return;
  if (const int error = system_.lock_memory())
    refused(Refusal::memory, "locking the memory", error);
}

void RealTime::refused(Refusal refusal, const std::string& what, int error) {
  constexpr const char* kAdvice[] = {
      "run it with CAP_SYS_NICE, or LimitRTPRIO=99 in its systemd unit",
      "the machine, or its systemd unit (CPUAffinity, AllowedCPUs), has no such CPU",
      "run it with CAP_IPC_LOCK, or LimitMEMLOCK=infinity in its systemd unit"};
  const auto index = static_cast<std::size_t>(refusal);
  const std::lock_guard lock{mutex_};
  if (told_[index]) return;
  told_[index] = true;
  const std::string line = what + " was refused (" + std::generic_category().message(error) +
                           "); it runs without: " + kAdvice[index];
  if (log_ != nullptr)
    log_->warning("threads", line);
  else
    waiting_.push_back(line);
}

}  // namespace kerb
