// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <utility>

#include "firmware/diagnostics/dtc_memory.hpp"
#include "firmware/diagnostics/image_writer.hpp"
#include "hal/base/clock.hpp"
#include "hal/base/result.hpp"

namespace kerb::diagnostics {

/// Times are real time: they are about a disk.
struct DtcStoreOptions {
  std::string path = "/var/lib/kerbwatch/dtc";
  /// Between two writes, so that a fault that comes and goes does not wear the disk out. The first
  /// change after a pause is written at once.
  Nanos interval = std::chrono::seconds{10};
  Nanos load_limit = std::chrono::seconds{2};      ///< longest time of open()
  Nanos shutdown_limit = std::chrono::seconds{2};  ///< longest time of the destructor
};

/// Reads the trouble codes from their file and writes them to it, on a thread of its own. The
/// newest image counts; one that the disk refuses is tried again every interval. The destructor
/// writes what waits, and returns within shutdown_limit, whatever the disk does.
class DtcStore {
 public:
  /// Fails: io (no thread to be had), timeout (the disk has not answered within load_limit).
  static Result<std::unique_ptr<DtcStore>> open(const DtcStoreOptions& options);
  /// What the file held. Fails: not_found (there was none), damaged, io.
  [[nodiscard]] const Result<DtcImage>& kept() const noexcept { return *kept_; }
  /// Replaces what is to be written. Never waits, never allocates. One thread.
  void put(const DtcImage& image) noexcept { writer_->put(image); }
  [[nodiscard]] ImageWriterStatus status() const noexcept { return writer_->status(); }

 private:
  DtcStore(std::unique_ptr<ImageWriter<DtcImage>> writer,
           std::shared_ptr<const Result<DtcImage>> kept) noexcept
      : writer_{std::move(writer)}, kept_{std::move(kept)} {}
  std::unique_ptr<ImageWriter<DtcImage>> writer_;
  std::shared_ptr<const Result<DtcImage>> kept_;
};

}  // namespace kerb::diagnostics
