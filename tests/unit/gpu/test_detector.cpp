// SPDX-License-Identifier: Apache-2.0
#include "gpu/hog/detector.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/bar_model.hpp"
#include "tests/unit/gpu/cascade_cases.hpp"

using namespace kerb;
using namespace kerb::hog::test;

namespace {

Context cpu_context() { return std::move(*Context::create(BackendChoice::cpu)); }

PreparedImage prepared(ImageView<Space::host, const std::uint8_t> grey) {
  PreparedImage image;
  image.grey = grey;
  return image;
}

void expect_bar(int x, int y, const Detection& found) {
  TEST_ASSERT_FLOAT_WITHIN(6, static_cast<float>(x), found.x);
  TEST_ASSERT_FLOAT_WITHIN(8, static_cast<float>(y), found.y);
  TEST_ASSERT_FLOAT_WITHIN(6, 32, found.w);
  TEST_ASSERT_FLOAT_WITHIN(18, 96, found.h);
}

TEST(it_finds_the_bars_and_nothing_else) {
  const Context context = cpu_context();
  Workers workers{2};
  auto detector =
      HogDetector::create(context, workers, bar_model(), search(1.1, 8), {}, 0, 320, 240);
  TEST_ASSERT_OK(detector);
  TEST_ASSERT_EQUAL_STRING("bar", (*detector)->name());
  TEST_ASSERT_TRUE((*detector)->engine().backend() == Backend::cpu);
  DetectionList found;
  found.count = 7;  // of a frame before
  TEST_ASSERT_OK((*detector)->detect(prepared(Street{320, 240}.view()), found));
  TEST_ASSERT_EQUAL_INT(0, found.count);
  TEST_ASSERT_OK((*detector)->detect(prepared(Street{320, 240}.bar(80, 72).view()), found));
  TEST_ASSERT_EQUAL_INT(1, found.count);
  expect_bar(80, 72, found.items[0]);
  TEST_ASSERT_OK(
      (*detector)->detect(prepared(Street{320, 240}.bar(48, 64).bar(208, 72).view()), found));
  TEST_ASSERT_EQUAL_INT(2, found.count);
  const bool in_order = found.items[0].x < found.items[1].x;
  expect_bar(48, 64, found.items[in_order ? 0 : 1]);
  expect_bar(208, 72, found.items[in_order ? 1 : 0]);
}

void expect_same_people(const DetectionList& expected, const DetectionList& actual,
                        const char* name) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(expected.count, actual.count, name);
  if (expected.count > 0)
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(expected.items, actual.items,
                                     sizeof(Detection) * static_cast<std::size_t>(expected.count),
                                     name);
}

TEST(it_is_its_engine_and_its_fusion) {
  const Context context = cpu_context();
  Workers workers{2};
  hog::FusionSettings suppression;
  suppression.kind = hog::FusionKind::suppression;
  suppression.overlap = 0.3F;
  suppression.min_hits = 2;
  int people = 0;
  for (const auto& [name, model, threshold] :
       {std::tuple{"linear", model_for(kCascadeCases[3], 1), -0.5F},
        std::tuple{"trees", model_for(kCascadeCases[9], 2), 0.1F},
        std::tuple{"dense", dense_model(3, hog::DenseKind::cells), 0.2F}}) {
    const Scene scene{151, 203, 1, 4};
    for (const hog::FusionSettings& fusion : {hog::FusionSettings{}, suppression}) {
      auto engine = hog::make_engine(context, workers, model, search(1.2, 8), 151, 203);
      TEST_ASSERT_OK(engine);
      auto fuser = hog::Fusion::create(fusion);
      TEST_ASSERT_OK(fuser);
      const auto hits = (*engine)->search(hog::Picture<Space::host>{scene.view(), {}}, threshold);
      TEST_ASSERT_OK(hits);
      DetectionList expected, actual;
      (*fuser)->fuse(*hits, model.geometry(), (*engine)->plan(), expected);
      auto detector =
          HogDetector::create(context, workers, model, search(1.2, 8), fusion, threshold, 151, 203);
      TEST_ASSERT_OK(detector);
      TEST_ASSERT_EQUAL_STRING(model.name.c_str(), (*detector)->name());
      for (int again = 0; again < 2; ++again) {
        TEST_ASSERT_OK((*detector)->detect(prepared(scene.view()), actual));
        expect_same_people(expected, actual, name);
      }
      people += expected.count;
    }
  }
  TEST_ASSERT_GREATER_THAN_INT(5, people);  // or nothing would have been compared
}

PreparedImage prepared(const ColourStreet& street) {
  PreparedImage image;
  image.grey = street.green();
  image.rgb = street.planes();
  return image;
}

TEST(a_colour_model_finds_the_red_bar_among_others) {
  const Context context = cpu_context();
  Workers workers{2};
  auto grey = HogDetector::create(context, workers, bar_model(), search(1.1, 8), {}, 0, 320, 240);
  TEST_ASSERT_OK(grey);
  TEST_ASSERT_FALSE((*grey)->needs_colour());
  auto detector =
      HogDetector::create(context, workers, red_bar_model(), search(1.1, 8), {}, 0, 320, 240);
  TEST_ASSERT_OK(detector);
  TEST_ASSERT_TRUE((*detector)->needs_colour());
  DetectionList found;
  const ColourStreet street =
      ColourStreet{320, 240}.bar(48, 72, 120, 120, 120).bar(208, 72, 220, 30, 30);
  TEST_ASSERT_OK((*detector)->detect(prepared(street), found));
  TEST_ASSERT_EQUAL_INT(1, found.count);
  expect_bar(208, 72, found.items[0]);
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    (*detector)->detect(prepared(street.green()), found));  // no colour
  TEST_ASSERT_EQUAL_INT(0, found.count);
  PreparedImage other = prepared(street);
  other.rgb.width = 319;
  TEST_ASSERT_ERROR(Errc::invalid_argument, (*detector)->detect(other, found));
}

TEST(colour_is_its_engine_and_its_fusion) {
  const Context context = cpu_context();
  Workers workers{2};
  const hog::Model model = model_for(kCascadeCases[13], 2);  // colour
  TEST_ASSERT_TRUE(hog::needs_colour(model));
  const Scene scene{103, 167, 3, 4};
  auto engine = hog::make_engine(context, workers, model, search(1.2, 8), 103, 167);
  TEST_ASSERT_OK(engine);
  auto fuser = hog::Fusion::create({});
  TEST_ASSERT_OK(fuser);
  const auto hits = (*engine)->search(scene.picture(), 0);
  TEST_ASSERT_OK(hits);
  DetectionList expected, actual;
  (*fuser)->fuse(*hits, model.geometry(), (*engine)->plan(), expected);
  auto detector = HogDetector::create(context, workers, model, search(1.2, 8), {}, 0, 103, 167);
  TEST_ASSERT_OK(detector);
  PreparedImage image = prepared(scene.view());
  image.rgb = scene.picture().rgb;
  TEST_ASSERT_OK((*detector)->detect(image, actual));
  expect_same_people(expected, actual, "colour");
  TEST_ASSERT_GREATER_THAN_INT(0, expected.count);
}

TEST(a_frame_allocates_nothing) {
  const Context context = cpu_context();
  Workers workers{2};
  const Street empty{320, 240};
  const Street busy = Street{320, 240}.bar(48, 64).bar(208, 72);
  auto detector =
      HogDetector::create(context, workers, bar_model(), search(1.1, 8), {}, 0, 320, 240);
  TEST_ASSERT_OK(detector);
  DetectionList found;
  const std::uint64_t at_first = kerb::test::allocations();
  TEST_ASSERT_GREATER_THAN_UINT64(0, at_first);  // the counter does count
  bool good = static_cast<bool>((*detector)->detect(prepared(busy.view()), found));
  const std::uint64_t before = kerb::test::allocations();
  for (int i = 0; i < 10; ++i)
    good &= static_cast<bool>(
        (*detector)->detect(prepared(i % 2 == 0 ? busy.view() : empty.view()), found));
  TEST_ASSERT_EQUAL_UINT64(before, kerb::test::allocations());
  TEST_ASSERT_TRUE(good);

  auto in_colour =
      HogDetector::create(context, workers, red_bar_model(), search(1.1, 8), {}, 0, 320, 240);
  TEST_ASSERT_OK(in_colour);
  const ColourStreet street = ColourStreet{320, 240}.bar(208, 72, 220, 30, 30);
  good = static_cast<bool>((*in_colour)->detect(prepared(street), found));
  const std::uint64_t coloured = kerb::test::allocations();
  for (int i = 0; i < 10; ++i)
    good &= static_cast<bool>((*in_colour)->detect(prepared(street), found));
  TEST_ASSERT_EQUAL_UINT64(coloured, kerb::test::allocations());
  TEST_ASSERT_TRUE(good && found.count == 1);
}

TEST(what_it_is_not_made_for) {
  const Context context = cpu_context();
  Workers workers{1};
  const auto made = [&](const hog::Model& model, const hog::SearchSettings& settings,
                        const hog::FusionSettings& fusion, float threshold, int width, int height) {
    return HogDetector::create(context, workers, model, settings, fusion, threshold, width, height);
  };
  const hog::SearchSettings plain = search(1.2, 8);
  TEST_ASSERT_OK(made(bar_model(), plain, {}, 0, 64, 128));  // exactly one window
  for (const float number :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
    TEST_ASSERT_ERROR(Errc::invalid_argument, made(bar_model(), plain, {}, number, 64, 128));
  TEST_ASSERT_ERROR(Errc::invalid_argument, made(bar_model(), plain, {}, 0, 63, 128));
  TEST_ASSERT_ERROR(Errc::invalid_argument, made(bar_model(), plain, {}, 0, 0, 0));
  TEST_ASSERT_ERROR(Errc::invalid_argument, made(bar_model(), search(0.9, 8), {}, 0, 64, 128));
  hog::SearchSettings giants = plain;
  giants.min_height = 500;
  TEST_ASSERT_ERROR(Errc::invalid_argument, made(bar_model(), giants, {}, 0, 320, 240));
  hog::FusionSettings wrong;
  wrong.overlap = 2;
  TEST_ASSERT_ERROR(Errc::invalid_argument, made(bar_model(), plain, wrong, 0, 64, 128));
  hog::Model broken = bar_model();
  std::get<hog::CascadeModel>(broken.kind).stages.clear();
  TEST_ASSERT_ERROR(Errc::invalid_argument, made(broken, plain, {}, 0, 64, 128));
  TEST_ASSERT_OK(made(tree_cascade(), plain, {}, 0, 64, 128));  // colour
}

TEST(a_picture_of_another_size_is_refused_and_finds_nobody) {
  const Context context = cpu_context();
  Workers workers{1};
  auto detector =
      HogDetector::create(context, workers, bar_model(), search(1.1, 8), {}, 0, 320, 240);
  TEST_ASSERT_OK(detector);
  DetectionList found;
  const Street good = Street{320, 240}.bar(80, 72);
  TEST_ASSERT_OK((*detector)->detect(prepared(good.view()), found));
  TEST_ASSERT_EQUAL_INT(1, found.count);
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    (*detector)->detect(prepared(Street{321, 240}.view()), found));
  TEST_ASSERT_EQUAL_INT(0, found.count);
  TEST_ASSERT_ERROR(Errc::invalid_argument, (*detector)->detect(PreparedImage{}, found));
  TEST_ASSERT_OK((*detector)->detect(prepared(good.view()), found));  // and still works
  TEST_ASSERT_EQUAL_INT(1, found.count);
}

}  // namespace
