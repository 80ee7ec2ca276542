// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <utility>

#include "drivers/replay/open_replay.hpp"
#include "hal/fake/frame_memory.hpp"
#include "tests/contract/frame_source_contract.hpp"

namespace kerb::contract {

/// Whatever open_replay() opens.
class ReplayFixture : public FrameSourceFixture {
 public:
  ReplayFixture(std::string name, CameraSettings settings)
      : name_{std::move(name)}, settings_{std::move(settings)} {}
  [[nodiscard]] const char* name() const override { return name_.c_str(); }
  Result<std::unique_ptr<FrameSource>> make(double rate_hz, int buffers) override {
    CameraSettings settings = settings_;
    settings.rate_hz = rate_hz;
    settings.buffers = buffers;
    return open_replay(settings, memory_, clock_);
  }
  [[nodiscard]] const Clock& clock() const override { return clock_; }
  [[nodiscard]] Pace pace() const override { return settings_.pace; }

 protected:
  std::string name_;
  CameraSettings settings_;

 private:
  PageableFrameMemory memory_;
  SystemClock clock_;
};

}  // namespace kerb::contract
