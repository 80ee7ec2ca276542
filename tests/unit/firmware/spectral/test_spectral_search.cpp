// SPDX-License-Identifier: Apache-2.0
#include "firmware/spectral/spectral_search.hpp"

#include <chrono>
#include <vector>

#include "hal/fake/spectral_matcher.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using std::chrono::milliseconds;
using track::Likeness;
using track::PersonList;
using track::Senses;

namespace {

struct Bench {
  explicit Bench(Nanos budget = Nanos::zero()) {
    auto made = std::make_unique<FakeSpectralMatcher>();
    matcher = made.get();
    watch = std::make_unique<SpectralSearch>(std::move(made), budget);
  }
  void add(std::uint32_t id, float x, bool confirmed = true, bool seen = true) {
    track::Person& p = people->items[people->count++];
    p = {};
    p.id = id;
    p.confirmed = confirmed;
    p.seen = seen;
    p.last_seen = seen ? senses->captured : Nanos::zero();
    p.box = {x, 100, 80, 200, 10};
  }
  bool frame() {
    const Result<bool> looked = watch->search(image, *senses);
    TEST_ASSERT_OK(looked);
    TEST_ASSERT_OK(watch->learn(image, *people));
    return *looked;
  }
  FakeSpectralMatcher* matcher = nullptr;
  std::unique_ptr<SpectralSearch> watch;
  PreparedImage image;
  std::unique_ptr<Senses> senses = std::make_unique<Senses>();
  std::unique_ptr<PersonList> people = std::make_unique<PersonList>();
};

TEST(who_is_sure_and_seen_is_learned_and_then_looked_for) {
  Bench b;
  b.add(7, 250);
  b.add(9, 600, false);  // not sure
  TEST_ASSERT_FALSE(b.frame());
  TEST_ASSERT_EQUAL_INT(1, b.matcher->learned[0]);
  TEST_ASSERT_EQUAL_INT(0, b.matcher->learned[1]);
  TEST_ASSERT_EQUAL_FLOAT(1, b.matcher->last_share);
  b.senses->count = 2;
  b.senses->boxes[0] = {255, 100, 80, 200, 9};
  b.senses->boxes[1] = {500, 100, 80, 200, 9};
  b.matcher->split = 400;
  TEST_ASSERT_TRUE(b.frame());
  TEST_ASSERT_EQUAL_INT(1, b.matcher->asked_count);
  TEST_ASSERT_EQUAL_INT(1, b.senses->likenesses);
  const Likeness& like = b.senses->like[0];
  TEST_ASSERT_EQUAL_UINT32(7, like.id);
  TEST_ASSERT_TRUE(like.found);
  TEST_ASSERT_EQUAL_FLOAT(300, like.column);
  TEST_ASSERT_EQUAL_FLOAT(10, like.sigma_px);
  TEST_ASSERT_EQUAL_UINT8(Likeness::kSame, like.of[0]);
  TEST_ASSERT_EQUAL_UINT8(0, like.of[1]);
  TEST_ASSERT_EQUAL_UINT8(Likeness::kNotLooked, like.of[2]);
  // The upper body, and what is beside it.
  const Detection body = upper_body(b.people->items[0].box), region = b.matcher->asked[0].region;
  TEST_ASSERT_TRUE(region.x < body.x - 60 && region.x + region.w > body.x + body.w + 60);
  TEST_ASSERT_EQUAL_FLOAT(body.w, b.matcher->asked[0].size.w);
}

TEST(who_does_not_stand_out_is_not_found) {
  Bench b;
  b.add(7, 250);
  b.frame();
  b.matcher->says = {true, 300, 200, 0.9F, 0.5F};  // what is around is like them too
  b.frame();
  TEST_ASSERT_FALSE(b.senses->like[0].found);
  b.matcher->says = {true, 300, 200, 0.4F, 0};  // nothing is much like them
  b.frame();
  TEST_ASSERT_FALSE(b.senses->like[0].found);
  b.matcher->says.known = false;
  b.frame();
  TEST_ASSERT_EQUAL_INT(0, b.senses->likenesses);
}

TEST(who_is_covered_or_not_seen_is_not_learned) {
  Bench b;
  b.add(7, 250);
  b.add(8, 270);
  b.frame();
  TEST_ASSERT_EQUAL_INT(0, b.matcher->learned[0]);
  b.people->count = 0;
  b.add(7, 250, true, false);
  b.frame();
  TEST_ASSERT_EQUAL_INT(0, b.matcher->learned[0]);
}

TEST(what_does_not_look_like_them_is_hardly_learned) {
  Bench b;
  b.add(7, 250);
  for (int i = 0; i < 60; ++i) b.frame();
  TEST_ASSERT_FLOAT_WITHIN(1e-6F, 0.03F, b.matcher->last_share);
  b.matcher->like_left = 0.1F;
  b.frame();
  TEST_ASSERT_FLOAT_WITHIN(1e-6F, 0.005F, b.matcher->last_share);
}

TEST(the_region_grows_while_they_are_not_found) {
  Bench b;
  b.add(7, 250);
  b.frame();
  b.frame();
  const float wide = b.matcher->asked[0].region.w;
  b.people->items[0].seen = false;
  b.people->items[0].last_seen = Nanos{-1};
  for (int i = 0; i < 10; ++i) b.frame();
  TEST_ASSERT_TRUE(b.matcher->asked[0].region.w > wide + 20);
}

TEST(the_nearest_eight_have_a_place_and_give_it_back) {
  Bench b;
  for (std::uint32_t i = 0; i < 10; ++i) b.add(i + 1, 100 * static_cast<float>(i));
  b.frame();
  b.frame();
  TEST_ASSERT_EQUAL_INT(8, b.matcher->asked_count);
  b.people->count = 0;
  b.add(3, 200);
  b.frame();
  b.frame();
  TEST_ASSERT_EQUAL_INT(1, b.matcher->asked_count);
  int forgotten = 0;
  for (const int n : b.matcher->forgotten) forgotten += n;
  TEST_ASSERT_EQUAL_INT(7, forgotten);
  TEST_ASSERT_EQUAL_UINT32(3, b.senses->like[0].id);
}

TEST(frames_are_left_out_where_it_takes_longer_than_its_budget) {
  Bench b{milliseconds{4}};
  b.add(7, 250);
  b.frame();
  int looked = 0;
  for (int i = 0; i < 300; ++i) {
    if (b.frame()) {
      ++looked;
      b.watch->spent(milliseconds{12});
    } else {
      TEST_ASSERT_EQUAL_INT(0, b.senses->likenesses);
      b.watch->spent(milliseconds{0});
    }
  }
  TEST_ASSERT_INT_WITHIN(2, 100, looked);  // a third
  TEST_ASSERT_EQUAL_UINT64(300, b.watch->totals().passed + static_cast<std::uint64_t>(looked));
}

TEST(fewer_are_looked_for_where_it_takes_longer_than_its_budget) {
  Bench b{milliseconds{4}};
  for (std::uint32_t i = 0; i < 8; ++i) b.add(i + 1, 100 * static_cast<float>(i));
  b.frame();
  for (int i = 0; i < 20; ++i)  // as CPUs do: so many times so many
    b.watch->spent(
        b.frame() ? std::chrono::microseconds{300 * b.matcher->asked_count * b.matcher->asked_count}
                  : std::chrono::microseconds{0});
  b.watch->spent(milliseconds{0});
  b.frame();
  TEST_ASSERT_TRUE(b.matcher->asked_count == 4 || b.matcher->asked_count == 8);
  TEST_ASSERT_TRUE(b.watch->totals().spared > 20);
  TEST_ASSERT_EQUAL_UINT32(1, b.senses->like[0].id);
  // However long it takes, the nearest two are looked for.
  for (int i = 0; i < 200; ++i) b.watch->spent(b.frame() ? milliseconds{40} : milliseconds{0});
  TEST_ASSERT_EQUAL_INT(2, b.matcher->asked_count);
}

TEST(after_a_hiccup_as_many_are_looked_for_as_fit) {
  Bench b{milliseconds{8}};
  for (std::uint32_t i = 0; i < 8; ++i) b.add(i + 1, 100 * static_cast<float>(i));
  b.frame();
  const auto look = [&] {  // a look takes half a millisecond for each
    b.watch->spent(b.frame() ? std::chrono::microseconds{500 * b.matcher->asked_count}
                             : std::chrono::microseconds{0});
  };
  for (int i = 0; i < 5; ++i) look();
  TEST_ASSERT_EQUAL_INT(8, b.matcher->asked_count);
  for (int i = 0; i < 2; ++i) {
    while (!b.frame()) b.watch->spent(milliseconds{0});
    b.watch->spent(milliseconds{20});
  }
  while (!b.frame()) b.watch->spent(milliseconds{0});
  TEST_ASSERT_EQUAL_INT(2, b.matcher->asked_count);
  for (int i = 0; i < 20; ++i) look();
  TEST_ASSERT_EQUAL_INT(8, b.matcher->asked_count);
}

TEST(a_matcher_that_fails_is_told_and_nothing_is_sensed) {
  Bench b;
  b.add(7, 250);
  b.frame();
  TEST_ASSERT_FALSE(b.watch->failure().has_value());
  b.matcher->broken = true;
  b.senses->likenesses = 3;
  TEST_ASSERT_ERROR(Errc::device, b.watch->search(b.image, *b.senses));
  TEST_ASSERT_EQUAL_INT(0, b.senses->likenesses);
  TEST_ASSERT_TRUE(b.watch->failure().has_value());
  TEST_ASSERT_EQUAL(Errc::device, b.watch->failure()->code);
}

TEST(it_is_tried_again_and_who_was_known_still_is) {
  Bench b;
  b.add(7, 250);
  b.frame();
  b.matcher->broken = true;
  for (int i = 0; i < 5; ++i) {
    TEST_ASSERT_ERROR(Errc::device, b.watch->search(b.image, *b.senses));
    TEST_ASSERT_OK(b.watch->learn(b.image, *b.people));
    TEST_ASSERT_TRUE(b.watch->failure().has_value());
  }
  TEST_ASSERT_EQUAL_UINT64(0, b.watch->totals().frames);
  b.matcher->broken = false;
  TEST_ASSERT_TRUE(b.frame());
  TEST_ASSERT_FALSE(b.watch->failure().has_value());
  TEST_ASSERT_EQUAL_UINT32(7, b.senses->like[0].id);
  TEST_ASSERT_EQUAL_INT(0, b.matcher->forgotten[0]);
}

TEST(a_failure_is_over_when_it_works_and_not_when_nobody_looks) {
  Bench b{milliseconds{4}};
  b.add(7, 250);
  b.frame();
  b.matcher->broken = true;
  TEST_ASSERT_ERROR(Errc::device, b.watch->search(b.image, *b.senses));
  TEST_ASSERT_OK(b.watch->learn(b.image, *b.people));
  b.watch->spent(milliseconds{9});  // the next frames are left out
  b.matcher->broken = false;
  TEST_ASSERT_FALSE(b.frame());
  TEST_ASSERT_TRUE(b.watch->failure().has_value());
  // Nobody is there any more: it has to show that it could.
  b.people->count = 0;
  b.matcher->broken = true;
  for (int i = 0; i < 10 && b.matcher->probes == 0; ++i) {
    static_cast<void>(b.watch->search(b.image, *b.senses));
    TEST_ASSERT_OK(b.watch->learn(b.image, *b.people));
  }
  TEST_ASSERT_EQUAL_INT(1, b.matcher->probes);
  TEST_ASSERT_TRUE(b.watch->failure().has_value());
  b.matcher->broken = false;
  TEST_ASSERT_FALSE(b.frame());
  TEST_ASSERT_FALSE(b.watch->failure().has_value());
  b.frame();
  TEST_ASSERT_EQUAL_INT(2, b.matcher->probes);  // not for the sake of it
}

TEST(a_lesson_that_fails_is_told_too) {
  Bench b;
  b.add(7, 250);
  b.matcher->broken_learning = true;
  TEST_ASSERT_OK(b.watch->search(b.image, *b.senses));
  TEST_ASSERT_ERROR(Errc::device, b.watch->learn(b.image, *b.people));
  TEST_ASSERT_TRUE(b.watch->failure().has_value());
}

TEST(nothing_is_allocated) {
  Bench b;
  for (std::uint32_t i = 0; i < 10; ++i) b.add(i + 1, 100 * static_cast<float>(i));
  const std::uint64_t before = test::allocations();
  for (int i = 0; i < 50; ++i) b.frame();
  TEST_ASSERT_EQUAL_UINT64(before, test::allocations());
}

}  // namespace
