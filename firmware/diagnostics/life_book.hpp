// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "firmware/diagnostics/image_writer.hpp"
#include "firmware/diagnostics/life.hpp"
#include "hal/base/clock.hpp"
#include "hal/base/log.hpp"

namespace kerb::diagnostics {

struct LifeBookOptions {
  std::string path = "/var/lib/kerbwatch/life";
  /// On the clock, between two writes: what a power cut may cost. The off switch does not wait.
  Nanos interval = std::chrono::seconds{60};
  // Of real time: they are about a disk.
  Nanos load_limit = std::chrono::milliseconds{200};  ///< longest time of open()
  Nanos shutdown_limit = std::chrono::seconds{2};     ///< longest time of the destructor
};

/// Keeps the counters and the off switch. Reads and writes on a thread of its own: a disk that
/// hangs holds nobody. The destructor writes what waits, and returns within shutdown_limit.
class LifeBook {
 public:
  /// Reads what was kept. Files that are damaged are logged, and counting begins anew. Fails: io
  /// (no thread to be had), timeout (the disk hangs: nothing is counted in this run).
  static Result<std::unique_ptr<LifeBook>> open(const LifeBookOptions& options, Log& log);
  /// The last run did not end in order: it crashed, was killed, or lost its power.
  [[nodiscard]] bool was_interrupted() const noexcept { return interrupted_; }
  /// What the last run left of the driver's off switch.
  [[nodiscard]] const KeptSwitch& kept_switch() const noexcept { return kept_switch_; }

  // One thread; none waits or allocates.
  void round(const LifeRound& round, const HealthMonitor& monitor) noexcept;
  /// Written at once, where it differs.
  void keep(const KeptSwitch& off_switch) noexcept;
  /// The orderly end.
  void finish() noexcept;
  [[nodiscard]] const LifeCounters& counters() const noexcept { return tally_.image().counters; }

  /// errno of the last write; 0: it succeeded. Any thread.
  [[nodiscard]] int error() const noexcept { return writer_->status().error; }
  [[nodiscard]] std::uint64_t written() const noexcept { return writer_->status().written; }

 private:
  LifeBook(std::unique_ptr<ImageWriter<LifeImage>> writer, Nanos interval,
           const LifeImage& kept) noexcept;
  void put() noexcept;

  std::unique_ptr<ImageWriter<LifeImage>> writer_;
  Nanos interval_;
  LifeTally tally_;
  bool interrupted_;
  KeptSwitch kept_switch_;
  std::optional<Nanos> next_;
};

}  // namespace kerb::diagnostics
