// SPDX-License-Identifier: Apache-2.0
// Camera picture to people on CUDA and on the CPU: the same list, bit for bit.
#include "gpu/hog/detector.hpp"

#include <tuple>
#include <utility>

#include "gpu/image/preparer.hpp"
#include "tests/gpu/device.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/bar_model.hpp"
#include "tests/unit/gpu/cascade_cases.hpp"

using namespace kerb;
using namespace kerb::hog::test;
using kerb::test::gpu;

namespace {

struct Eyes {
  std::unique_ptr<Preparer> preparer;
  std::unique_ptr<HogDetector> detector;
};

Eyes eyes(const Context& context, Workers& workers, const hog::Model& model, float threshold,
          int width, int height, PixelFormat format = PixelFormat::grey8) {
  FrameSourceInfo source;
  source.format = format;
  source.width = width;
  source.height = height;
  auto preparer = Preparer::create(context, nullptr, source, hog::needs_colour(model));
  TEST_ASSERT_OK(preparer);
  hog::FusionSettings fusion;
  fusion.kind = model.advice.fusion;
  auto detector = HogDetector::create(context, workers, model, search(1.1, 8), fusion, threshold,
                                      width, height);
  TEST_ASSERT_OK(detector);
  return {std::move(*preparer), std::move(*detector)};
}

RawImageView<Space::host> raw(ImageView<Space::host, const std::uint8_t> grey) {
  RawImageView<Space::host> view;
  view.data = grey.data;
  view.width = grey.width;
  view.height = grey.height;
  view.row_stride = static_cast<int>(grey.row_stride);
  view.format = PixelFormat::grey8;
  return view;
}

void expect_same_people(const DetectionList& expected, const DetectionList& actual,
                        const char* name) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(expected.count, actual.count, name);
  if (expected.count > 0)
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(expected.items, actual.items,
                                     sizeof(Detection) * static_cast<std::size_t>(expected.count),
                                     name);
}

/// From the device's grey, and from the host's when there is no other.
int compare(const hog::Model& model, float threshold,
            ImageView<Space::host, const std::uint8_t> grey, const char* name) {
  const Result<Context> cpu = Context::create(BackendChoice::cpu);
  Workers workers{1};
  const Eyes here = eyes(*cpu, workers, model, threshold, grey.width, grey.height);
  const Eyes there = eyes(*gpu, workers, model, threshold, grey.width, grey.height);
  TEST_ASSERT_TRUE(there.detector->engine().backend() == Backend::cuda);
  DetectionList expected, actual;
  for (int again = 0; again < 3; ++again) {
    const Result<PreparedImage> on_host = here.preparer->prepare(raw(grey));
    TEST_ASSERT_OK(on_host);
    TEST_ASSERT_NULL(on_host->device_grey.data);
    TEST_ASSERT_OK(here.detector->detect(*on_host, expected));
    const Result<PreparedImage> on_device = there.preparer->prepare(raw(grey));
    TEST_ASSERT_OK(on_device);
    TEST_ASSERT_NOT_NULL(on_device->device_grey.data);
    TEST_ASSERT_OK(there.detector->detect(*on_device, actual));
    expect_same_people(expected, actual, name);
    PreparedImage no_device = *on_device;
    no_device.device_grey = {};
    TEST_ASSERT_OK(there.detector->detect(no_device, actual));
    expect_same_people(expected, actual, name);
  }
  return expected.count;
}

TEST(people_are_the_same_as_on_the_cpu) {
  const Street street = Street{320, 240}.bar(48, 64).bar(208, 72);
  TEST_ASSERT_EQUAL_INT(2, compare(bar_model(), 0, street.view(), "bars"));
  const Scene scene{331, 259, 1, 7};
  int people = 0;
  people += compare(model_for(kCascadeCases[3], 1), -0.5F, scene.view(), "linear");
  people += compare(model_for(kCascadeCases[9], 2), 0.1F, scene.view(), "trees");
  people += compare(dense_model(3), 0.2F, scene.view(), "dense");
  TEST_ASSERT_GREATER_THAN_INT(5, people);
}

TEST(people_seen_again_are_the_same_as_on_the_cpu) {
  const Street street = Street{320, 240}.bar(48, 64).bar(208, 72);
  const hog::Model bars = looking(bar_model(), look_again(1));
  TEST_ASSERT_EQUAL_INT(2, compare(bars, -1e6F, street.view(), "bars, seen again"));
  TEST_ASSERT_EQUAL_INT(0, compare(bars, -1e6F, Street{320, 240}.view(), "no bars"));
  const Scene scene{331, 259, 1, 7};
  int people = 0;
  people += compare(looking(model_for(kCascadeCases[3], 3), look_again(2)), -1e6F, scene.view(),
                    "linear, seen again");
  people += compare(looking(model_for(kCascadeCases[9], 2), look_again(3)), -1e6F, scene.view(),
                    "trees, seen again");
  people +=
      compare(looking(dense_model(3), look_again(4)), -1e6F, scene.view(), "dense, seen again");
  TEST_ASSERT_GREATER_THAN_INT(30, people);
}

TEST(people_in_colour_are_the_same_as_on_the_cpu) {
  const Result<Context> cpu = Context::create(BackendChoice::cpu);
  Workers workers{1};
  const ColourStreet street =
      ColourStreet{320, 240}.bar(48, 72, 120, 120, 120).bar(208, 72, 220, 30, 30);
  const std::vector<std::uint8_t> pixels = street.interleaved();
  RawImageView<Space::host> view;
  view.data = pixels.data();
  view.width = 320;
  view.height = 240;
  view.row_stride = 3 * 320;
  view.format = PixelFormat::rgb24;
  for (const auto& [model, threshold, least] :
       {std::tuple{red_bar_model(), 0.0F, 1}, std::tuple{model_for(kCascadeCases[13], 2), 0.0F, 0},
        std::tuple{looking(red_bar_model(), look_again(1, 3)), -1e6F, 1}}) {
    const Eyes here = eyes(*cpu, workers, model, threshold, 320, 240, view.format);
    const Eyes there = eyes(*gpu, workers, model, threshold, 320, 240, view.format);
    DetectionList expected, actual;
    for (int again = 0; again < 3; ++again) {
      const Result<PreparedImage> on_host = here.preparer->prepare(view);
      TEST_ASSERT_OK(on_host);
      TEST_ASSERT_OK(here.detector->detect(*on_host, expected));
      const Result<PreparedImage> on_device = there.preparer->prepare(view);
      TEST_ASSERT_OK(on_device);
      TEST_ASSERT_EQUAL_INT(3, on_device->device_rgb.count);
      TEST_ASSERT_EQUAL_INT(3, on_device->rgb.count);
      TEST_ASSERT_OK(there.detector->detect(*on_device, actual));
      expect_same_people(expected, actual, model.name.c_str());
      TEST_ASSERT_OK(there.detector->detect(*on_host, actual));  // uploaded
      expect_same_people(expected, actual, model.name.c_str());
    }
    TEST_ASSERT_GREATER_OR_EQUAL_INT(least, expected.count);
    PreparedImage grey;
    grey.device_grey = there.preparer->device_grey();
    TEST_ASSERT_ERROR(Errc::invalid_argument, there.detector->detect(grey, actual));
  }
}

TEST(a_picture_of_another_size_is_refused) {
  Workers workers{1};
  const Eyes there = eyes(*gpu, workers, bar_model(), 0, 320, 240);
  const Eyes other = eyes(*gpu, workers, bar_model(), 0, 336, 240);
  const Street street{336, 240};
  const Result<PreparedImage> image = other.preparer->prepare(raw(street.view()));
  TEST_ASSERT_OK(image);
  DetectionList found;
  TEST_ASSERT_ERROR(Errc::invalid_argument, there.detector->detect(*image, found));
}

}  // namespace

BEFORE_SUITE(words) { return kerb::test::open_gpu(); }

AFTER_SUITE() { gpu.reset(); }
