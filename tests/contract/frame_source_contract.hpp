// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "hal/camera_settings.hpp"
#include "hal/frame_source.hpp"

namespace kerb::contract {

/// What the suite needs of an implementation of FrameSource.
class FrameSourceFixture {
 public:
  virtual ~FrameSourceFixture() = default;
  /// Said in failures: "folder, recorded pace".
  [[nodiscard]] virtual const char* name() const = 0;
  /// A source just opened, with `buffers` buffers, that shows frames at `rate_hz` or slower and
  /// does not end.
  virtual Result<std::unique_ptr<FrameSource>> make(double rate_hz, int buffers) = 0;
  [[nodiscard]] virtual const Clock& clock() const = 0;
  /// Has `source` show one more frame, for those that show none of their own accord.
  virtual void expose(FrameSource& source) { static_cast<void>(source); }
  /// real: frames fall due by the clock, and a wait can be too short. recorded: there is always a
  /// next one.
  [[nodiscard]] virtual Pace pace() const { return Pace::real; }
  /// Sources that can be open at once: one for a device that only one may have.
  [[nodiscard]] virtual int most_sources() const { return 3; }
};

/// Runs the suite over each fixture: Unity's result, for main() to return.
int run_frame_source_contract(const std::vector<FrameSourceFixture*>& fixtures);

}  // namespace kerb::contract
