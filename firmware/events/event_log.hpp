// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "firmware/events/event.hpp"
#include "hal/base/clock.hpp"
#include "hal/base/result.hpp"

namespace kerb {

/// Plain data with usable defaults. Times are real time, not the Clock's: they are about a disk.
struct EventLogOptions {
  std::string path =
      "/var/log/kerbwatch/events.jsonl";   ///< older ones get .1, .2 ... appended; folders are made
  std::uint64_t max_file_bytes = 1 << 20;  ///< 16 KiB .. 64 MiB
  int files = 8;  ///< 1..100, the current one included; 1 keeps nothing when it is full
  std::size_t queue =
      256;  ///< events (1.5 KiB each) that may wait for the disk: 8..65536, rounded up to 2^n
  Nanos sync_interval = std::chrono::seconds{
      5};  ///< a power cut may lose this much of the events that are not durable
  Nanos first_retry = std::chrono::milliseconds{100},
        last_retry = std::chrono::seconds{5};  ///< doubles between
  Nanos hang_limit =
      std::chrono::seconds{3};  ///< a step on the disk that takes longer is a refusal
  Nanos shutdown_limit =
      std::chrono::seconds{2};  ///< longest time of the destructor, whatever the disk does
};

/// Done, or the rule that does not hold.
[[nodiscard]] Status validate(const EventLogOptions& options);

struct EventLogStatus {
  /// Errno of the last refusal; ETIMEDOUT while the disk hangs; 0: the last write succeeded.
  int error = 0;
  std::uint64_t refusals = 0;  ///< times the disk refused: full, read-only, unplugged
  std::uint64_t written = 0;   ///< lines, those of the log itself included
  std::uint64_t waiting = 0;   ///< events in the queue, about
  std::uint64_t lost = 0;      ///< events that found the queue full
};

/// A log of events for people and programs, after a drive: JSON lines as docs/events.md describes
/// them, never more than files * max_file_bytes on disk. Safe for any thread but for open() and the
/// destructor.
///
/// Every line has a run id (new for each open()) and a number one above that of the line before it.
/// Events lost to a full queue take numbers too, and an events_lost line follows the gap, so that
/// nothing is missing unnoticed.
///
/// Surviving: a durable event (see is_durable) is on the disk (fdatasync) as soon as the writer has
/// seen it; the rest within sync_interval. A kill or a power cut at any byte costs at most the line
/// being written: open() cuts off a torn or damaged tail, so that every line parses, and says so
/// (log_repaired).
///
/// A disk that is full, read-only or missing is no failure: events wait in the queue, the newest
/// are counted as lost when it is full, status() tells errno, and the log tries again with back-off
/// until it works. A disk that hangs is reported likewise.
class EventLog {
 public:
  /// Starts the writer. A path that cannot be written yet is reported by status(), not here.
  /// Fails: invalid_argument (see validate), io (no thread or descriptor to be had).
  static Result<std::unique_ptr<EventLog>> open(const EventLogOptions& options, const Clock& clock);
  /// Writes what waits, tries once more where the disk refuses, and returns within shutdown_limit.
  /// No thread may be in post() any more.
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  /// Queues a copy, stamped with UTC. Never waits, never allocates, never fails: an event for which
  /// there is no room is counted. For the frame loop.
  void post(const Event& event) noexcept;
  /// Waits until all that was posted before is on the disk: true; false after `limit` (real time).
  bool flush(Nanos limit) noexcept;
  [[nodiscard]] EventLogStatus status() const noexcept;
  /// 16 hexadecimal digits, on every line of this run.
  [[nodiscard]] const char* run_id() const noexcept;

 private:
  struct Core;
  explicit EventLog(std::shared_ptr<Core> core) noexcept;
  std::shared_ptr<Core>
      core_;  // shared with the writer, which outlives the log when a disk hangs forever
};

}  // namespace kerb
