// SPDX-License-Identifier: Apache-2.0
#include "firmware/track/tracker.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "firmware/track/colour_appearance.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/track/walkers.hpp"

using namespace kerb;
using test::World;
using test::WorldWalker;
using track::Person;
using track::PersonList;
using track::Senses;
using track::Tracker;

namespace {

constexpr double kFrame = 1.0 / 30;

/// A world and a tracker that looks at it.
class Drive {
 public:
  explicit Drive(std::uint64_t seed, const track::TrackerSettings& settings = {})
      : world{seed}, settings_{settings} {}

  /// One frame on.
  void frame(bool looked = true, bool flow = false) {
    if (!tracker_)
      tracker_ =
          std::make_unique<Tracker>(world.camera, settings_, track::make_colour_appearance());
    world.sense(looked, *senses_);
    if (flow) add_flow();
    tracker_->step(*senses_, *people);
    for (std::size_t i = 0; i < world.walkers.size(); ++i)
      boxes_[i] = world.box_of(world.walkers[i]);
    note_ids();
    world.move(kFrame);
    ++frames;
  }
  /// Who is told to be where walker `i` was in this frame, if confirmed.
  [[nodiscard]] const Person* of(std::size_t i) const {
    const Detection& b = boxes_.at(i);
    if (b.h <= 0) return nullptr;
    const Person* best = nullptr;
    float nearest = 0.2F * b.h;
    for (int k = 0; k < people->count; ++k) {
      const Person& p = people->items[k];
      const float off = std::abs(p.box.x + p.box.w / 2 - b.x - b.w / 2) +
                        0.5F * std::abs(p.box.y + p.box.h - b.y - b.h);
      if (p.confirmed && off < nearest) {
        best = &p;
        nearest = off;
      }
    }
    return best;
  }
  [[nodiscard]] int confirmed() const {
    int n = 0;
    for (int k = 0; k < people->count; ++k) n += people->items[k].confirmed ? 1 : 0;
    return n;
  }

  World world;
  std::unique_ptr<PersonList> people = std::make_unique<PersonList>();
  std::map<std::size_t, std::set<std::uint32_t>> ids;  ///< that each walker was given
  int frames = 0;

 private:
  /// Whose detection each confirmed person was given.
  void note_ids() {
    for (int d = 0; d < senses_->count; ++d)
      for (int k = 0; k < people->count; ++k) {
        const Person& p = people->items[k];
        const Detection& box = senses_->boxes[static_cast<std::size_t>(d)];
        if (p.confirmed && p.seen && p.box.score == box.score)
          ids[static_cast<std::size_t>(world.of[static_cast<std::size_t>(d)])].insert(p.id);
      }
  }
  /// As measured where each followed person was: whoever stands there.
  void add_flow() {
    senses_->followed = people->count;
    for (int k = 0; k < people->count; ++k) {
      for (std::size_t i = 0; i < world.walkers.size(); ++i) {
        const Person* p = of(i);
        if (p == nullptr || p->id != people->items[k].id) continue;
        const Detection now = world.box_of(world.walkers[i]);
        const Detection& before = boxes_.at(i);
        if (now.h <= 0 || before.h <= 0) continue;
        track::BoxFlow& f = senses_->flows[static_cast<std::size_t>(k)];
        f.points = 20;
        f.dx = now.x + now.w / 2 - before.x - before.w / 2 +
               static_cast<float>(0.2 * world.dice.normal());
        f.growth = now.h / before.h - 1 + static_cast<float>(0.005 * world.dice.normal());
        f.sigma_px = 0.2F;
        f.growth_sigma = 0.005F;
      }
    }
  }

  track::TrackerSettings settings_;
  std::unique_ptr<Tracker> tracker_;
  std::unique_ptr<Senses> senses_ = std::make_unique<Senses>();
  std::map<std::size_t, Detection> boxes_;
};

TEST(a_walker_is_confirmed_followed_and_forgotten) {
  Drive d{1};
  d.world.walkers = {{20, 6, 0, -1.4}};
  d.world.wander = 0;
  int confirmed_at = 0;
  for (int i = 0; i < 60; ++i) {
    d.frame();
    if (confirmed_at == 0 && d.confirmed() == 1) confirmed_at = d.frames;
  }
  TEST_ASSERT_TRUE(confirmed_at >= 2 && confirmed_at <= 4);
  TEST_ASSERT_EQUAL(1, d.people->count);
  const Person& p = d.people->items[0];
  TEST_ASSERT_TRUE(p.seen && p.certainty > 0.9);
  TEST_ASSERT_DOUBLE_WITHIN(0.5, -1.4, p.vy_mps);
  TEST_ASSERT_DOUBLE_WITHIN(2, 20, p.x_m);
  TEST_ASSERT_EQUAL(1, d.ids[0].size());
  d.world.walkers[0].shown = false;
  int frames = 0;
  while (d.people->count > 0 && frames < 200) d.frame(), ++frames;
  TEST_ASSERT_TRUE(frames > 15);  // followed on for a while
  TEST_ASSERT_TRUE(frames < 40);  // but not for long
}

TEST(one_false_alarm_is_never_confirmed) {
  Drive d{2};
  d.world.walkers = {{20, 1, 0, 0}};
  d.frame();
  TEST_ASSERT_EQUAL(1, d.people->count);
  TEST_ASSERT_FALSE(d.people->items[0].confirmed);
  d.world.walkers[0].shown = false;
  for (int i = 0; i < 10; ++i) {
    d.frame();
    TEST_ASSERT_EQUAL(0, d.confirmed());
  }
  TEST_ASSERT_EQUAL(0, d.people->count);
}

TEST(what_scores_too_little_continues_a_person_but_begins_none) {
  track::TrackerSettings settings;
  settings.birth_score = 8;
  Drive d{3, settings};
  d.world.walkers = {{20, 1, 0, 0}, {25, -4, 0, 0}};
  d.world.walkers[1].score = 6;
  for (int i = 0; i < 20; ++i) d.frame();
  TEST_ASSERT_EQUAL(1, d.people->count);
  d.world.walkers[0].score = 6;
  for (int i = 0; i < 90; ++i) d.frame();
  TEST_ASSERT_EQUAL(1, d.people->count);
  TEST_ASSERT_EQUAL(1, d.ids[0].size());
}

/// Two who meet and pass each other, seen all the time, in every one of many tries.
TEST(crossing_people_keep_their_ids) {
  int kept = 0;
  constexpr int kTries = 20;
  for (unsigned seed = 0; seed < kTries; ++seed) {
    Drive d{100 + seed};
    d.world.wander = 0.02;
    d.world.walkers = {{15, 3, 0, -1.3, 1.72}, {15.4, -3, 0, 1.3, 1.68}};
    d.world.walkers[0].colour = 5;
    d.world.walkers[1].colour = 9;
    for (int i = 0; i < 140; ++i) {
      // While one is behind the other, only the nearer one is found.
      const WorldWalker a = d.world.from_car(d.world.walkers[0]),
                        b = d.world.from_car(d.world.walkers[1]);
      d.world.walkers[1].shown = std::abs(a.y - b.y) > 0.35;
      d.frame();
    }
    kept += d.ids[0].size() == 1 && d.ids[1].size() == 1 && d.people->count == 2 ? 1 : 0;
  }
  TEST_ASSERT_GREATER_OR_EQUAL(kTries - 1, kept);
}

TEST(who_is_behind_another_is_followed_and_keeps_the_id) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    Drive d{200 + seed};
    d.world.wander = 0;
    d.world.walkers = {{12, 0.2, 0, 0, 1.8}, {16, 2.4, 0, -1.2, 1.65}};
    for (int i = 0; i < 115; ++i) {
      const Detection front = d.world.box_of(d.world.walkers[0]);
      const Detection back = d.world.box_of(d.world.walkers[1]);
      const bool hidden = std::abs(front.x + front.w / 2 - back.x - back.w / 2) < 0.7F * front.w;
      d.world.walkers[1].shown = !hidden;
      d.frame();
      if (i > 10) TEST_ASSERT_EQUAL(2, d.confirmed());  // nobody gone, nobody new
    }
    TEST_ASSERT_EQUAL(1, d.ids[0].size());
    TEST_ASSERT_EQUAL(1, d.ids[1].size());
  }
}

/// Somebody whom the detector loses for longer than they are reported, as behind a van: who comes
/// out has the same id where they look the same, and another where they do not.
TEST(who_was_lost_for_seconds_is_the_same_person_again) {
  for (const bool same : {true, false}) {
    int again = 0;
    constexpr int kTries = 10;
    for (unsigned seed = 0; seed < kTries; ++seed) {
      Drive d{220 + seed};
      d.world.wander = 0;
      d.world.walkers = {{15, 3, 0, -1.2}};
      d.world.walkers[0].colour = 5;
      for (int i = 0; i < 40; ++i) d.frame();
      TEST_ASSERT_EQUAL(1, d.confirmed());
      d.world.walkers[0].shown = false;
      for (int i = 0; i < 60; ++i) d.frame();
      TEST_ASSERT_EQUAL(0, d.people->count);  // no longer reported
      d.world.walkers[0].shown = true;
      if (!same) d.world.walkers[0].colour = 11;
      for (int i = 0; i < 2; ++i) {  // confirmed as slowly as anybody
        d.frame();
        TEST_ASSERT_EQUAL(1, d.people->count);
      }
      for (int i = 0; i < 10; ++i) d.frame();
      TEST_ASSERT_EQUAL(1, d.confirmed());
      again += d.ids[0].size() == 1 ? 1 : 0;
    }
    if (same) TEST_ASSERT_GREATER_OR_EQUAL(kTries - 1, again);
    if (!same) TEST_ASSERT_EQUAL(0, again);
  }
}

TEST(nobody_is_remembered_for_longer_than_set) {
  Drive d{240};
  d.world.wander = 0;
  d.world.walkers = {{15, 0, 0, 0}};
  d.world.walkers[0].colour = 5;
  for (int i = 0; i < 40; ++i) d.frame();
  d.world.walkers[0].shown = false;
  for (int i = 0; i < 130; ++i) d.frame();  // over four seconds
  d.world.walkers[0].shown = true;
  for (int i = 0; i < 10; ++i) d.frame();
  TEST_ASSERT_EQUAL(1, d.confirmed());
  TEST_ASSERT_EQUAL(2, d.ids[0].size());
}

/// People who were lost give way to people who are there.
TEST(those_remembered_take_no_room_from_those_seen) {
  Drive d{245};
  d.world.wander = 0;
  const auto side_by_side = [&](double far) {
    d.world.walkers.clear();
    for (int i = 0; i < 60; ++i) {
      const double bearing = (i - 29.5) * 0.0165;
      d.world.walkers.push_back({1.5 + far * std::cos(bearing), far * std::sin(bearing), 0, 0});
      d.world.walkers.back().colour = far < 25 ? 5 : 11;
    }
  };
  side_by_side(24);
  for (int i = 0; i < 20; ++i) d.frame();
  const int first = d.confirmed();
  TEST_ASSERT_GREATER_OR_EQUAL(50, first);
  for (WorldWalker& w : d.world.walkers) w.shown = false;
  for (int i = 0; i < 40; ++i) d.frame();
  TEST_ASSERT_EQUAL(0, d.people->count);
  side_by_side(34);
  d.ids.clear();
  for (int i = 0; i < 20; ++i) d.frame();
  TEST_ASSERT_GREATER_OR_EQUAL(first, d.confirmed());
}

/// A camera that sits otherwise than told: places are wrong, but people keep their ids.
TEST(a_wrong_mounting_swaps_nobody) {
  for (const double factor : {0.6, 1.7}) {
    track::TrackerSettings settings;
    settings.existence.strain = 0;  // as where nobody has measured the mounting
    Drive d{260, settings};
    d.world.wander = 0.05;
    d.world.walkers = {{12, 3, 0, -1.2}, {14, -3, 0, 1.2}, {17, 0.5, 0.8, 0}, {20, -1, -1, 0.4}};
    for (std::size_t i = 0; i < 4; ++i) d.world.walkers[i].colour = static_cast<int>(1 + 2 * i);
    const Camera real = d.world.camera;
    Camera told = real;
    told.height_m *= factor;
    Tracker tracker{told, settings, track::make_colour_appearance()};
    Senses s;
    PersonList people;
    std::map<int, std::set<std::uint32_t>> ids;
    for (int i = 0; i < 120; ++i) {
      d.world.sense(true, s);
      tracker.step(s, people);
      for (int k = 0; k < people.count; ++k)
        for (int b = 0; b < s.count; ++b)
          if (people.items[k].confirmed && people.items[k].seen &&
              people.items[k].box.score == s.boxes[static_cast<std::size_t>(b)].score)
            ids[d.world.of[static_cast<std::size_t>(b)]].insert(people.items[k].id);
      d.world.move(kFrame);
    }
    for (int k = 0; k < 4; ++k) TEST_ASSERT_EQUAL(1, ids[k].size());
  }
}

/// A tunnel, or an exposure that changes: from one frame to the next all look different, and stand
/// where they stood.
TEST(a_jump_of_the_light_makes_nobody_somebody_else) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    Drive d{250 + seed};
    d.world.wander = 0.05;
    d.world.walkers = {{15, 3, 0, -1.2}, {18, -2, 0, 0.8}, {25, 0.5, 0.8, 0}};
    for (std::size_t i = 0; i < 3; ++i) d.world.walkers[i].colour = static_cast<int>(1 + i);
    for (int i = 0; i < 45; ++i) {
      if (i == 15)
        for (WorldWalker& w : d.world.walkers) w.colour += 8;
      d.frame();
      if (i < 8) continue;
      TEST_ASSERT_EQUAL(3, d.confirmed());
      for (std::size_t k = 0; k < 3; ++k) TEST_ASSERT_TRUE(d.of(k) != nullptr && d.of(k)->seen);
    }
    for (std::size_t k = 0; k < 3; ++k) TEST_ASSERT_EQUAL(1, d.ids[k].size());
  }
}

TEST(a_detector_that_looks_at_every_third_frame_loses_nobody) {
  for (const bool flow : {false, true}) {
    Drive d{300};
    d.world.speed = 5;
    d.world.wander = 0.1;
    d.world.walkers = {{40, 3, 0, -1.2}, {45, -4, 1, 0}, {50, 0, -1, 0.2}, {38, -6, 0, 0}};
    double off = 0;
    int counted = 0;
    for (int i = 0; i < 120; ++i) {
      d.frame(i % 3 == 0, flow);
      if (i < 20) continue;
      TEST_ASSERT_EQUAL(4, d.people->count);
      for (std::size_t k = 0; k < 4; ++k) {
        TEST_ASSERT_NOT_NULL(d.of(k));
        TEST_ASSERT_EQUAL(i % 3 == 0, d.of(k)->seen);
        off += std::abs(d.of(k)->y_m + d.of(k)->vy_mps * kFrame -
                        d.world.from_car(d.world.walkers[k]).y);
        ++counted;
      }
    }
    for (std::size_t k = 0; k < 4; ++k) TEST_ASSERT_EQUAL(1, d.ids[k].size());
    char line[80];
    std::snprintf(line, sizeof line, "%s flow: %.2f m off", flow ? "with" : "without",
                  off / counted);
    TEST_MESSAGE(line);
    // Several people, with noise: why flow makes their places worse in this world is not known.
    TEST_ASSERT_TRUE(off / counted < (flow ? 0.45 : 0.2));
  }
}

TEST(frames_nobody_looked_at_cost_no_certainty) {
  Drive d{310};
  d.world.walkers = {{20, 0, 0, 0}};
  for (int i = 0; i < 10; ++i) d.frame();
  const double before = d.people->items[0].certainty;
  for (int i = 0; i < 15; ++i) d.frame(false);
  TEST_ASSERT_EQUAL(1, d.people->count);
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, before, d.people->items[0].certainty);
}

TEST(fifty_people_at_once) {
  Drive d{400};
  d.world.wander = 0;
  for (int i = 0; i < 50; ++i) {  // side by side, as far as the picture is wide
    const double bearing = (i - 24.5) * 0.0195, far = 24 + 4 * (i % 3);
    d.world.walkers.push_back({1.5 + far * std::cos(bearing), far * std::sin(bearing), 0,
                               i % 2 == 0 ? 0.1 : -0.1, 1.6 + 0.02 * (i % 10)});
  }
  for (int i = 0; i < 40; ++i) d.frame();
  TEST_ASSERT_EQUAL(50, d.confirmed());
  for (std::size_t k = 0; k < 50; ++k) {
    TEST_ASSERT_NOT_NULL(d.of(k));
    TEST_ASSERT_EQUAL(1, d.ids[k].size());
  }
  // Confirmed ones first, then by distance.
  for (int k = 1; k < d.people->count; ++k) {
    const Person &a = d.people->items[k - 1], &b = d.people->items[k];
    TEST_ASSERT_TRUE(a.confirmed || !b.confirmed);
    if (a.confirmed == b.confirmed)
      TEST_ASSERT_TRUE(std::hypot(a.x_m, a.y_m) <= std::hypot(b.x_m, b.y_m));
  }
}

TEST(a_person_found_twice_is_one) {
  Drive d{500};
  d.world.walkers = {{15, 0, 0, 0}, {15.05, 0.02, 0, 0}};
  d.world.wander = 0;
  d.world.walkers[1].shown = false;
  for (int i = 0; i < 60; ++i) {
    d.world.walkers[1].shown = i % 7 == 3;  // now and then a second box on the same person
    d.frame();
  }
  TEST_ASSERT_EQUAL(1, d.confirmed());
  TEST_ASSERT_EQUAL(1, d.ids[0].size());
}

/// What the pictures say of the pitch corrects the distance of people whose size says little.
TEST(a_pitch_from_the_pictures_corrects_distances) {
  double off[2] = {};
  for (const bool told : {false, true}) {
    World w{600};
    w.camera.pitch_sigma_rad = 0.01;
    w.pitch = 0.02;  // two standard deviations: the car brakes
    w.walkers = {{25, 1, 0, 0, 1.5}};
    w.wander = 0;
    Tracker tracker{w.camera, {}, nullptr};
    Senses s;
    PersonList p;
    double sum = 0;
    for (int i = 0; i < 60; ++i) {
      w.sense(true, s);
      if (told) {
        s.pitch_rad = w.camera.pitch_rad + w.pitch;
        s.pitch_sigma_rad = 0.002;
      }
      tracker.step(s, p);
      if (i >= 10) sum += std::abs(p.items[0].x_m - 25);
      w.move(kFrame);
    }
    off[told ? 1 : 0] = sum / 50;
  }
  TEST_ASSERT_TRUE(off[1] < 0.5 * off[0]);
  TEST_ASSERT_TRUE(off[1] < 2);
}

TEST(without_the_cars_speed_people_are_followed_with_more_doubt) {
  World w{700};
  w.speed = 8;
  w.walkers = {{40, 3, 0, 0}};
  w.wander = 0;
  Tracker told{w.camera, {}, nullptr}, untold{w.camera, {}, nullptr};
  Senses s;
  PersonList a, b;
  std::set<std::uint32_t> ids;
  for (int i = 0; i < 60; ++i) {
    w.sense(true, s);
    told.step(s, a);
    s.vehicle = {};
    s.yaw_rate_radps = 0;
    untold.step(s, b);
    if (i > 10) {
      TEST_ASSERT_EQUAL(1, b.count);
      ids.insert(b.items[0].id);
      TEST_ASSERT_TRUE(b.items[0].covariance[10] > a.items[0].covariance[10]);
    }
    w.move(kFrame);
  }
  TEST_ASSERT_EQUAL(1, ids.size());
  // The velocity it finds is the one relative to the car.
  TEST_ASSERT_DOUBLE_WITHIN(4, -8, b.items[0].vx_mps);
}

/// A post comes into view from behind a parked car: more of it is seen in each picture, so that the
/// middle of its box moves. How fast it seems to walk across, at most in its first 0.3 s, on
/// average.
double apparent_speed_of_what_emerges(const track::TrackerSettings& settings) {
  constexpr int kRuns = 40;
  double sum = 0;
  for (unsigned seed = 0; seed < kRuns; ++seed) {
    World w{7300 + seed};
    w.speed = 8;
    w.wander = 0;
    w.walkers = {{16, -2.3, 0, 0, 1.6}};
    Tracker tracker{w.camera, settings, track::make_colour_appearance()};
    auto senses = std::make_unique<Senses>();
    auto people = std::make_unique<PersonList>();
    double most = 0;
    for (int i = 0; i < 9; ++i) {
      w.sense(true, *senses);
      Detection& box = senses->boxes[0];
      const float hidden = box.w * std::max(0.0F, 0.4F - 0.1F * static_cast<float>(i));
      box.x += hidden;
      box.w -= hidden;
      tracker.step(*senses, *people);
      if (people->count > 0) most = std::max(most, std::abs(people->items[0].vy_mps));
      w.move(kFrame);
    }
    sum += most / kRuns;
  }
  return sum;
}

TEST(what_comes_into_view_is_not_taken_for_a_walker) {
  track::TrackerSettings trusting;
  trusting.filter.emerging_factor = 0;
  const double shipped = apparent_speed_of_what_emerges({});
  const double before = apparent_speed_of_what_emerges(trusting);
  char line[120];
  std::snprintf(line, sizeof line, "a post that emerges: %.2f m/s; all boxes alike: %.2f m/s",
                shipped, before);
  TEST_MESSAGE(line);
  TEST_ASSERT_TRUE(shipped < 0.75 * before);
}

}  // namespace
