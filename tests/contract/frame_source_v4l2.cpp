// SPDX-License-Identifier: Apache-2.0
// A camera of this machine: KERB_TEST_CAMERA=/dev/video0; also KERB_TEST_CAMERA_FORMAT (else
// "auto") and KERB_TEST_CAMERA_SIZE (else 640x360). On the bench that is vivid.
#include <cstdio>
#include <cstdlib>

#include "drivers/v4l2/v4l2_camera.hpp"
#include "hal/fake/frame_memory.hpp"
#include "tests/contract/frame_source_contract.hpp"
#include "tests/support/test.hpp"

namespace {

using namespace kerb;

class V4l2Fixture final : public contract::FrameSourceFixture {
 public:
  V4l2Fixture(const char* name, const char* device, BufferMode mode) : name_{name} {
    settings_.device = device;
    settings_.memory = mode;
    settings_.width = 640;
    settings_.height = 360;
    if (const char* size = std::getenv("KERB_TEST_CAMERA_SIZE"))
      static_cast<void>(std::sscanf(size, "%dx%d", &settings_.width, &settings_.height));
    if (const char* format = std::getenv("KERB_TEST_CAMERA_FORMAT")) settings_.format = format;
  }
  [[nodiscard]] const char* name() const override { return name_; }
  Result<std::unique_ptr<FrameSource>> make(double rate_hz, int buffers) override {
    settings_.rate_hz = rate_hz;
    settings_.buffers = buffers;
    Result<std::unique_ptr<V4l2Camera>> camera =
        V4l2Camera::open(settings_, memory_, clock_, kernel_);
    if (!camera) return camera.error();
    return std::unique_ptr<FrameSource>{*std::move(camera)};
  }
  [[nodiscard]] const Clock& clock() const override { return clock_; }
  [[nodiscard]] int most_sources() const override { return 1; }

 private:
  const char* name_;
  CameraSettings settings_;
  PageableFrameMemory memory_;
  SystemClock clock_;
  LinuxIo kernel_;
};

}  // namespace

SUITE_MAIN(words) {
  const char* device = std::getenv("KERB_TEST_CAMERA");
  if (device == nullptr || *device == '\0') {
    std::puts("skipped: KERB_TEST_CAMERA names no camera");
    return 77;
  }
  V4l2Fixture userptr{"v4l2, userptr", device, BufferMode::userptr};
  V4l2Fixture mmap{"v4l2, mmap", device, BufferMode::mmap};
  return contract::run_frame_source_contract({&userptr, &mmap});
}
