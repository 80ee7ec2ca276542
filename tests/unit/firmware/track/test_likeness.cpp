// SPDX-License-Identifier: Apache-2.0
// What bands tell the tracker: whose box it is, and where somebody is whom the detector misses.
#include <array>
#include <cmath>
#include <memory>
#include <set>

#include "firmware/track/colour_appearance.hpp"
#include "firmware/track/fields.hpp"
#include "firmware/track/tracker.hpp"
#include "firmware/types/fields.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/track/walkers.hpp"

using namespace kerb;
using track::Likeness;
using track::Person;
using track::PersonList;
using track::Senses;

namespace {

constexpr double kFrame = 1.0 / 30;

/// Walkers in like clothes of unlike cloth.
class Street {
 public:
  explicit Street(std::uint64_t seed) : world{seed} {
    world.wander = 0;
    tracker_ = std::make_unique<track::Tracker>(world.camera, track::TrackerSettings{},
                                                track::make_colour_appearance());
  }
  void frame(bool bands) {
    world.sense(true, *senses);
    if (bands) add_likenesses();
    tracker_->step(*senses, *people);
    if (first_) {  // whoever is near a walker for good
      for (std::size_t i = 0; i < world.walkers.size(); ++i)
        if (const Person* p = near(i)) id[i] = p->id;
    }
    world.move(kFrame);
  }
  void settle(int frames, bool bands) {
    first_ = true;
    for (int i = 0; i < frames; ++i) frame(bands);
    first_ = false;
  }
  [[nodiscard]] const Person* near(std::size_t walker) const {
    const Detection b = world.box_of(world.walkers[walker]);
    const Person* best = nullptr;
    float nearest = 0.3F * b.h;
    for (int k = 0; k < people->count; ++k) {
      const Person& p = people->items[k];
      const float off = std::abs(p.box.x + p.box.w / 2 - b.x - b.w / 2);
      if (p.confirmed && off < nearest) {
        best = &p;
        nearest = off;
      }
    }
    return best;
  }

  test::World world;
  std::unique_ptr<Senses> senses = std::make_unique<Senses>();
  std::unique_ptr<PersonList> people = std::make_unique<PersonList>();
  std::array<std::uint32_t, 8> id{};
  float stray = 0;  ///< pixels the place that is found is off

 private:
  void add_likenesses() {
    for (std::size_t i = 0; i < world.walkers.size(); ++i) {
      if (id[i] == 0) continue;
      Likeness& like = senses->like[static_cast<std::size_t>(senses->likenesses++)];
      const Detection b = world.box_of(world.walkers[i]);
      like.id = id[i];
      like.found = true;
      like.column = b.x + b.w / 2 + stray;
      like.sigma_px = 0.05F * b.h;
      like.of.fill(Likeness::kNotLooked);
      for (int d = 0; d < senses->count; ++d)
        like.of[static_cast<std::size_t>(d)] =
            world.of[static_cast<std::size_t>(d)] == static_cast<int>(i) ? Likeness::kSame : 10;
    }
  }
  std::unique_ptr<track::Tracker> tracker_;
  bool first_ = false;
};

/// Two walk towards each other, meet, and turn back: how many of them kept their number.
int kept_after_meeting(std::uint64_t seed, bool bands) {
  Street s{seed};
  s.world.walkers = {{10, -2, 0, 1.3, 1.75, 16, 3}, {10.3, 2, 0, -1.3, 1.75, 16.5, 3}};
  s.settle(20, bands);
  for (int i = 0; i < 26; ++i) s.frame(bands);
  for (test::WorldWalker& w : s.world.walkers) w.vy = -w.vy;
  for (int i = 0; i < 40; ++i) s.frame(bands);
  int kept = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const Person* p = s.near(i);
    kept += p != nullptr && p->id == s.id[i] ? 1 : 0;
  }
  return kept;
}

TEST(two_who_meet_and_turn_back_keep_their_numbers_by_their_bands) {
  int with = 0, without = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    with += kept_after_meeting(seed, true);
    without += kept_after_meeting(seed, false);
  }
  TEST_ASSERT_GREATER_OR_EQUAL_INT(19, with);
  TEST_ASSERT_LESS_THAN_INT(16, without);
}

TEST(who_is_not_found_is_followed_by_what_they_wear) {
  for (const bool bands : {true, false}) {
    Street s{3};
    s.world.walkers = {{12, -3, 0, 1.2, 1.75, 16, 3}};
    s.settle(25, bands);
    TEST_ASSERT_TRUE(s.id[0] != 0);
    s.world.walkers[0].shown = false;
    s.world.walkers[0].vy = 0.9;
    for (int i = 0; i < 100; ++i) s.frame(bands);  // 3.3 s
    const Person* p = s.near(0);
    if (!bands) {
      TEST_ASSERT_NULL(p);
      continue;
    }
    TEST_ASSERT_NOT_NULL(p);
    TEST_ASSERT_EQUAL_UINT32(s.id[0], p->id);
    TEST_ASSERT_FALSE(p->seen);
    TEST_ASSERT_DOUBLE_WITHIN(0.4, s.world.walkers[0].y, p->y_m);
    TEST_ASSERT_DOUBLE_WITHIN(0.5, 0.9, p->vy_mps);
    // Found again, it is the same person.
    s.world.walkers[0].shown = true;
    for (int i = 0; i < 5; ++i) s.frame(bands);
    TEST_ASSERT_EQUAL_UINT32(s.id[0], s.near(0)->id);
    TEST_ASSERT_TRUE(s.near(0)->seen);
  }
}

TEST(cloth_alone_is_not_believed_in_for_ever) {
  Street s{4};
  s.world.walkers = {{12, 0, 0, 0, 1.75, 16, 3}};
  s.settle(60, true);
  s.world.walkers[0].shown = false;
  int lasted = 0;
  while (lasted < 1000 && s.people->count > 0) {
    s.frame(true);
    ++lasted;
  }
  TEST_ASSERT_TRUE(lasted > 90 && lasted < 600);  // 3 to 20 s
}

TEST(a_place_where_they_cannot_be_is_not_theirs) {
  Street s{5};
  s.world.walkers = {{12, 0, 0, 0, 1.75, 16, 3}};
  s.settle(30, true);
  s.world.walkers[0].shown = false;
  s.stray = 800;
  for (int i = 0; i < 45; ++i) s.frame(true);
  TEST_ASSERT_EQUAL_INT(0, s.people->count);
}

TEST(numbers_that_make_no_sense_are_survived) {
  Street s{6};
  s.world.walkers = {{12, 0, 0, 0, 1.75, 16, 3}};
  s.settle(30, true);
  s.world.walkers[0].shown = false;
  for (const float wrong : {NAN, INFINITY, -1e30F}) {
    s.stray = wrong;
    s.frame(true);
    for (int k = 0; k < s.people->count; ++k)
      TEST_ASSERT_TRUE(std::isfinite(s.people->items[k].y_m));
  }
}

TEST(likenesses_are_written_down_and_read_back) {
  Street s{7};
  s.world.walkers = {{12, -1, 0, 0, 1.75, 16, 3}, {14, 1, 0, 0, 1.75, 16, 3}};
  s.settle(20, true);
  TEST_ASSERT_EQUAL_INT(2, s.senses->likenesses);
  const auto bytes = std::make_unique<std::array<std::byte, sizeof(Senses)>>();
  const auto again = std::make_unique<std::array<std::byte, sizeof(Senses)>>();
  FieldWriter out{*bytes};
  out(*s.senses);
  TEST_ASSERT_TRUE(out.ok());
  const auto read = std::make_unique<Senses>();
  FieldReader in{std::span{*bytes}.first(out.size())};
  in(*read);
  TEST_ASSERT_TRUE(in.complete());
  TEST_ASSERT_EQUAL_INT(2, read->likenesses);
  TEST_ASSERT_EQUAL_UINT32(s.senses->like[1].id, read->like[1].id);
  TEST_ASSERT_EQUAL_UINT8(Likeness::kSame, read->like[1].of[1]);
  FieldWriter second{*again};
  second(*read);
  TEST_ASSERT_EQUAL_size_t(out.size(), second.size());
  TEST_ASSERT_EQUAL_MEMORY(bytes->data(), again->data(), out.size());
  // Without any, what is written is as long as it was before there were any.
  s.senses->likenesses = 0;
  FieldWriter plain{*again};
  plain(*s.senses);
  TEST_ASSERT_EQUAL_size_t(out.size() - 2 - 2 * (13 + static_cast<std::size_t>(s.senses->count)),
                           plain.size());
  FieldReader in_plain{std::span{*again}.first(plain.size())};
  in_plain(*read);
  TEST_ASSERT_TRUE(in_plain.complete());
  TEST_ASSERT_EQUAL_INT(0, read->likenesses);
}

}  // namespace
