// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>

#include "drivers/v4l2/v4l2_camera.hpp"
#include "hal/fake/frame_memory.hpp"
#include "tests/support/unity.hpp"
#include "tests/unit/drivers/v4l2/fake_kernel.hpp"

namespace kerb::test {

using namespace std::chrono_literals;

/// A camera of 64 x 48 and all it hangs on.
struct Bench {
  Bench() {
    settings.width = 64;
    settings.height = 48;
    settings.format = "yuyv";
  }
  Result<std::unique_ptr<V4l2Camera>> try_open() {
    return V4l2Camera::open(settings, memory, clock, kernel);
  }
  /// For tests in which opening is not the question.
  std::unique_ptr<V4l2Camera> open() {
    auto camera = try_open();
    TEST_ASSERT_OK(camera);
    return *std::move(camera);
  }
  /// Why it does not open, as a person reads it.
  std::string refusal() {
    const auto camera = try_open();
    return camera ? "opened" : describe(camera.error());
  }
  /// To be called when camera and frames are gone.
  void check_clean() const {
    TEST_ASSERT_EQUAL_STRING("", kernel.violations.c_str());
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, kernel.open_files(), "files left open");
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, kernel.mappings(), "memory left mapped");
  }

  TestClock clock;
  FakeKernel kernel{clock};
  PageableFrameMemory memory;
  CameraSettings settings;
};

/// "1280x720" of a progressive signal at 60 Hz.
inline v4l2_dv_timings hdmi_720p60() {
  v4l2_dv_timings timings{};
  timings.type = V4L2_DV_BT_656_1120;
  timings.bt.width = 1280;
  timings.bt.height = 720;
  timings.bt.pixelclock = 74250000;
  timings.bt.hfrontporch = 110;
  timings.bt.hsync = 40;
  timings.bt.hbackporch = 220;
  timings.bt.vfrontporch = 5;
  timings.bt.vsync = 5;
  timings.bt.vbackporch = 20;
  return timings;
}

}  // namespace kerb::test
