// SPDX-License-Identifier: Apache-2.0
// The driver over a kernel that is played, as a web camera and as vivid; and over a camera of this
// machine that must have controls: KERB_TEST_EXPOSURE=/dev/video0; size and format as in
// frame_source_v4l2.cpp.
#include <cstdio>
#include <cstdlib>

#include "drivers/v4l2/v4l2_camera.hpp"
#include "hal/fake/frame_memory.hpp"
#include "tests/contract/exposure_control_suite.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/drivers/v4l2/bench.hpp"

namespace {

using namespace kerb;

Result<std::unique_ptr<FrameSource>> as_source(Result<std::unique_ptr<V4l2Camera>> camera) {
  if (!camera) return camera.error();
  return std::unique_ptr<FrameSource>{*std::move(camera)};
}

int run_played(const char* name, const std::map<std::uint32_t, test::FakeControl>& controls) {
  test::Bench bench;
  bench.kernel.controls = controls;
  bench.settings.exposure.mode = ExposureMode::people;
  contract::ExposureControlFixture fixture;
  fixture.name = name;
  fixture.open = [&] { return as_source(bench.try_open()); };
  const int failures = contract::run_exposure_control_suite(fixture);
  if (!bench.kernel.violations.empty())
    std::printf("%s: %s\n", name, bench.kernel.violations.c_str());
  return failures + (bench.kernel.violations.empty() ? 0 : 1);
}

int run_real(const char* device) {
  CameraSettings settings;
  settings.device = device;
  settings.width = 640;
  settings.height = 360;
  settings.exposure.mode = ExposureMode::people;
  if (const char* size = std::getenv("KERB_TEST_CAMERA_SIZE"))
    static_cast<void>(std::sscanf(size, "%dx%d", &settings.width, &settings.height));
  if (const char* format = std::getenv("KERB_TEST_CAMERA_FORMAT")) settings.format = format;
  PageableFrameMemory memory;
  const SystemClock clock;
  LinuxIo kernel;
  contract::ExposureControlFixture fixture;
  fixture.name = device;
  fixture.open = [&] { return as_source(V4l2Camera::open(settings, memory, clock, kernel)); };
  return contract::run_exposure_control_suite(fixture);
}

}  // namespace

SUITE_MAIN(words) {
  using test::FakeControl;
  int failures =
      run_played("v4l2, web camera", {{V4L2_CID_EXPOSURE_AUTO, FakeControl{0, 3, 3}},
                                      {V4L2_CID_EXPOSURE_ABSOLUTE, FakeControl{3, 2047, 250}},
                                      {V4L2_CID_GAIN, FakeControl{0, 255, 64}}});
  failures += run_played("v4l2, Tegra sensor",
                         {{0x009a200a, FakeControl{13, 683709, 2495, 1, V4L2_CTRL_TYPE_INTEGER64}},
                          {0x009a2009, FakeControl{16, 170, 16, 2, V4L2_CTRL_TYPE_INTEGER64}}});
  failures += run_played("v4l2, controls of vivid", {{V4L2_CID_AUTOGAIN, FakeControl{0, 1, 1}},
                                                     {V4L2_CID_GAIN, FakeControl{0, 255, 100}}});
  const char* device = std::getenv("KERB_TEST_EXPOSURE");
  if (device == nullptr || *device == '\0') return failures;
  return failures + run_real(device);
}
