// SPDX-License-Identifier: Apache-2.0
#include "firmware/events/event_log.hpp"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <utility>

#include "firmware/events/event_line.hpp"
#include "firmware/events/events.hpp"
#include "firmware/events/rotating_file.hpp"
#include "firmware/threads/disk_thread.hpp"
#include "firmware/threads/event_queue.hpp"
#include "hal/base/rules.hpp"

namespace kerb {
namespace {

struct QueuedEvent {
  Event event;
  Nanos utc{};
};

constexpr std::uint64_t kMinFile = 16 << 10, kMaxFile = 64 << 20;
static_assert(kMinFile >= 2 * kMaxEventLine);
constexpr int kLinesPerSync =
    64;  // lines written before a durable one must be synced, while events keep coming

Nanos utc_now() noexcept { return std::chrono::system_clock::now().time_since_epoch(); }

std::string new_run_id() {
  std::uint64_t id = 0;
  if (::getrandom(&id, sizeof id, GRND_NONBLOCK) !=
      static_cast<ssize_t>(sizeof id))  // early in boot
    id = static_cast<std::uint64_t>(utc_now().count()) * 0x9E3779B97F4A7C15U ^
         static_cast<std::uint64_t>(::getpid());
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(id));
  return text;
}

}  // namespace

Status validate(const EventLogOptions& o) {
  return check_rules({{!o.path.empty() && o.path.back() != '/', "event log: path must name a file"},
                      {o.max_file_bytes >= kMinFile && o.max_file_bytes <= kMaxFile,
                       "event log: max_file_bytes: 16384..67108864"},
                      {o.files >= 1 && o.files <= 100, "event log: files: 1..100"},
                      {o.queue >= 8 && o.queue <= 65536, "event log: queue: 8..65536"},
                      {o.sync_interval >= Nanos::zero() && o.shutdown_limit >= Nanos::zero() &&
                           o.first_retry > Nanos::zero() && o.last_retry >= o.first_retry,
                       "event log: times must not be negative, nor the retries zero"}});
}

/// The state shared by the log and its writer thread. Members below the queue belong to the writer
/// alone.
struct EventLog::Core {
  Core(const EventLogOptions& wanted, const Clock& time)
      : options{wanted},
        run{new_run_id()},
        queue{wanted.queue},
        clock{&time},
        file{wanted.path, wanted.max_file_bytes, wanted.files} {
    line.reserve(kMaxEventLine);
  }

  void wake() noexcept {
    // Read-modify-write on both sides: either the writer's next check of the queue sees this push,
    // or it is woken.
    if (!woken.exchange(true, std::memory_order_acq_rel)) thread.bell().ring();
  }

  void write_until_stopped() noexcept;
  int drain();
  int write(const Event& event, Nanos utc);
  int write_losses();
  int sync();
  int refused(int error) noexcept;
  Nanos clock_now() noexcept;

  const EventLogOptions options;
  const std::string run;
  DiskThread thread;
  std::atomic<bool> woken{false}, sync_wanted{false};
  std::atomic<int> error{0};
  std::atomic<std::uint64_t> refusals{0}, written{0}, lost{0}, synced{0};
  EventQueue<QueuedEvent> queue;

  std::mutex clock_mutex;  // the writer's and the destructor's; never post()'s
  const Clock* clock;      // null once the log is destroyed and its writer still runs
  Nanos last_time{};
  RotatingFile file;
  std::string line;
  std::uint64_t seq = 0;
  std::uint64_t bytes_cut = 0;                       // not yet reported
  std::uint64_t losses_told = 0, losses_behind = 0;  // number of events before the gap
  bool losses_due = false;
  bool unsynced = false, sync_due = false;
  int lines_since_due = 0;
  SteadyClock::time_point last_sync = SteadyClock::now();
  bool refusing = false;
  int first_error = 0;
  std::uint64_t refusals_told = 0;
  SteadyClock::time_point refused_since{};
};

Nanos EventLog::Core::clock_now() noexcept {
  const std::lock_guard lock{clock_mutex};
  return clock != nullptr ? clock->now() : last_time;
}

int EventLog::Core::refused(int reason) noexcept {
  if (!refusing) {
    refusing = true;
    first_error = reason;
    refused_since = SteadyClock::now();
  }
  refusals.fetch_add(1, std::memory_order_relaxed);
  error.store(reason, std::memory_order_relaxed);
  return reason;
}

int EventLog::Core::write(const Event& event, Nanos utc) {
  thread.step();
  line.clear();
  append_line(line, event, {seq, run.c_str(), utc});
  if (const int reason = file.append(line); reason != 0) return refused(reason);
  ++seq;
  written.fetch_add(1, std::memory_order_relaxed);
  unsynced = true;
  if (is_durable(event.kind)) sync_due = true;
  if (sync_due) ++lines_since_due;
  return 0;
}

int EventLog::Core::write_losses() {
  const std::uint64_t count = lost.load(std::memory_order_acquire) - losses_told;
  seq += count;  // the numbers of the lost events
  if (const int reason = write(events::events_lost(clock_now(), count), utc_now()); reason != 0) {
    seq -= count;
    return reason;
  }
  losses_told += count;
  losses_due = false;
  return 0;
}

int EventLog::Core::sync() {
  thread.step();
  if (const int reason = file.sync(); reason != 0) return refused(reason);
  unsynced = sync_due = false;
  lines_since_due = 0;
  last_sync = SteadyClock::now();
  return 0;
}

/// Writes what is queued. 0, or the errno at which it stopped: the rest stays queued.
int EventLog::Core::drain() {
  const bool sync_asked = sync_wanted.exchange(false, std::memory_order_acq_rel);
  if (sync_asked) sync_due = true;
  if (const int reason = file.open(); reason != 0) return refused(reason);
  for (;;) {
    bytes_cut += file.take_bytes_cut();
    if (bytes_cut > 0) {
      if (const int reason = write(events::log_repaired(clock_now(), bytes_cut), utc_now());
          reason != 0)
        return reason;
      bytes_cut = 0;
    }
    if (!losses_due && lost.load(std::memory_order_acquire) > losses_told) {
      losses_due = true;
      losses_behind = queue.pushed();
    }
    if (losses_due && queue.popped() >= losses_behind)
      if (const int reason = write_losses(); reason != 0) return reason;
    const QueuedEvent* next = queue.front();
    if (next == nullptr) break;
    if (const int reason = write(next->event, next->utc); reason != 0) return reason;
    last_time = next->event.time;
    queue.drop_front();
    if (lines_since_due >= kLinesPerSync)
      if (const int reason = sync(); reason != 0) return reason;
  }
  if (unsynced && (sync_due || refusing || SteadyClock::now() - last_sync >= options.sync_interval))
    if (const int reason = sync(); reason != 0) return reason;
  if (refusing) {  // it has ended: all is on the disk again
    const std::uint64_t times = refusals.load(std::memory_order_relaxed) - refusals_told;
    const Event event =
        events::log_refused(clock_now(), first_error, times, SteadyClock::now() - refused_since);
    if (const int reason = write(event, utc_now()); reason != 0) return reason;
    refusing = false;
    refusals_told += times;
    error.store(0, std::memory_order_relaxed);
    if (const int reason = sync(); reason != 0) return reason;
  }
  if (!unsynced) synced.store(queue.popped(), std::memory_order_release);
  return 0;
}

void EventLog::Core::write_until_stopped() noexcept {
  Nanos retry = options.first_retry;
  for (bool stopping = false; !stopping;) {
    // Before draining: what was posted before the stop is written.
    stopping = thread.stopping();
    if (stopping) sync_wanted.store(true, std::memory_order_release);
    woken.exchange(false, std::memory_order_acq_rel);  // from here on a push wakes the writer
    int reason = 0;
    try {
      reason = drain();
    } catch (const std::exception&) {  // std::bad_alloc: memory may come back
      reason = refused(ENOMEM);
    }
    if (stopping) break;
    if (reason != 0) {
      const auto deadline = SteadyClock::now() + retry;
      while (!thread.stopping() && thread.sleep_until(deadline)) {
      }
      retry = std::min(retry * 2, options.last_retry);
      continue;
    }
    retry = options.first_retry;
    thread.sleep_until(unsynced ? last_sync + options.sync_interval
                                : SteadyClock::time_point::max());
  }
}

EventLog::EventLog(std::shared_ptr<Core> core) noexcept : core_{std::move(core)} {}

Result<std::unique_ptr<EventLog>> EventLog::open(const EventLogOptions& options,
                                                 const Clock& clock) {
  if (Status valid = validate(options); !valid) return valid.error();
  auto core = std::make_shared<Core>(options, clock);
  if (const int reason = core->thread.start([core] { core->write_until_stopped(); }); reason != 0)
    return Error{Errc::io, reason, "event log: start its thread"};
  return std::unique_ptr<EventLog>{new EventLog{std::move(core)}};
}

EventLog::~EventLog() {
  if (core_->thread.stop(core_->options.shutdown_limit)) return;
  const std::lock_guard lock{core_->clock_mutex};
  core_->clock = nullptr;  // a writer that still runs keeps the Core, without the clock
}

void EventLog::post(const Event& event) noexcept {
  if (!core_->queue.push({event, utc_now()}, is_durable(event.kind)))
    core_->lost.fetch_add(1, std::memory_order_acq_rel);
  core_->wake();
}

bool EventLog::flush(Nanos limit) noexcept {
  const auto deadline = SteadyClock::now() + limit;
  const std::uint64_t target = core_->queue.pushed();
  core_->sync_wanted.store(true, std::memory_order_release);
  core_->thread.bell().ring();
  while (core_->synced.load(std::memory_order_acquire) < target) {
    if (SteadyClock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return true;
}

EventLogStatus EventLog::status() const noexcept {
  const std::uint64_t popped = core_->queue.popped();
  const bool hangs = core_->thread.stuck_for() > core_->options.hang_limit;
  return {.error = hangs ? ETIMEDOUT : core_->error.load(std::memory_order_relaxed),
          .refusals = core_->refusals.load(std::memory_order_relaxed),
          .written = core_->written.load(std::memory_order_relaxed),
          .waiting = core_->queue.pushed() - popped,
          .lost = core_->lost.load(std::memory_order_relaxed)};
}

const char* EventLog::run_id() const noexcept { return core_->run.c_str(); }

}  // namespace kerb
