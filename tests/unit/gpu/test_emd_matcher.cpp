// SPDX-License-Identifier: Apache-2.0
#include "gpu/emd/matcher.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

#include "tests/support/allocations.hpp"
#include "tests/support/random.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/band_picture.hpp"

using namespace kerb;
using namespace kerb::test;

namespace {

struct Bench {
  explicit Bench(const std::vector<double>& nm = kNm, int mosaic = kMosaic)
      : context{std::move(*Context::create(BackendChoice::cpu))} {
    Result<std::unique_ptr<SpectralMatcher>> made =
        EmdMatcher::create(context, workers, band_camera(mosaic), {nm, 0.2});
    TEST_ASSERT_OK(made);
    matcher = std::move(*made);
  }
  SpectralMatcher::Found look(const BandPicture& picture, const Detection& region,
                              const Detection& size, int place = 0) {
    const SpectralMatcher::Search search{place, region, size};
    SpectralMatcher::Found found;
    TEST_ASSERT_OK(matcher->search(picture.image, &search, 1, &found));
    return found;
  }
  void learn(const BandPicture& picture, const Detection& box, int place = 0) {
    const Result<bool> learned = matcher->learn(picture.image, place, box, 1);
    TEST_ASSERT_OK(learned);
    TEST_ASSERT_TRUE(*learned);
  }
  /// All places, each with the model of a box `apart` from the last.
  void learn_all(const BandPicture& picture, float apart) {
    for (int i = 0; i < SpectralMatcher::kPlaces; ++i) {
      learn(picture, moved(kBody, apart * static_cast<float>(i)), i);
      searches[i] = {i, kRegion, kBody};
    }
  }
  SpectralMatcher::Search searches[SpectralMatcher::kPlaces];
  SpectralMatcher::Found all_found[SpectralMatcher::kPlaces];
  Workers workers{1};
  Context context;
  std::unique_ptr<SpectralMatcher> matcher;
};

TEST(cloth_as_bright_as_the_wall_is_found_by_its_bands) {
  Bench b;
  b.learn(dressed(kRed), kBody);
  // Next it is elsewhere, and less light falls on it.
  const Detection there = moved(kBody, 90);
  BandPicture next{kMosaic, 2};
  next.fill(there, kRed, 0.9);
  const SpectralMatcher::Found found = b.look(next, kRegion, kBody);
  TEST_ASSERT_TRUE(found.known);
  TEST_ASSERT_FLOAT_WITHIN(5, 420, found.x);
  TEST_ASSERT_FLOAT_WITHIN(12, 245, found.y);
  TEST_ASSERT_TRUE(found.likeness > 0.5F);
  TEST_ASSERT_TRUE(found.surrounding < 0.1F);
  TEST_ASSERT_TRUE(b.matcher->likeness(0, there) > 0.5F);
  TEST_ASSERT_TRUE(b.matcher->likeness(0, moved(kBody, -80)) < 0.1F);
  TEST_ASSERT_TRUE(b.matcher->likeness(0, moved(kBody, 400)) < 0);
}

TEST(two_as_bright_as_each_other_are_told_apart_in_one_look) {
  Bench b;
  BandPicture picture = dressed(kRed);
  const Detection other = moved(kBody, 120);
  picture.fill(other, kFar);
  b.learn(picture, kBody, 3);
  b.learn(picture, other, 5);
  const SpectralMatcher::Search searches[] = {{3, kRegion, kBody}, {5, kRegion, other}};
  SpectralMatcher::Found found[2];
  TEST_ASSERT_OK(b.matcher->search(picture.image, searches, 2, found));
  TEST_ASSERT_FLOAT_WITHIN(5, 330, found[0].x);
  TEST_ASSERT_FLOAT_WITHIN(5, 450, found[1].x);
  TEST_ASSERT_TRUE(b.matcher->likeness(0, kBody) > 0.8F);
  TEST_ASSERT_TRUE(b.matcher->likeness(0, other) < 0.1F);
  TEST_ASSERT_TRUE(b.matcher->likeness(1, kBody) < 0.1F);
  TEST_ASSERT_TRUE(b.matcher->likeness(1, other) > 0.8F);
}

TEST(wavelengths_need_not_be_known_and_many_bands_are_pooled) {
  for (const int mosaic : {2, 4, 5}) {
    Bench b{{}, mosaic};
    BandPicture picture{mosaic};
    Cloth cloth(static_cast<std::size_t>(mosaic * mosaic), 90);
    for (std::size_t i = 0; i < cloth.size() / 2; ++i) cloth[i] = 150;
    picture.fill(kBody, cloth);
    b.learn(picture, kBody);
    const SpectralMatcher::Found found = b.look(picture, kRegion, kBody);
    TEST_ASSERT_FLOAT_WITHIN(8, 330, found.x);
    TEST_ASSERT_TRUE(found.likeness > 0.7F);
  }
}

TEST(a_model_follows_slowly) {
  Bench b;
  const BandPicture before = dressed(kRed), after = dressed(kFar);
  b.learn(before, kBody);
  b.look(after, kRegion, kBody);
  TEST_ASSERT_TRUE(b.matcher->likeness(0, kBody) < 0.1F);
  for (int i = 0; i < 100; ++i) TEST_ASSERT_OK(b.matcher->learn(after.image, 0, kBody, 0.05F));
  b.look(after, kRegion, kBody);
  TEST_ASSERT_TRUE(b.matcher->likeness(0, kBody) > 0.8F);
}

TEST(cloth_stands_out_from_the_wall_in_noise) {
  // Somebody far away, a sample of a plane for each place; then near, in places of many.
  const Detection far{300, 200, 18, 27, 0}, near{280, 170, 108, 162, 0};
  BandPicture before{kMosaic, 1, 90}, after{kMosaic, 2, 90}, later{kMosaic, 3, 90};
  before.fill(far, kRed);
  after.fill(moved(far, 30), kRed);
  later.fill(near, kRed);
  Bench b;
  b.learn(before, far);
  const SpectralMatcher::Found found = b.look(after, {240, 180, 150, 60, 0}, far);
  TEST_ASSERT_FLOAT_WITHIN(6, 339, found.x);
  TEST_ASSERT_TRUE(found.likeness > 0.6F);
  TEST_ASSERT_TRUE(found.surrounding < 0.5F * found.likeness);
  const SpectralMatcher::Found closer = b.look(later, {100, 120, 480, 260, 0}, near);
  TEST_ASSERT_FLOAT_WITHIN(20, 334, closer.x);
  TEST_ASSERT_TRUE(closer.likeness > 0.6F);
  TEST_ASSERT_TRUE(closer.surrounding < 0.5F * closer.likeness);
}

TEST(a_probe_keeps_models_and_forgets_the_look) {
  Bench b;
  const BandPicture picture = dressed(kRed);
  b.learn(picture, kBody);
  const SpectralMatcher::Found before = b.look(picture, kRegion, kBody);
  TEST_ASSERT_OK(b.matcher->probe());
  TEST_ASSERT_TRUE(b.matcher->likeness(0, kBody) < 0);
  const SpectralMatcher::Found after = b.look(picture, kRegion, kBody);
  TEST_ASSERT_EQUAL_FLOAT(before.x, after.x);
  TEST_ASSERT_EQUAL_FLOAT(before.likeness, after.likeness);
}

TEST(what_makes_no_sense_is_refused) {
  Bench b;
  const BandPicture picture = dressed(kRed), other{2};
  SpectralMatcher::Search search{0, kRegion, kBody};
  SpectralMatcher::Found found;
  TEST_ASSERT_ERROR(Errc::invalid_argument, b.matcher->search(picture.image, &search, 1, &found));
  b.learn(picture, kBody);
  TEST_ASSERT_OK(b.matcher->search(picture.image, &search, 1, &found));
  TEST_ASSERT_ERROR(Errc::invalid_argument, b.matcher->search(picture.image, &search, 0, &found));
  TEST_ASSERT_ERROR(Errc::invalid_argument, b.matcher->search(picture.image, &search, 9, &found));
  TEST_ASSERT_ERROR(Errc::invalid_argument, b.matcher->search(other.image, &search, 1, &found));
  TEST_ASSERT_ERROR(Errc::invalid_argument, b.matcher->search(PreparedImage{}, &search, 1, &found));
  search.place = 9;
  TEST_ASSERT_ERROR(Errc::invalid_argument, b.matcher->search(picture.image, &search, 1, &found));
  b.matcher->forget(0);
  search.place = 0;
  TEST_ASSERT_ERROR(Errc::invalid_argument, b.matcher->search(picture.image, &search, 1, &found));
  const Result<bool> outside = b.matcher->learn(picture.image, 0, {-500, 0, 60, 90, 0}, 1);
  TEST_ASSERT_OK(outside);
  TEST_ASSERT_FALSE(*outside);
  TEST_ASSERT_ERROR(Errc::unsupported,
                    EmdMatcher::create(b.context, b.workers, band_camera(0), {{}, 0.6}));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    EmdMatcher::create(b.context, b.workers, band_camera(), {{450, 550}, 0.6}));
}

TEST(boxes_anywhere_are_survived) {
  Bench b;
  const BandPicture picture = dressed(kRed);
  b.learn(picture, kBody);
  Random random{3};
  const auto any = [&] { return static_cast<float>(random.next() % 3000) - 1000; };
  for (int i = 0; i < 500; ++i) {
    const SpectralMatcher::Found found =
        b.look(picture, {any(), any(), any(), any(), 0}, {0, 0, any() / 10, any() / 10, 0});
    if (found.known) TEST_ASSERT_TRUE(found.likeness >= 0 && found.likeness <= 1);
    static_cast<void>(b.matcher->likeness(0, {any(), any(), any(), any(), 0}));
  }
}

TEST(nothing_is_allocated) {
  Bench b;
  const BandPicture picture = dressed(kRed);
  b.learn_all(picture, 20);
  const std::uint64_t before = test::allocations();
  for (int count = 1; count <= SpectralMatcher::kPlaces; ++count) {
    TEST_ASSERT_OK(b.matcher->search(picture.image, b.searches, count, b.all_found));
    TEST_ASSERT_OK(b.matcher->learn(picture.image, count - 1, kBody, 0.5F));
    TEST_ASSERT_OK(b.matcher->probe());
  }
  TEST_ASSERT_EQUAL_UINT64(before, test::allocations());
}

/// For people: how like itself cloth is when less light falls on it than on all around.
TEST(print_light) {
  for (const double light : {1.0, 0.9, 0.8, 0.7, 0.5}) {
    Bench b;
    b.learn(dressed(kRed), kBody);
    std::printf("%.1f of the light: likeness %.2f\n", light,
                static_cast<double>(b.look(dressed(kRed, 2, light), kRegion, kBody).likeness));
  }
}

/// For people: what a look and a lesson take.
TEST(print_times) {
  Bench b;
  b.learn_all(dressed(kRed), 5);
  for (int i = 0; i < SpectralMatcher::kPlaces; ++i)
    b.searches[i].region = moved(kRegion, 40 * static_cast<float>(i));
  for (const int count : {1, 2, 4, 8}) {
    double best = 1e9, first = 0;
    for (std::uint64_t i = 0; i < 10; ++i) {
      const BandPicture now = dressed(kRed, 10 + i);
      const auto start = std::chrono::steady_clock::now();
      TEST_ASSERT_OK(b.matcher->search(now.image, b.searches, count, b.all_found));
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
