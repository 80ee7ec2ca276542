// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "firmware/diagnostics/dtc_memory.hpp"
#include "hal/base/clock.hpp"
#include "hal/base/result.hpp"

namespace kerb::diagnostics {

/// Times are real time: they are about a disk.
struct DtcStoreOptions {
  std::string path = "/var/lib/kerbwatch/dtc";
  /// Between two writes, so that a fault that comes and goes does not wear the disk out. The first
  /// change after a pause is written at once.
  Nanos interval = std::chrono::seconds{10};
  Nanos shutdown_limit = std::chrono::seconds{2};  ///< longest time of the destructor
};

struct DtcStoreStatus {
  int error = 0;  ///< errno of the last write; 0: it succeeded
  std::uint64_t written = 0;
};

/// Writes the trouble codes to their file, on a thread of its own. The newest image counts; one
/// that the disk refuses is tried again every interval.
class DtcStore {
 public:
  /// Fails: io (no thread to be had).
  static Result<std::unique_ptr<DtcStore>> open(const DtcStoreOptions& options);
  /// Writes what waits, and returns within shutdown_limit, whatever the disk does.
  ~DtcStore();
  DtcStore(const DtcStore&) = delete;
  DtcStore& operator=(const DtcStore&) = delete;

  /// Replaces what is to be written. Never waits, never allocates. One thread.
  void put(const DtcImage& image) noexcept;
  [[nodiscard]] DtcStoreStatus status() const noexcept;

 private:
  struct Core;
  explicit DtcStore(std::shared_ptr<Core> core) noexcept;
  std::shared_ptr<Core> core_;  // shared with the thread, which outlives this when a disk hangs
};

}  // namespace kerb::diagnostics
