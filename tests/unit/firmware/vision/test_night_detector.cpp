// SPDX-License-Identifier: Apache-2.0
#include "firmware/vision/night_detector.hpp"

#include <algorithm>
#include <tuple>

#include "firmware/vision/vision.hpp"
#include "hal/fake/log.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/night_cases.hpp"

using namespace kerb;
using namespace kerb::test;

namespace {

constexpr int kWidth = 160, kHeight = 120;

/// Keeps what it was shown.
class Witness final : public Detector {
 public:
  explicit Witness(bool colour) : colour_{colour} {}
  Status detect(const PreparedImage& image, DetectionList& out) override {
    if (broken) return Error{Errc::device, 0, "look", "broken"};
    seen = image;
    out.count = 1;
    out.items[0] = {1, 2, 3, 4, 5};
    return Done{};
  }
  [[nodiscard]] const char* name() const noexcept override { return "witness"; }
  [[nodiscard]] TrackingScores tracking_scores() const noexcept override { return {6.5, 9.5}; }
  [[nodiscard]] bool needs_colour() const noexcept override { return colour_; }
  PreparedImage seen;
  bool broken = false;

 private:
  bool colour_;
};

NightMeasures measures(bool curve, bool filter) {
  NightMeasures out;
  if (curve) out.curve = night::ToneCurveSettings{};
  if (filter) out.filter = night::TemporalFilterSettings{};
  return out;
}

struct Made {
  Result<Context> context = Context::create(BackendChoice::cpu);
  Workers workers{2};
  Witness* inner = nullptr;
  std::unique_ptr<NightDetector> detector;
  Made(bool colour, const NightMeasures& what) {
    auto witness = std::make_unique<Witness>(colour);
    inner = witness.get();
    Result<std::unique_ptr<NightDetector>> made =
        NightDetector::create(*context, workers, what, kWidth, kHeight, std::move(witness));
    TEST_ASSERT_OK(made);
    detector = std::move(*made);
  }
  void show(const PreparedImage& image) {
    DetectionList out;
    TEST_ASSERT_OK(detector->detect(image, out));
    TEST_ASSERT_EQUAL_INT(1, out.count);
  }
};

/// As a camera in colour gives it; grey is the green plane.
PreparedImage prepared(const NightCanvas& canvas) {
  PreparedImage image;
  image.rgb = canvas.from();
  image.grey = image.rgb.plane(canvas.count / 2);
  return image;
}

bool same(const PlanesView<Space::host, const std::uint8_t>& a, const NightCanvas& b) {
  for (int p = 0; p < b.count; ++p)
    for (int y = 0; y < b.height; ++y)
      if (!std::equal(b.bytes.data() + b.index(p, 0, y),
                      b.bytes.data() + b.index(p, 0, y) + b.width,
                      a.data + p * a.plane_stride + y * a.row_stride))
        return false;
  return true;
}

TEST(a_bright_picture_reaches_the_inner_one_as_it_is) {
  const NightCanvas bright{3, kWidth, kHeight, 4, 64};
  for (const bool colour : {false, true}) {
    Made made{colour, measures(true, true)};
    for (int i = 0; i < 2; ++i) {
      made.show(prepared(bright));
      TEST_ASSERT_EQUAL_PTR(bright.bytes.data(), made.inner->seen.rgb.data);
      TEST_ASSERT_EQUAL_PTR(bright.from().plane(1).data, made.inner->seen.grey.data);
    }
  }
}

TEST(a_dark_picture_is_brightened_for_the_inner_one_alone) {
  const NightCanvas dark = dark_picture(3, kWidth, kHeight, 4, 60, 5);
  const NightCanvas before = dark;
  for (const bool colour : {false, true}) {
    Made made{colour, measures(true, false)};
    made.show(prepared(dark));
    TEST_ASSERT_TRUE(before.bytes == dark.bytes);
    const PreparedImage& seen = made.inner->seen;
    if (!colour) TEST_ASSERT_EQUAL_PTR(dark.bytes.data(), seen.rgb.data);
    if (colour) TEST_ASSERT_EQUAL_PTR(dark.from().plane(1).data, seen.grey.data);
    // What the operator alone makes of it.
    Result<night::ToneCurve> curve =
        night::ToneCurve::create(*made.context, {}, kWidth, kHeight, colour ? 3 : 1);
    TEST_ASSERT_OK(curve);
    NightCanvas expected{colour ? 3 : 1, kWidth, kHeight};
    const auto plane = dark.from().plane(1);
    const Result<bool> changed = curve->run(
        made.workers,
        colour ? dark.from()
               : PlanesView<Space::host, const std::uint8_t>{plane.data, 1, kWidth, kHeight,
                                                             plane.row_stride, 0},
        expected.to());
    TEST_ASSERT_OK(changed);
    TEST_ASSERT_TRUE(*changed);
    const auto grey = seen.grey;
    TEST_ASSERT_TRUE(
        same(colour ? seen.rgb
                    : PlanesView<Space::host, const std::uint8_t>{grey.data, 1, kWidth, kHeight,
                                                                  grey.row_stride, 0},
             expected));
  }
}

/// Each motion belongs to one picture; a bright picture ends the film.
TEST(motion_is_used_once_and_a_bright_picture_ends_the_film) {
  const NightFilm film{{3, kWidth, kHeight, 1.5, 0, 1, 0, 4}};
  Made made{true, measures(false, true)};
  TEST_ASSERT_TRUE(made.detector->needs_motion());
  Result<night::TemporalFilter> filter =
      night::TemporalFilter::create(*made.context, {}, kWidth, kHeight, 3);
  TEST_ASSERT_OK(filter);
  NightCanvas expected{3, kWidth, kHeight};
  for (int t = 0; t < 8; ++t) {
    const NightCanvas frame = film.frame(t);
    const auto motion = film.motion(t);
    const bool given = t != 3;
    if (given) made.detector->set_motion(motion.get());
    if (t == 6) {
      const NightCanvas bright{3, kWidth, kHeight, 0, 90};
      made.show(prepared(bright));
      filter->forget();
    }
    made.show(prepared(frame));
    // After the bright picture the motion that came before it is gone.
    TEST_ASSERT_OK(filter->run(made.workers, frame.from(), given && t != 6 ? motion.get() : nullptr,
                               expected.to()));
    TEST_ASSERT_TRUE(same(made.inner->seen.rgb, expected));
    TEST_ASSERT_EQUAL(t == 0 || t == 6, same(made.inner->seen.rgb, frame));
  }
}

TEST(the_rest_is_the_inner_ones) {
  Made made{true, measures(true, false)};
  TEST_ASSERT_EQUAL_STRING("witness", made.detector->name());
  TEST_ASSERT_EQUAL_DOUBLE(6.5, made.detector->tracking_scores().even);
  TEST_ASSERT_TRUE(made.detector->needs_colour());
  TEST_ASSERT_FALSE(made.detector->needs_motion());
  made.inner->broken = true;
  const NightCanvas dark = dark_picture(3, kWidth, kHeight, 0, 60, 5);
  DetectionList out;
  out.count = 7;
  TEST_ASSERT_ERROR(Errc::device, made.detector->detect(prepared(dark), out));
  TEST_ASSERT_EQUAL_INT(0, out.count);
  // Another size than it was made for.
  const NightCanvas small{3, 64, 48, 0, 10};
  made.inner->broken = false;
  TEST_ASSERT_ERROR(Errc::invalid_argument, made.detector->detect(prepared(small), out));
}

TEST(a_frame_allocates_nothing) {
  const NightFilm film{{3, kWidth, kHeight, 1.5, 0, 1, 0, 4}};
  Made made{true, measures(true, true)};
  DetectionList out;
  for (int t = 0; t < 4; ++t) {
    const NightCanvas frame = film.frame(t);
    const auto motion = film.motion(t);
    const PreparedImage image = prepared(frame);
    const std::uint64_t before = allocations();
    made.detector->set_motion(motion.get());
    TEST_ASSERT_OK(made.detector->detect(image, out));
    TEST_ASSERT_EQUAL(before, allocations());
  }
}

TEST(the_configuration_decides) {
  for (const auto& [curve, filter, text] :
       {std::tuple{false, false, static_cast<const char*>(nullptr)},
        std::tuple{true, false, "darker than 64 are brightened"},
        std::tuple{false, true, "darker than 64 are smoothed along the flow"},
        std::tuple{true, true, "smoothed along the flow and brightened"}}) {
    Config config;
    config.vision_backend = VisionBackend::cpu;
    config.vision_threads = 1;
    config.night.curve = curve;
    config.night.filter = filter;
    FakeLog log;
    Result<std::unique_ptr<Vision>> vision = Vision::create(config, log);
    TEST_ASSERT_OK(vision);
    FrameSourceInfo info;
    info.width = 640;
    info.height = 360;
    info.format = PixelFormat::rgb24;
    Result<std::unique_ptr<Detector>> made = (*vision)->make_detector(info, CameraSettings{});
    TEST_ASSERT_OK(made);
    TEST_ASSERT_NOT_NULL(made->get());
    TEST_ASSERT_EQUAL(filter, (*made)->needs_motion());
    TEST_ASSERT_EQUAL(text != nullptr, log.has("darker than"));
    if (text != nullptr) TEST_ASSERT_TRUE(log.has(text));
  }
}

}  // namespace
