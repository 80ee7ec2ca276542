// SPDX-License-Identifier: Apache-2.0
// Who follows somebody by bands, and by colours.
#include <cmath>
#include <functional>
#include <vector>

#include "tests/support/random.hpp"
#include "tests/support/test.hpp"
#include "tools/spectral/band_follower.hpp"
#include "tools/spectral/colour_follower.hpp"

using namespace kerb;
using namespace kerb::spectral;

namespace {

constexpr int kWidth = 600, kHeight = 300, kMosaic = 3;
constexpr float kTall = 300;
const std::vector<double> kNm = {460, 520, 580, 640, 690, 760, 810, 900, 960};
// As bright as the wall, but not in the same bands.
constexpr int kWall[9] = {90, 90, 90, 90, 90, 90, 90, 90, 90};
constexpr int kCloth[9] = {90, 90, 90, 90, 90, 160, 160, 20, 20};

Detection body_at(float x) { return {x, 120, 54, 90, 0}; }

bool is_body(const Detection& body, int x, int y) {
  const auto px = static_cast<float>(x) + 0.5F, py = static_cast<float>(y) + 0.5F;
  return px >= body.x && px < body.x + body.w && py >= body.y && py < body.y + body.h;
}

/// The picture of a mosaic camera: the cloth, where somebody is, before the wall.
std::vector<std::uint8_t> mosaic_of(const Detection& body, std::uint64_t seed) {
  test::Random random{seed};
  std::vector<std::uint8_t> out;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const int band = y % kMosaic * kMosaic + x % kMosaic;
      const int value = (is_body(body, x, y) ? kCloth : kWall)[band];
      out.push_back(static_cast<std::uint8_t>(value + static_cast<int>(random.next() % 9) - 4));
    }
  return out;
}

struct ByBands {
  explicit ByBands(bool draws = false) : context{std::move(*Context::create(BackendChoice::cpu))} {
    FrameSourceInfo info;
    info.width = kWidth;
    info.height = kHeight;
    info.mosaic = kMosaic;
    Result<BandFollower> made = BandFollower::create(context, workers, info, {kNm, 0.2}, draws);
    TEST_ASSERT_OK(made);
    follower = std::make_unique<BandFollower>(std::move(*made));
  }
  void show(const Detection& body, std::uint64_t seed) {
    TEST_ASSERT_OK(follower->show(mosaic_of(body, seed).data()));
  }
  Workers workers{1};
  Context context;
  std::unique_ptr<BandFollower> follower;
};

TEST(bands_follow_whom_nothing_but_bands_can_tell_from_the_wall) {
  ByBands b;
  Detection body = body_at(90);
  b.show(body, 1);
  TEST_ASSERT_OK(b.follower->begin(body, kTall));
  for (int i = 1; i <= 30; ++i) {
    const float x = 90 + 9 * static_cast<float>(i);
    b.show(body_at(x), static_cast<std::uint64_t>(i) + 1);
    TEST_ASSERT_OK(b.follower->follow(body));
    TEST_ASSERT_FLOAT_WITHIN(6, x, body.x);
  }
  TEST_ASSERT_EQUAL_FLOAT(120, body.y);  // across alone
}

TEST(without_anything_like_it_the_body_stays) {
  ByBands b;
  Detection body = body_at(200);
  b.show(body, 1);
  TEST_ASSERT_OK(b.follower->begin(body, kTall));
  b.show(body_at(-500), 2);
  TEST_ASSERT_OK(b.follower->follow(body));
  TEST_ASSERT_EQUAL_FLOAT(200, body.x);
  // And is found again, as nothing else was learned meanwhile.
  b.show(body_at(230), 3);
  TEST_ASSERT_OK(b.follower->follow(body));
  TEST_ASSERT_FLOAT_WITHIN(6, 230, body.x);
}

TEST(the_picture_of_likeness_is_bright_where_the_body_is) {
  ByBands b{true};
  const Detection body = body_at(210);
  b.show(body, 1);
  TEST_ASSERT_OK(b.follower->begin(body, kTall));
  const Result<std::vector<std::uint8_t>> like = b.follower->likeness();
  TEST_ASSERT_OK(like);
  TEST_ASSERT_EQUAL_size_t(static_cast<std::size_t>(b.follower->width() * b.follower->height()),
                           like->size());
  double in = 0, out = 0;
  int ins = 0, outs = 0;
  for (int y = 0; y < b.follower->height(); ++y)
    for (int x = 0; x < b.follower->width(); ++x) {
      const bool is = is_body(body, kMosaic * x + 1, kMosaic * y + 1);
      (is ? in : out) += (*like)[static_cast<std::size_t>(y * b.follower->width() + x)];
      ++(is ? ins : outs);
    }
  TEST_ASSERT_TRUE(in / ins > 150);
  TEST_ASSERT_TRUE(out / outs < 20);
}

TEST(drawing_does_not_change_where_it_goes) {
  ByBands plain, drawn{true};
  Detection one = body_at(90), other = one;
  for (ByBands* b : {&plain, &drawn}) {
    b->show(one, 1);
    TEST_ASSERT_OK(b->follower->begin(one, kTall));
  }
  for (int i = 1; i <= 8; ++i) {
    for (ByBands* b : {&plain, &drawn})
      b->show(body_at(90 + 9 * static_cast<float>(i)), static_cast<std::uint64_t>(i) + 1);
    TEST_ASSERT_OK(plain.follower->follow(one));
    TEST_ASSERT_OK(drawn.follower->follow(other));
    TEST_ASSERT_OK(drawn.follower->likeness());
    TEST_ASSERT_TRUE(one.x == other.x);
  }
}

TEST(what_cannot_be_followed_is_refused) {
  ByBands b;
  b.show(body_at(90), 1);
  TEST_ASSERT_ERROR(Errc::invalid_argument, b.follower->begin({90, 120, 4, 4, 0}, kTall));
  TEST_ASSERT_ERROR(Errc::invalid_argument, b.follower->begin(body_at(-500), kTall));
  Detection body = body_at(90);
  TEST_ASSERT_ERROR(Errc::invalid_argument, b.follower->follow(body));  // nothing was learned
  TEST_ASSERT_ERROR(Errc::unsupported, b.follower->likeness());
  FrameSourceInfo plain;
  plain.width = kWidth;
  plain.height = kHeight;
  TEST_ASSERT_ERROR(Errc::unsupported,
                    BandFollower::create(b.context, b.workers, plain, {}, false));
}

/// Cloth of one colour before a wall of another, in three bytes a pixel.
std::vector<std::uint8_t> colours_of(const Detection& body, const std::uint8_t (&cloth)[3]) {
  constexpr std::uint8_t kGrey[3] = {90, 90, 90};
  std::vector<std::uint8_t> out;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      for (const std::uint8_t c : is_body(body, x, y) ? cloth : kGrey) out.push_back(c);
  return out;
}

float followed_by_colours(const std::uint8_t (&cloth)[3]) {
  ColourFollower follower;
  Detection body = body_at(90);
  std::vector<std::uint8_t> picture = colours_of(body, cloth);
  follower.show(picture.data(), kWidth, kHeight);
  follower.begin(body, kTall);
  for (int i = 1; i <= 30; ++i) {
    picture = colours_of(body_at(90 + 9 * static_cast<float>(i)), cloth);
    follower.show(picture.data(), kWidth, kHeight);
    follower.follow(body);
  }
  return body.x;
}

TEST(colours_follow_who_wears_some_and_lose_who_does_not) {
  TEST_ASSERT_FLOAT_WITHIN(2, 360, followed_by_colours({200, 30, 30}));
  TEST_ASSERT_TRUE(std::abs(followed_by_colours({90, 90, 90}) - 360) > 100);
}

TEST(colours_at_the_rim_are_survived) {
  ColourFollower follower;
  const std::vector<std::uint8_t> picture = colours_of(body_at(0), {200, 30, 30});
  follower.show(picture.data(), kWidth, kHeight);
  for (const float x : {-40.0F, -200.0F, 0.0F, 560.0F, 900.0F}) {
    Detection body = body_at(x);
    follower.begin(body, kTall);
    follower.follow(body);
    TEST_ASSERT_TRUE(std::isfinite(body.x));
  }
}

}  // namespace
