// SPDX-License-Identifier: Apache-2.0
#include "firmware/main/spectral_matcher.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

#include "tests/support/allocations.hpp"
#include "tests/support/random.hpp"
#include "tests/support/unity.hpp"

using namespace kerb;

void setUp() {}
void tearDown() {}

namespace {

constexpr int kWidth = 960, kHeight = 540, kMosaic = 3, kBands = kMosaic * kMosaic;
const std::vector<double> kNm = {460, 520, 580, 640, 690, 760, 810, 900, 960};

using Cloth = std::vector<double>;  // of each band
const Cloth kWall(kBands, 90);
// As bright as the wall in all bands together.
const Cloth kRed = {90, 90, 90, 90, 90, 160, 160, 20, 20};
const Cloth kFar = {90, 90, 90, 90, 90, 20, 20, 160, 160};

FrameSourceInfo camera(int mosaic = kMosaic) {
  FrameSourceInfo info;
  info.width = kWidth;
  info.height = kHeight;
  info.mosaic = mosaic;
  return info;
}

/// Planes of a wall with patches on it, and noise.
class Picture {
 public:
  explicit Picture(int mosaic = kMosaic, std::uint64_t seed = 1)
      : bands_{mosaic * mosaic},
        mosaic_{mosaic},
        w_{kWidth / mosaic},
        h_{kHeight / mosaic},
        samples_(static_cast<std::size_t>(bands_ * w_ * h_)),
        random_{seed} {
    fill({0, 0, kWidth, kHeight, 0}, Cloth(static_cast<std::size_t>(bands_), 90));
    image.bands = {samples_.data(), bands_, w_, h_, w_, std::ptrdiff_t{w_} * h_};
  }
  void fill(const Detection& box, const Cloth& cloth, double light = 1) {
    const auto n = static_cast<float>(mosaic_);
    for (int y = 0; y < h_; ++y)
      for (int x = 0; x < w_; ++x) {
        const float px = (static_cast<float>(x) + 0.5F) * n,
                    py = (static_cast<float>(y) + 0.5F) * n;
        if (px < box.x || px >= box.x + box.w || py < box.y || py >= box.y + box.h) continue;
        for (int b = 0; b < bands_; ++b) {
          const double noise = static_cast<double>(random_.next() % 9) - 4;
          samples_[static_cast<std::size_t>((b * h_ + y) * w_ + x)] = static_cast<std::uint16_t>(
              std::lround(std::max(0.0, light * cloth[static_cast<std::size_t>(b)] + noise)));
        }
      }
  }
  PreparedImage image;

 private:
  int bands_, mosaic_, w_, h_;
  std::vector<std::uint16_t> samples_;
  test::Random random_;
};

struct Bench {
  explicit Bench(const std::vector<double>& nm = kNm, int mosaic = kMosaic)
      : context{std::move(*Context::create(BackendChoice::cpu))} {
    Result<std::unique_ptr<SpectralMatcher>> made =
        make_spectral_matcher(context, workers, camera(mosaic), {nm, 0.2});
    TEST_ASSERT_OK(made);
    matcher = std::move(*made);
  }
  SpectralMatcher::Found look(const Picture& picture, const Detection& region,
                              const Detection& size, int place = 0) {
    const SpectralMatcher::Search search{place, region, size};
    SpectralMatcher::Found found;
    TEST_ASSERT_OK(matcher->look(picture.image, &search, 1, &found));
    return found;
  }
  void learn(const Picture& picture, const Detection& box, int place = 0) {
    const Result<bool> learned = matcher->learn(picture.image, place, box, 1);
    TEST_ASSERT_OK(learned);
    TEST_ASSERT_TRUE(*learned);
  }
  Workers workers{1};
  Context context;
  std::unique_ptr<SpectralMatcher> matcher;
};

constexpr Detection kBody{300, 200, 60, 90, 0};
constexpr Detection kRegion{180, 150, 320, 200, 0};

void test_cloth_as_bright_as_the_wall_is_found_by_its_bands() {
  Bench b;
  Picture first;
  first.fill(kBody, kRed);
  b.learn(first, kBody);
  // Next it is elsewhere, and less light falls on it.
  Picture next{kMosaic, 2};
  next.fill({390, 200, 60, 90, 0}, kRed, 0.9);
  const SpectralMatcher::Found found = b.look(next, kRegion, kBody);
  TEST_ASSERT_TRUE(found.known);
  TEST_ASSERT_FLOAT_WITHIN(5, 420, found.x);
  TEST_ASSERT_FLOAT_WITHIN(12, 245, found.y);
  TEST_ASSERT_TRUE(found.likeness > 0.5F);
  TEST_ASSERT_TRUE(found.surrounding < 0.1F);
  TEST_ASSERT_TRUE(b.matcher->likeness(0, {390, 200, 60, 90, 0}) > 0.5F);
  TEST_ASSERT_TRUE(b.matcher->likeness(0, {220, 200, 60, 90, 0}) < 0.1F);
  TEST_ASSERT_TRUE(b.matcher->likeness(0, {700, 200, 60, 90, 0}) < 0);
}

void test_two_as_bright_as_each_other_are_told_apart_in_one_look() {
  Bench b;
  Picture picture;
  const Detection other{420, 200, 60, 90, 0};
  picture.fill(kBody, kRed);
  picture.fill(other, kFar);
  b.learn(picture, kBody, 3);
  b.learn(picture, other, 5);
  const SpectralMatcher::Search searches[] = {{3, kRegion, kBody}, {5, kRegion, other}};
  SpectralMatcher::Found found[2];
  TEST_ASSERT_OK(b.matcher->look(picture.image, searches, 2, found));
  TEST_ASSERT_FLOAT_WITHIN(5, 330, found[0].x);
  TEST_ASSERT_FLOAT_WITHIN(5, 450, found[1].x);
  TEST_ASSERT_TRUE(b.matcher->likeness(0, kBody) > 0.8F);
  TEST_ASSERT_TRUE(b.matcher->likeness(0, other) < 0.1F);
  TEST_ASSERT_TRUE(b.matcher->likeness(1, kBody) < 0.1F);
  TEST_ASSERT_TRUE(b.matcher->likeness(1, other) > 0.8F);
}

void test_wavelengths_need_not_be_known_and_many_bands_are_pooled() {
  for (const int mosaic : {2, 4, 5}) {
    Bench b{{}, mosaic};
    Picture picture{mosaic};
    Cloth cloth(static_cast<std::size_t>(mosaic * mosaic), 90);
    for (std::size_t i = 0; i < cloth.size() / 2; ++i) cloth[i] = 150;
    picture.fill(kBody, cloth);
    b.learn(picture, kBody);
    const SpectralMatcher::Found found = b.look(picture, kRegion, kBody);
    TEST_ASSERT_FLOAT_WITHIN(8, 330, found.x);
    TEST_ASSERT_TRUE(found.likeness > 0.7F);
  }
}

void test_a_model_follows_slowly() {
  Bench b;
  Picture before, after;
  before.fill(kBody, kRed);
  after.fill(kBody, kFar);
  b.learn(before, kBody);
  b.look(after, kRegion, kBody);
  TEST_ASSERT_TRUE(b.matcher->likeness(0, kBody) < 0.1F);
  for (int i = 0; i < 100; ++i) TEST_ASSERT_OK(b.matcher->learn(after.image, 0, kBody, 0.05F));
  b.look(after, kRegion, kBody);
  TEST_ASSERT_TRUE(b.matcher->likeness(0, kBody) > 0.8F);
}

void test_what_makes_no_sense_is_refused() {
  Bench b;
  Picture picture, other{2};
  picture.fill(kBody, kRed);
  SpectralMatcher::Search search{0, kRegion, kBody};
  SpectralMatcher::Found found;
  TEST_ASSERT_ERROR(Errc::invalid_argument, b.matcher->look(picture.image, &search, 1, &found));
  b.learn(picture, kBody);
  TEST_ASSERT_OK(b.matcher->look(picture.image, &search, 1, &found));
  TEST_ASSERT_ERROR(Errc::invalid_argument, b.matcher->look(picture.image, &search, 0, &found));
  TEST_ASSERT_ERROR(Errc::invalid_argument, b.matcher->look(picture.image, &search, 9, &found));
  TEST_ASSERT_ERROR(Errc::invalid_argument, b.matcher->look(other.image, &search, 1, &found));
  TEST_ASSERT_ERROR(Errc::invalid_argument, b.matcher->look(PreparedImage{}, &search, 1, &found));
  search.place = 9;
  TEST_ASSERT_ERROR(Errc::invalid_argument, b.matcher->look(picture.image, &search, 1, &found));
  b.matcher->forget(0);
  search.place = 0;
  TEST_ASSERT_ERROR(Errc::invalid_argument, b.matcher->look(picture.image, &search, 1, &found));
  const Result<bool> outside = b.matcher->learn(picture.image, 0, {-500, 0, 60, 90, 0}, 1);
  TEST_ASSERT_OK(outside);
  TEST_ASSERT_FALSE(*outside);
  TEST_ASSERT_ERROR(Errc::unsupported,
                    make_spectral_matcher(b.context, b.workers, camera(0), {{}, 0.6}));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    make_spectral_matcher(b.context, b.workers, camera(), {{450, 550}, 0.6}));
}

void test_boxes_anywhere_are_survived() {
  Bench b;
  Picture picture;
  picture.fill(kBody, kRed);
  b.learn(picture, kBody);
  test::Random random{3};
  const auto any = [&] { return static_cast<float>(random.next() % 3000) - 1000; };
  for (int i = 0; i < 500; ++i) {
    const SpectralMatcher::Found found =
        b.look(picture, {any(), any(), any(), any(), 0}, {0, 0, any() / 10, any() / 10, 0});
    if (found.known) TEST_ASSERT_TRUE(found.likeness >= 0 && found.likeness <= 1);
    static_cast<void>(b.matcher->likeness(0, {any(), any(), any(), any(), 0}));
  }
}

void test_nothing_is_allocated() {
  Bench b;
  Picture picture;
  picture.fill(kBody, kRed);
  SpectralMatcher::Search searches[SpectralMatcher::kPlaces];
  SpectralMatcher::Found found[SpectralMatcher::kPlaces];
  for (int i = 0; i < SpectralMatcher::kPlaces; ++i) {
    b.learn(picture, {kBody.x + 20 * static_cast<float>(i), kBody.y, kBody.w, kBody.h, 0}, i);
    searches[i] = {i, kRegion, kBody};
  }
  const std::uint64_t before = test::allocations();
  for (int count = 1; count <= SpectralMatcher::kPlaces; ++count) {
    TEST_ASSERT_OK(b.matcher->look(picture.image, searches, count, found));
    TEST_ASSERT_OK(b.matcher->learn(picture.image, count - 1, kBody, 0.5F));
  }
  TEST_ASSERT_EQUAL_UINT64(before, test::allocations());
}

/// For people: how like itself cloth is when less light falls on it than on all around.
void print_light() {
  for (const double light : {1.0, 0.9, 0.8, 0.7, 0.5}) {
    Bench b;
    Picture first, next{kMosaic, 2};
    first.fill(kBody, kRed);
    next.fill(kBody, kRed, light);
    b.learn(first, kBody);
    std::printf("%.1f of the light: likeness %.2f\n", light,
                static_cast<double>(b.look(next, kRegion, kBody).likeness));
  }
}

/// For people: what a look and a lesson take.
void print_times() {
  Bench b;
  Picture picture;
  picture.fill(kBody, kRed);
  SpectralMatcher::Search searches[SpectralMatcher::kPlaces];
  SpectralMatcher::Found found[SpectralMatcher::kPlaces];
  for (int i = 0; i < SpectralMatcher::kPlaces; ++i) {
    b.learn(picture, {kBody.x + 5 * static_cast<float>(i), kBody.y, kBody.w, kBody.h, 0}, i);
    searches[i] = {
        i, {kRegion.x + 40 * static_cast<float>(i), kRegion.y, kRegion.w, kRegion.h, 0}, kBody};
  }
  for (const int count : {1, 2, 4, 8}) {
    double best = 1e9, first = 0;
    for (std::uint64_t i = 0; i < 10; ++i) {
      Picture now{kMosaic, 10 + i};
      now.fill(kBody, kRed);
      const auto start = std::chrono::steady_clock::now();
      TEST_ASSERT_OK(b.matcher->look(now.image, searches, count, found));
      TEST_ASSERT_OK(b.matcher->learn(now.image, 0, kBody, 0.03F));
      const std::chrono::duration<double, std::milli> took =
          std::chrono::steady_clock::now() - start;
      best = std::min(best, took.count());
      if (i == 0) first = took.count();
    }
    std::printf("%d looked for: %.2f ms the first time, %.2f ms the best of ten\n", count, first,
                best);
  }
}

}  // namespace

int main() {
  UNITY_BEGIN();
  RUN_TEST(test_cloth_as_bright_as_the_wall_is_found_by_its_bands);
  RUN_TEST(test_two_as_bright_as_each_other_are_told_apart_in_one_look);
  RUN_TEST(test_wavelengths_need_not_be_known_and_many_bands_are_pooled);
  RUN_TEST(test_a_model_follows_slowly);
  RUN_TEST(test_what_makes_no_sense_is_refused);
  RUN_TEST(test_boxes_anywhere_are_survived);
  RUN_TEST(test_nothing_is_allocated);
  print_light();
  print_times();
  return UNITY_END();
}
