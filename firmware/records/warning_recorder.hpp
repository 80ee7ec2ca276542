// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "firmware/records/deciders.hpp"
#include "firmware/records/record_header.hpp"
#include "firmware/records/taps.hpp"
#include "firmware/types/warning_level.hpp"
#include "hal/base/clock.hpp"
#include "hal/base/log.hpp"
#include "hal/base/result.hpp"
#include "hal/picture_encoder.hpp"

namespace kerb::records {

/// Plain data with usable defaults. Times are those of the Clock, except the last three.
struct RecorderOptions {
  std::string path = "/var/lib/kerbwatch/records";  ///< a folder; it is made
  Nanos before = std::chrono::seconds{8};           ///< 1..60 s of what came before the warning
  Nanos after = std::chrono::seconds{4};            ///< 0..60 s of what came after its end
  Nanos longest = std::chrono::seconds{60};  ///< from the warning's begin; what is longer is cut
  std::uint64_t max_bytes = std::uint64_t{512} << 20;  ///< of all records: 1 MiB and more
  bool pictures = true;
  WarningLevel from = WarningLevel::information;  ///< collision: those alone leave a record
  std::size_t camera_lane = std::size_t{4} << 20, control_lane = std::size_t{2} << 20;  ///< bytes
  Nanos retry = std::chrono::seconds{5};  ///< real time between attempts after the disk refused
  Nanos hang_limit =
      std::chrono::seconds{3};  ///< real time: a longer step on the disk is a refusal
  Nanos shutdown_limit = std::chrono::seconds{3};  ///< real time: the destructor takes no longer
};
/// Done, or the rule that does not hold.
[[nodiscard]] Status validate(const RecorderOptions& options);

struct RecorderStatus {
  /// Errno of the last refusal; ETIMEDOUT while the disk hangs; 0: it takes records, as far as is
  /// known.
  int error = 0;
  std::uint64_t written = 0;  ///< whole records
  std::uint64_t refused = 0;  ///< records the disk did not take to their end
  int left_over = 0;          ///< records without an end that were there at the start: power cuts
  std::uint64_t lost = 0;     ///< frames, rounds and messages that found no room in memory
  std::uint64_t pictures_lost = 0;
  bool recording = false;
  bool state_too_big = false;  ///< a state exceeds kMostState: records cannot be replayed
};

/// Writes a record of every warning: the seconds before it, the warning, and the seconds after, as
/// docs/records.md describes it.
///
/// The product's threads record through taps, each into its own ring; they never wait. One thread
/// of low priority keeps the last seconds in memory, and writes them to a file once there is a
/// warning. What a power cut leaves of a record can be read up to
/// the last second that was synced. Beside `max_bytes` on disk, memory is bounded too: about 15 MiB
/// and 11 MiB for each camera of 1280 x 720, all of it taken by open().
class WarningRecorder {
 public:
  /// `encoder` null: pictures are kept as they are, grey. A folder that cannot be written yet
  /// is reported by status(), not here. Fails: invalid_argument (see validate; no camera or too
  /// many), io (no thread or descriptor to be had).
  static Result<std::unique_ptr<WarningRecorder>> open(const RecorderOptions& options,
                                                       const RecordedSettings& settings,
                                                       std::unique_ptr<PictureEncoder> encoder,
                                                       Log& log);
  /// The same where something else decides than in the product. `deciders` is used by open() only.
  static Result<std::unique_ptr<WarningRecorder>> open(const RecorderOptions& options,
                                                       const RecordedSettings& settings,
                                                       std::unique_ptr<PictureEncoder> encoder,
                                                       Log& log, const Deciders& deciders);
  /// Ends the record that is being written. No tap may be used any more.
  ~WarningRecorder();
  WarningRecorder(const WarningRecorder&) = delete;
  WarningRecorder& operator=(const WarningRecorder&) = delete;

  /// Each for one thread.
  [[nodiscard]] CameraTap& camera(std::size_t index) noexcept;
  [[nodiscard]] ControlTap& control() noexcept;

  [[nodiscard]] RecorderStatus status() const noexcept;  ///< any thread
  /// Waits until everything that the taps were given is written or kept: true; false after `limit`
  /// of real time.
  bool flush(Nanos limit) noexcept;

 private:
  struct Core;
  explicit WarningRecorder(std::shared_ptr<Core> core) noexcept;
  std::shared_ptr<Core> core_;  // the writer's too, which outlives us when a disk hangs for good
};

}  // namespace kerb::records
