// SPDX-License-Identifier: Apache-2.0
// The product's detector on CUDA finds whom it finds on the CPU, bit for bit, frame after frame: in
// the camera's own picture, and in the upright view of a truck's.
#include "firmware/lens/camera_geometry.hpp"
#include "firmware/vision/upright_detector.hpp"

#include "drivers/replay/open_replay.hpp"
#include "firmware/vision/vision.hpp"
#include "hal/fake/clock.hpp"
#include "hal/fake/log.hpp"
#include "tests/gpu/device.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using kerb::test::gpu;

namespace {

constexpr int kFrames = 8;
constexpr int kBetween = 30;  // pictures passed over from one to the next: the walker is elsewhere

CameraSettings car(int width, int height, const char* format) {
  CameraSettings camera;
  camera.kind = CameraKind::pattern;
  camera.pace = Pace::recorded;
  camera.width = width;
  camera.height = height;
  camera.format = format;
  return camera;
}
CameraSettings truck(int width, int height, const char* format) {
  CameraSettings camera = car(width, height, format);
  camera.fov_deg = 120;
  camera.height_m = 2.5;
  camera.pitch_deg = -32;
  camera.roll_deg = 2;
  return camera;
}

/// The vision side as the product makes it, on one backend.
struct Eyes {
  FakeLog log;
  std::unique_ptr<Vision> vision;
  std::unique_ptr<ImagePreparer> preparer;
  std::unique_ptr<Detector> detector;

  Eyes(VisionBackend backend, const CameraSettings& camera) {
    Config config;
    config.vision_backend = backend;
    config.cameras = {camera};
    config.detector.ground = GroundUse::anywhere;  // more windows,
    config.detector.threshold = -2;                // more finds,
    config.detector.scale_step = 1.12;             // and the CPU's own is another
    Result<std::unique_ptr<Vision>> made = Vision::create(config, log);
    TEST_ASSERT_OK(made);
    vision = std::move(*made);
  }
  void look_at(const FrameSourceInfo& info, const CameraSettings& camera) {
    Result<std::unique_ptr<Detector>> found = vision->make_detector(info, camera);
    TEST_ASSERT_OK(found);
    TEST_ASSERT_NOT_NULL_MESSAGE(found->get(), "there is no model: are they beside the program?");
    detector = std::move(*found);
    Result<std::unique_ptr<ImagePreparer>> prepares =
        vision->make_preparer(info, camera, detector->needs_colour());
    TEST_ASSERT_OK(prepares);
    preparer = std::move(*prepares);
  }
};

void expect_same_people(const DetectionList& expected, const DetectionList& actual,
                        const char* name) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(expected.count, actual.count, name);
  if (expected.count > 0)
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(expected.items, actual.items,
                                     sizeof(Detection) * static_cast<std::size_t>(expected.count),
                                     name);
}

/// How many finds there were in all frames.
int compare(const CameraSettings& camera, bool upright, const char* name) {
  const FakeClock clock;
  Eyes here{VisionBackend::cpu, camera}, there{VisionBackend::cuda, camera};
  Result<std::unique_ptr<FrameSource>> source =
      open_replay(camera, there.vision->frame_memory(), clock);
  TEST_ASSERT_OK(source);
  here.look_at((*source)->info(), camera);
  there.look_at((*source)->info(), camera);
  TEST_ASSERT_EQUAL_STRING("cpu", here.preparer->backend());
  TEST_ASSERT_EQUAL_STRING("cuda", there.preparer->backend());
  TEST_ASSERT_EQUAL_MESSAGE(upright, there.log.has("upright view"), name);
  int people = 0;
  DetectionList expected, actual;
  for (int i = 0; i < kFrames * kBetween; ++i) {
    const Result<Frame> frame = (*source)->next(Nanos::zero());
    TEST_ASSERT_OK(frame);
    if (i % kBetween != 0) continue;
    const Result<PreparedImage> on_host = here.preparer->prepare(frame->image);
    const Result<PreparedImage> on_device = there.preparer->prepare(frame->image);
    TEST_ASSERT_OK(on_host);
    TEST_ASSERT_OK(on_device);
    TEST_ASSERT_NOT_NULL(on_device->device_grey.data);
    TEST_ASSERT_OK(here.detector->detect(*on_host, expected));
    TEST_ASSERT_OK(there.detector->detect(*on_device, actual));
    expect_same_people(expected, actual, name);
    TEST_ASSERT_OK(there.detector->detect(*on_host, actual));  // uploaded
    expect_same_people(expected, actual, name);
    people += expected.count;
  }
  std::printf("%s: %d finds in %d frames\n", name, people, kFrames);
  return people;
}

TEST(people_in_the_cameras_own_picture_are_those_of_the_cpu) {
  TEST_ASSERT_GREATER_THAN(kFrames / 2, compare(car(640, 360, "yuyv"), false, "car, in colour"));
  TEST_ASSERT_GREATER_THAN(kFrames / 2, compare(car(640, 360, "grey8"), false, "car, grey"));
}

TEST(people_in_the_upright_view_are_those_of_the_cpu) {
  TEST_ASSERT_GREATER_THAN(kFrames / 2,
                           compare(truck(1280, 720, "yuyv"), true, "truck, in colour"));
  TEST_ASSERT_GREATER_THAN(kFrames / 2, compare(truck(1280, 720, "nv12"), true, "truck, nv12"));
  TEST_ASSERT_GREATER_THAN(kFrames / 2, compare(truck(640, 360, "grey8"), true, "truck, grey"));
}

/// Keeps what it was shown.
class Watcher final : public Detector {
 public:
  explicit Watcher(bool colour) : colour_{colour} {}
  Status detect(const PreparedImage& image, DetectionList& out) override {
    seen = image;
    out.count = 0;
    return Done{};
  }
  [[nodiscard]] const char* name() const noexcept override { return "watcher"; }
  [[nodiscard]] bool needs_colour() const noexcept override { return colour_; }
  PreparedImage seen;

 private:
  bool colour_;
};

struct Watched {
  Watcher* inner = nullptr;
  std::unique_ptr<UprightDetector> detector;
  Watched(const Context& context, Workers& workers, const Camera& camera, bool colour) {
    auto watcher = std::make_unique<Watcher>(colour);
    inner = watcher.get();
    Result<std::unique_ptr<UprightDetector>> made =
        UprightDetector::create(context, workers, camera, {}, std::move(watcher));
    TEST_ASSERT_OK(made);
    detector = std::move(*made);
  }
};

/// The view itself, pixel for pixel, where the picture lies: on the device, or on the host.
TEST(the_view_is_the_cpus) {
  constexpr int kWidth = 322, kHeight = 181, kArea = kWidth * kHeight;
  const Camera camera = camera_of(truck(kWidth, kHeight, "yuyv"), kWidth, kHeight);
  const Result<Context> cpu = Context::create(BackendChoice::cpu);
  Workers workers{2};
  std::vector<std::uint8_t> pixels(3 * kArea);
  for (const bool colour : {false, true}) {
    const Watched here{*cpu, workers, camera, colour}, there{*gpu, workers, camera, colour};
    for (std::uint32_t number = 1; number <= kFrames; ++number) {
      std::uint32_t state = number;
      for (std::uint8_t& pixel : pixels)
        pixel = static_cast<std::uint8_t>((state = state * 1664525U + 1013904223U) >> 24);
      const DeviceBuffer<std::uint8_t> uploaded = kerb::test::upload(pixels);
      PreparedImage on_host, on_device;
      on_host.grey = {pixels.data(), kWidth, kHeight, kWidth};
      on_device.device_grey = {uploaded.device_data(), kWidth, kHeight, kWidth};
      if (colour) {
        on_host.rgb = {pixels.data(), 3, kWidth, kHeight, kWidth, kArea};
        on_device.device_rgb = {uploaded.device_data(), 3, kWidth, kHeight, kWidth, kArea};
      }
      DetectionList out;
      TEST_ASSERT_OK(here.detector->detect(on_host, out));
      const PreparedImage& expected = here.inner->seen;
      const std::size_t size = static_cast<std::size_t>(expected.grey.width) *
                               static_cast<std::size_t>(expected.grey.height);
      const std::size_t count = colour ? 3 * size : size;
      TEST_ASSERT_GREATER_THAN(kArea / 4, size);
      TEST_ASSERT_OK(there.detector->detect(on_device, out));
      const PreparedImage& seen = there.inner->seen;
      TEST_ASSERT_NULL(seen.grey.data);
      TEST_ASSERT_EQUAL(expected.grey.width, seen.device_grey.width);
      TEST_ASSERT_EQUAL(colour ? 3 : 0, seen.device_rgb.count);
      std::vector<std::uint8_t> view(count);
      TEST_ASSERT_OK(copy_to_host(gpu->stream(), view.data(), seen.device_grey.data, count));
      TEST_ASSERT_OK(wait(gpu->stream()));
      TEST_ASSERT_EQUAL_MEMORY(expected.grey.data, view.data(), count);
      TEST_ASSERT_OK(there.detector->detect(on_host, out));
      TEST_ASSERT_NULL(there.inner->seen.device_grey.data);
      TEST_ASSERT_EQUAL_MEMORY(expected.grey.data, there.inner->seen.grey.data, count);
    }
  }
}

}  // namespace

BEFORE_SUITE(words) { return kerb::test::open_gpu(); }

AFTER_SUITE() { gpu.reset(); }
