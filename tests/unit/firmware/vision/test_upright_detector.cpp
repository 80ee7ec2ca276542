// SPDX-License-Identifier: Apache-2.0
#include "firmware/vision/upright_detector.hpp"

#include <cmath>

#include "firmware/vision/vision.hpp"
#include "hal/fake/log.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"

using namespace kerb;

namespace {

Camera truck() {
  Camera camera;
  camera.width = 320;
  camera.height = 180;
  camera.focal_px = 92;
  camera.center_x = 159.5;
  camera.center_y = 89.5;
  camera.height_m = 2.2;
  camera.pitch_rad = -0.5;
  return camera;
}

/// Keeps what it was shown, and finds what it is told to.
class Watcher final : public Detector {
 public:
  explicit Watcher(bool colour) : colour_{colour} {}
  Status detect(const PreparedImage& image, DetectionList& out) override {
    if (broken) return Error{Errc::device, 0, "look", "broken"};
    seen = image;
    out = finds;
    return Done{};
  }
  [[nodiscard]] const char* name() const noexcept override { return "watcher"; }
  [[nodiscard]] TrackingScores tracking_scores() const noexcept override { return {6.5, 9.5}; }
  [[nodiscard]] bool needs_colour() const noexcept override { return colour_; }
  PreparedImage seen;
  DetectionList finds;
  bool broken = false;

 private:
  bool colour_;
};

/// A camera's picture in which each pixel tells where it is.
struct Picture {
  std::vector<std::uint8_t> bytes;
  PreparedImage image;
  explicit Picture(const Camera& camera)
      : bytes(static_cast<std::size_t>(3 * camera.width * camera.height)) {
    const int w = camera.width, h = camera.height;
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x)
        for (int plane = 0; plane < 3; ++plane)
          bytes[static_cast<std::size_t>((plane * h + y) * w + x)] =
              static_cast<std::uint8_t>(plane == 0   ? x * 250 / w
                                        : plane == 1 ? y
                                                     : (x + y) / 4);
    image.grey = {bytes.data(), w, h, w};
    image.rgb = {bytes.data(), 3, w, h, w, static_cast<std::ptrdiff_t>(w) * h};
  }
};

struct Made {
  Result<Context> context = Context::create(BackendChoice::cpu);
  Workers workers{2};
  Watcher* inner = nullptr;
  std::unique_ptr<UprightDetector> detector;
  Made(bool colour, const hog::Region& region = {}) {
    auto watcher = std::make_unique<Watcher>(colour);
    inner = watcher.get();
    Result<std::unique_ptr<UprightDetector>> made =
        UprightDetector::create(*context, workers, truck(), region, std::move(watcher));
    TEST_ASSERT_OK(made);
    detector = std::move(*made);
  }
};

TEST(the_inner_one_sees_the_upright_view) {
  const Camera camera = truck();
  const UprightView view{camera};
  const Picture picture{camera};
  for (const bool colour : {false, true}) {
    Made made{colour};
    DetectionList out;
    TEST_ASSERT_OK(made.detector->detect(picture.image, out));
    const PreparedImage& seen = made.inner->seen;
    TEST_ASSERT_EQUAL(view.width(), seen.grey.width);
    TEST_ASSERT_EQUAL(view.height(), seen.grey.height);
    TEST_ASSERT_EQUAL(colour ? 3 : 0, seen.rgb.count);
    int looked = 0;
    for (int y = 0; y < view.height(); y += 3)
      for (int x = 0; x < view.width(); x += 3) {
        const std::optional<Pixel> at =
            view.in_picture(Pixel{static_cast<double>(x), static_cast<double>(y)});
        if (!at || at->x < 0 || at->y < 0 || at->x > camera.width - 1 || at->y > camera.height - 1)
          continue;
        ++looked;
        const auto pixel = [&](int plane) {
          const auto shown = colour ? seen.rgb.plane(plane) : seen.grey;
          return static_cast<double>(shown.data[y * shown.row_stride + x]);
        };
        TEST_ASSERT_DOUBLE_WITHIN(1.5, at->x * 250 / camera.width, pixel(0));
        if (colour) TEST_ASSERT_DOUBLE_WITHIN(0.6, at->y, pixel(1));
      }
    TEST_ASSERT_GREATER_THAN(view.width() * view.height() / 18, looked);
    TEST_ASSERT_EQUAL_STRING("watcher", made.detector->name());
    TEST_ASSERT_EQUAL_DOUBLE(6.5, made.detector->tracking_scores().even);
    TEST_ASSERT_EQUAL_DOUBLE(9.5, made.detector->tracking_scores().sure);
    TEST_ASSERT_EQUAL(colour, made.detector->needs_colour());
  }
}

TEST(people_are_told_where_they_are_in_the_picture) {
  const Camera camera = truck();
  const UprightView view{camera};
  const Picture picture{camera};
  const float middle = static_cast<float>(view.middle_column());
  DetectionList finds;
  finds.count = 2;
  finds.items[0] = {middle - 40, static_cast<float>(view.horizon_row()) + 15, 12, 30, 9};
  finds.items[1] = {middle + 30, static_cast<float>(view.horizon_row()) + 10, 16, 40, 4};
  Made all{false}, left{false, {0, 0, 160, 180}};
  DetectionList out, some;
  all.inner->finds = left.inner->finds = finds;
  TEST_ASSERT_OK(all.detector->detect(picture.image, out));
  TEST_ASSERT_EQUAL(2, out.count);
  for (int i = 0; i < 2; ++i) {
    const Detection expected = *view.in_picture(finds.items[i]);
    TEST_ASSERT_EQUAL_FLOAT(expected.x, out.items[i].x);
    TEST_ASSERT_EQUAL_FLOAT(expected.h, out.items[i].h);
    TEST_ASSERT_EQUAL_FLOAT(finds.items[i].score, out.items[i].score);
  }
  TEST_ASSERT_OK(left.detector->detect(picture.image, some));
  TEST_ASSERT_EQUAL(1, some.count);
  TEST_ASSERT_EQUAL_FLOAT(9, some.items[0].score);
}

/// The view is a rectangle, the picture in it is not.
TEST(nobody_is_told_of_outside_the_picture) {
  const Camera camera = truck();
  const UprightView view{camera};
  const Picture picture{camera};
  Made made{false};
  int inside = 0, outside = 0;
  for (int x = 0; x + 12 < view.width(); x += 12)
    for (int y = 0; y + 30 < view.height(); y += 15) {
      made.inner->finds.count = 1;
      made.inner->finds.items[0] = {static_cast<float>(x), static_cast<float>(y), 12, 30, 5};
      const std::optional<Detection> there = view.in_picture(made.inner->finds.items[0]);
      const float mid_x = there ? there->x + there->w / 2 : -1;
      const float mid_y = there ? there->y + there->h / 2 : -1;
      const bool shown = mid_x >= 0 && mid_y >= 0 && mid_x <= 320 && mid_y <= 180;
      ++(shown ? inside : outside);
      DetectionList out;
      TEST_ASSERT_OK(made.detector->detect(picture.image, out));
      TEST_ASSERT_EQUAL(shown ? 1 : 0, out.count);
    }
  TEST_ASSERT_GREATER_THAN(20, inside);
  TEST_ASSERT_GREATER_THAN(5, outside);
}

TEST(it_fails_as_the_inner_one_does_and_refuses_other_sizes) {
  Made made{false};
  const Picture picture{truck()};
  DetectionList out;
  made.inner->broken = true;
  TEST_ASSERT_ERROR(Errc::device, made.detector->detect(picture.image, out));
  made.inner->broken = false;
  PreparedImage small = picture.image;
  small.grey.width = 319;
  TEST_ASSERT_ERROR(Errc::invalid_argument, made.detector->detect(small, out));
}

TEST(it_allocates_only_when_made) {
  Made made{true};
  const Picture picture{truck()};
  DetectionList out;
  TEST_ASSERT_OK(made.detector->detect(picture.image, out));
  const std::uint64_t before = test::allocations();
  for (int i = 0; i < 5; ++i) TEST_ASSERT_OK(made.detector->detect(picture.image, out));
  TEST_ASSERT_EQUAL_UINT64(before, test::allocations());
}

/// Which view a camera's people are looked for in, as the log says.
TEST(a_camera_that_looks_down_gets_it_unless_told_otherwise) {
  for (const auto& [view, pitch, upright] : {std::tuple{DetectorView::automatic, 0.0, false},
                                             std::tuple{DetectorView::automatic, -30.0, true},
                                             std::tuple{DetectorView::plain, -30.0, false},
                                             std::tuple{DetectorView::upright, 0.0, true}}) {
    Config config;
    config.vision_backend = VisionBackend::cpu;
    config.vision_threads = 1;
    config.detector.view = view;
    CameraSettings camera;
    camera.pitch_deg = pitch;
    camera.height_m = 2;
    camera.fov_deg = 100;
    config.cameras = {camera};
    FakeLog log;
    Result<std::unique_ptr<Vision>> vision = Vision::create(config, log);
    TEST_ASSERT_OK(vision);
    FrameSourceInfo info;
    info.width = 640;
    info.height = 360;
    info.format = PixelFormat::rgb24;
    Result<std::unique_ptr<Detector>> made = (*vision)->make_detector(info, camera);
    TEST_ASSERT_OK(made);
    TEST_ASSERT_NOT_NULL(made->get());
    TEST_ASSERT_EQUAL(upright, log.has("upright view"));
  }
}

}  // namespace
