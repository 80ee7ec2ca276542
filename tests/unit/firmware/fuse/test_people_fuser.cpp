// SPDX-License-Identifier: Apache-2.0
#include "firmware/fuse/people_fuser.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>

#include "firmware/control/object_list.hpp"
#include "firmware/control/warner.hpp"
#include "firmware/types/people_report_fields.hpp"
#include "firmware/warning/warning_decider.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/fuse/road.hpp"

using namespace kerb;
using namespace kerb::fuse;
using namespace kerb::fuse::test;

namespace {

/// A visible and a thermal camera on the same view: other rates, errors to either side.
std::vector<Eye> visible_and_thermal() {
  Eye visible, thermal;
  visible.range_error = 0.03;
  visible.bearing_error = 0.004;
  thermal.rate_hz = 25;
  thermal.first_s = 0.013;
  thermal.latency_s = 0.07;
  thermal.range_error = -0.03;
  thermal.bearing_error = -0.004;
  thermal.range_noise = 0.05;
  return {visible, thermal};
}

/// All of them have one identity from the beginning to the end, and nobody is there twice.
void assert_perfect(const char* name, const Count& c) {
  char text[200];
  std::snprintf(text, sizeof text,
                "%s: of %d: doubled %d, missing %d, changes %d, shared %d, taken %d", name,
                c.rounds, c.doubled, c.missing, c.changes, c.shared, c.taken);
  std::puts(text);
  TEST_ASSERT_TRUE_MESSAGE(c.rounds > 100, text);
  TEST_ASSERT_TRUE_MESSAGE(
      c.doubled == 0 && c.missing == 0 && c.changes == 0 && c.shared == 0 && c.taken == 0, text);
}

TEST(two_cameras_on_one_view_give_one_person_with_one_identity) {
  Scene s;
  s.eyes = visible_and_thermal();
  s.car.speed = 5;
  s.walkers = {straight({50, 6}, {0, -1.2}), straight({62, -8}, {0.2, 1.3}),
               straight({55, 4}, {0, 0})};
  assert_perfect("one view", run(s));
  PeopleFuser none{{1, {}, {}}};  // of one camera: it passes all reports as they are
  const Count apart = run(s, {}, &none);
  TEST_ASSERT_TRUE(apart.doubled * 10 > apart.rounds * 9);
  s.car.yaw_rate = 0.12;
  assert_perfect("in a bend", run(s));
  s.eyes[1].rate_hz = 9;
  s.eyes[1].latency_s = 0.15;
  assert_perfect("a slow camera", run(s));
}

TEST(people_who_cross_each_others_way_keep_their_identities) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Scene s;
    s.seed = seed;
    s.eyes = visible_and_thermal();
    // They pass each other at 4 s, a metre apart.
    s.walkers = {straight({14, 5.2}, {0, -1.3}), straight({15, -5.2}, {0, 1.3})};
    assert_perfect("crossing", run(s));
  }
}

TEST(two_people_side_by_side_stay_two) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Scene s;
    s.seed = seed;
    s.eyes = visible_and_thermal();
    s.walkers = {straight({16, 5}, {0, -1.2}), straight({16.8, 5}, {0, -1.2})};
    assert_perfect("side by side", run(s));
  }
}

TEST(somebody_hidden_from_one_camera_is_the_same_before_and_after) {
  for (const bool remembers : {false, true}) {
    Scene s;
    s.eyes = visible_and_thermal();
    for (Eye& eye : s.eyes) eye.remembers = remembers;
    s.walkers = {straight({18, 6}, {0, -1.2}), straight({22, -3}, {0, 0.3})};
    // The first camera's track ends, and begins anew; and later that of the second.
    s.eyes[0].hidden = [](int w, double t) { return w == 0 && t > 2 && t < 3.8; };
    s.eyes[1].hidden = [](int w, double t) { return w == 0 && t > 5 && t < 6.5; };
    s.until = 9;
    const Count c = run(s);
    assert_perfect("hidden", c);
    TEST_ASSERT_EQUAL_size_t(1, c.names.at(0).size());
  }
}

TEST(at_night_the_thermal_camera_alone_is_passed_as_it_is) {
  Scene s;
  s.eyes = visible_and_thermal();
  s.eyes[0].hidden = [](int, double) { return true; };
  s.walkers = {straight({30, 6}, {0, -1.2}), straight({22, -3}, {0, 0.3})};
  assert_perfect("night", run(s, [](double, const Reports& in, const Reports& out) {
                   TEST_ASSERT_TRUE(in == out);
                 }));
}

TEST(a_single_camera_is_passed_as_it_is) {
  Scene s;
  s.eyes = {Eye{}};
  s.walkers = {straight({30, 6}, {0, -1.2}), straight({22, -3}, {0, 0.3})};
  PeopleFuser single{{1, {}, {}}}, of_two{{2, {}, {}}};
  for (PeopleFuser* fuser : {&single, &of_two})
    assert_perfect(
        "single",
        run(
            s, [](double, const Reports& in, const Reports& out) { TEST_ASSERT_TRUE(in == out); },
            fuser));
}

TEST(somebody_who_walks_from_one_view_into_another_keeps_the_identity) {
  for (const double overlap_deg : {5.0, 1.0, -1.5}) {
    Scene s;
    s.eyes = {Eye{}, Eye{}};
    s.eyes[0].from_deg = -overlap_deg;
    s.eyes[1].to_deg = overlap_deg;
    s.eyes[1].first_s = 0.011;
    s.eyes[0].bearing_error = 0.004;
    s.eyes[1].range_error = 0.03;
    s.walkers = {straight({16, 6}, {0, -1.3}), straight({24, -9}, {0, 1.4})};
    s.until = 11;
    const Count c = run(s);
    char text[100];
    std::snprintf(text, sizeof text, "overlap %g: doubled %d, changes %d of %d", overlap_deg,
                  c.doubled, c.changes, c.rounds);
    std::puts(text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, c.shared + c.taken + c.missing, text);
    // The new track's own number may be told for a moment, where the views do not overlap.
    TEST_ASSERT_TRUE_MESSAGE(c.changes <= (overlap_deg > 0 ? 0 : 4), text);
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, c.doubled, text);
    for (const auto& [walker, names] : c.names) {
      const bool begins_left = walker == 0;
      TEST_ASSERT_TRUE_MESSAGE(names.count({begins_left ? 0 : 1, 1}) == 1, text);
    }
  }
}

TEST(a_camera_that_fails_and_comes_back_changes_nobody) {
  for (const std::size_t failing : {std::size_t{0}, std::size_t{1}}) {
    Scene s;
    s.eyes = visible_and_thermal();
    s.eyes[failing].works = [](double t) { return t < 3 || t > 5; };
    s.eyes[failing].remembers = true;
    s.walkers = {straight({18, 7}, {0, -1.2}), straight({24, -5}, {0, 0.4})};
    s.until = 9;
    assert_perfect("failing", run(s));
  }
}

TEST(four_cameras_give_one_person) {
  Scene s;
  s.eyes = visible_and_thermal();
  s.eyes.push_back(Eye{});
  s.eyes.push_back(Eye{});
  s.eyes[2].from_deg = -10;
  s.eyes[3].to_deg = 10;
  s.eyes[3].rate_hz = 15;
  s.walkers = {straight({16, 6}, {0, -1.3}), straight({24, -9}, {0, 1.4}),
               straight({20, 2}, {0, 0})};
  s.until = 10;
  s.settled = 1.5;
  const Count c = run(s);
  std::printf("four: of %d doubled %d changes %d\n", c.rounds, c.doubled, c.changes);
  TEST_ASSERT_EQUAL_INT(0, c.shared + c.taken + c.missing + c.changes);
  TEST_ASSERT_EQUAL_INT(0, c.doubled);
}

/// Streets at random: how often, among how many.
TEST(in_random_streets_hardly_anybody_is_doubled_lost_or_renamed) {
  Count all;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    std::mt19937_64 random{seed};
    const auto between = [&random](double a, double b) {
      return std::uniform_real_distribution<double>{a, b}(random);
    };
    Scene s;
    s.seed = seed;
    s.eyes = visible_and_thermal();
    s.car.speed = between(0, 8);
    s.car.yaw_rate = between(-0.05, 0.05);
    for (int w = 0; w < 8; ++w)
      s.walkers.push_back(straight({between(10, 40) + s.car.speed * 4, between(-8, 8)},
                                   {between(-0.4, 0.4), between(-1.5, 1.5)}));
    for (Eye& eye : s.eyes) {
      eye.range_error = between(-0.04, 0.04);
      eye.bearing_error = between(-0.006, 0.006);
      const double from = between(2, 6), to = from + between(0, 2);
      const int whom = static_cast<int>(between(0, 8));
      eye.hidden = [=](int w, double t) { return w == whom && t > from && t < to; };
    }
    const Count c = run(s);
    all.rounds += c.rounds;
    all.doubled += c.doubled;
    all.missing += c.missing;
    all.changes += c.changes;
    all.shared += c.shared;
  }
  std::printf("random streets: of %d: doubled %d, missing %d, changes %d\n", all.rounds,
              all.doubled, all.missing, all.changes);
  TEST_ASSERT_EQUAL_INT(0, all.shared);
  TEST_ASSERT_TRUE(all.doubled * 1000 <= all.rounds);
  TEST_ASSERT_TRUE(all.missing * 1000 <= all.rounds);
  TEST_ASSERT_TRUE(all.changes <= 6);  // of 320 people
}

/// Mean squared difference of the contact's probability from what happens.
TEST(contacts_of_both_cameras_are_predicted_no_worse_than_of_the_better_one) {
  double by[3] = {}, of_place[3] = {};
  int count = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    std::mt19937_64 random{seed};
    const auto between = [&random](double a, double b) {
      return std::uniform_real_distribution<double>{a, b}(random);
    };
    Scene s;
    s.seed = seed;
    s.eyes = visible_and_thermal();
    for (Eye& eye : s.eyes) {
      eye.range_error = between(-0.03, 0.03);
      eye.bearing_error = between(-0.004, 0.004);
    }
    s.car.speed = 8;
    // At 4 s the car's front is at 32 + 3.6 m: some are hit there, some are not.
    const double side = between(-3.5, 3.5), speed = between(0.8, 1.6) * (seed % 2 == 0 ? 1 : -1);
    s.walkers = {straight({8 * 4 + 3.9, side - 4 * speed}, {0, speed})};
    bool hit = false;
    for (double t = 3.5; t < 5; t += 0.005) {
      const Point p = s.walkers[0](t);
      const double x = p.x - 8 * t, dx = std::max({x - 3.6, -0.9 - x, 0.0}),
                   dy = std::max(std::abs(p.y) - 0.9, 0.0);
      hit = hit || dx * dx + dy * dy < 0.09;
    }
    s.until = 3.2;
    run(s, [&](double t, const Reports& in, const Reports& out) {
      if (t < 1.8 || static_cast<int>(t * 100 + 0.5) % 10 != 0) return;
      if (in[0]->people.count != 1 || in[1]->people.count != 1) return;
      const risk::PeopleReport* one = nullptr;
      for (const risk::PeopleReport* report : out)
        if (report != nullptr && report->people.count == 1) one = report;
      TEST_ASSERT_NOT_NULL(one);
      const risk::PeopleReport* reports[3] = {in[0], in[1], one};
      for (int k = 0; k < 3; ++k) {
        const double error = reports[k]->contacts[0].probability - (hit ? 1 : 0);
        by[k] += error * error;
        const double when = static_cast<double>(reports[k]->at.count()) * 1e-9;
        const Point p = s.walkers[0](when);
        of_place[k] += std::pow(reports[k]->people.items[0].x_m - (p.x - 8 * when), 2) +
                       std::pow(reports[k]->people.items[0].y_m - p.y, 2);
      }
      ++count;
    });
  }
  std::printf(
      "contact, mean squared error: visible %.4f, thermal %.4f, both %.4f; place, m: "
      "%.3f, %.3f, %.3f (%d)\n",
      by[0] / count, by[1] / count, by[2] / count, std::sqrt(of_place[0] / count),
      std::sqrt(of_place[1] / count), std::sqrt(of_place[2] / count), count);
  TEST_ASSERT_TRUE(count > 300);
  TEST_ASSERT_TRUE(by[2] <= std::min(by[0], by[1]) * 1.02);
  TEST_ASSERT_TRUE(of_place[2] <= std::min(of_place[0], of_place[1]) * 1.04);
}

TEST(both_together_are_surer_that_there_is_somebody) {
  Scene s;
  s.eyes = visible_and_thermal();
  s.walkers = {straight({20, 3}, {0, -0.5})};
  double certainty = 0, of_one = 0;
  run(s, [&](double t, const Reports& in, const Reports& out) {
    if (t < 3) return;
    of_one = in[0]->people.items[0].certainty;
    for (const risk::PeopleReport* report : out)
      if (report != nullptr && report->people.count == 1)
        certainty = report->people.items[0].certainty;
  });
  TEST_ASSERT_TRUE(certainty > of_one + 0.02 && certainty < 1);
}

TEST(one_person_is_made_soon_near_the_car_and_later_far_away) {
  struct Case {
    double ahead, most_s;
  };
  for (const Case& c : {Case{12, 0.4}, Case{25, 0.6}, Case{50, 1.5}}) {
    double sum = 0, latest = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Scene s;
      s.seed = seed;
      s.eyes = visible_and_thermal();
      s.walkers = {straight({c.ahead, 3}, {0, -0.8})};
      s.until = 3;
      std::optional<double> both, one;
      run(s, [&](double t, const Reports& in, const Reports& out) {
        if (!both && in[0] != nullptr && in[1] != nullptr && in[0]->people.count == 1 &&
            in[1]->people.count == 1)
          both = t;
        if (both && !one && out[0]->people.count + out[1]->people.count == 1) one = t;
      });
      TEST_ASSERT_TRUE(one.has_value());
      sum += *one - *both;
      latest = std::max(latest, *one - *both);
    }
    std::printf("one person at %.0f m after %.2f s, at the latest %.2f s\n", c.ahead, sum / 20,
                latest);
    TEST_ASSERT_TRUE(latest < c.most_s);
  }
}

TEST(a_round_with_as_many_people_as_there_can_be_takes_little_time) {
  Scene s;
  s.eyes = {Eye{}, Eye{}, Eye{}, Eye{}};
  for (std::size_t i = 0; i < 4; ++i) s.eyes[i].first_s = 0.003 * static_cast<double>(i);
  s.car.speed = 3;
  for (int w = 0; w < 64; ++w)
    s.walkers.push_back(straight({12.0 + 4 * (w / 8), -10.5 + 3 * (w % 8)}, {0, 0.1 * (w % 5)}));
  s.until = 2;
  Nanos longest{};
  double sum = 0;
  int rounds = 0;
  PeopleFuser timed{{4, {}, {}}};
  run(s, [&](double, const Reports& in, const Reports&) {
    const auto before = std::chrono::steady_clock::now();
    timed.step(in);
    const Nanos took = std::chrono::steady_clock::now() - before;
    longest = std::max(longest, took);
    sum += static_cast<double>(took.count());
    ++rounds;
  });
  std::printf("64 people, four cameras: a round takes %.3f ms, at most %.3f ms\n",
              sum / rounds * 1e-6, static_cast<double>(longest.count()) * 1e-6);
  TEST_ASSERT_TRUE(rounds > 100);
}

/// A report's bytes.
std::vector<std::byte> bytes_of(const risk::PeopleReport& report) {
  std::vector<std::byte> room(sizeof report + 256);
  FieldWriter out{room};
  out(report);
  TEST_ASSERT_TRUE(out.ok());
  room.resize(out.size());
  return room;
}

TEST(a_restored_fuser_continues_with_the_same_bits) {
  Scene s;
  s.eyes = visible_and_thermal();
  s.car.speed = 5;
  s.car.yaw_rate = 0.05;
  s.walkers = {straight({50, 6}, {0, -1.2}), straight({60, -8}, {0.2, 1.3}),
               straight({55, 4}, {0, 0})};
  s.eyes[0].hidden = [](int w, double t) { return w == 0 && t > 2 && t < 3.8; };
  PeopleFuser first{{2, {}, {}}};
  std::vector<std::byte> room(std::size_t{192} << 10);
  int compared = 0;
  std::unique_ptr<PeopleFuser> second;
  int round = 0;
  run(
      s,
      [&](double, const Reports& in, const Reports& out) {
        if (second) {
          const Reports again = second->step(in);
          for (std::size_t c = 0; c < 2; ++c) {
            if (out[c] == nullptr) continue;
            TEST_ASSERT_TRUE(bytes_of(*out[c]) == bytes_of(*again[c]));
            ++compared;
          }
        }
        if (++round % 37 != 0) return;
        FieldWriter to{room};
        first.save(to);
        TEST_ASSERT_TRUE(to.ok());
        second = std::make_unique<PeopleFuser>(FuserSettings{2, {}, {}});
        FieldReader from{std::span<const std::byte>{room}.first(to.size())};
        second->load(from);
        TEST_ASSERT_TRUE(from.complete());
      },
      &first);
  TEST_ASSERT_TRUE(compared > 500);
}

TEST(the_object_list_and_the_warning_have_one_person_by_one_number) {
  Scene s;
  s.eyes = visible_and_thermal();
  s.car.speed = 8;
  s.walkers = {straight({40, -4 * 1.2}, {0, 1.2})};
  s.eyes[0].hidden = [](int, double t) { return t > 2.4; };  // the warning is by the other
  s.until = 4;
  std::set<std::uint16_t> numbers, warned;
  WarningDecider decider{WarningRules{}, {2, {}, {}}};
  DriverSide side;
  side.readiness = Readiness::ready;
  side.speed_mps = 8;
  int lists = 0;
  run(s, [&](double t, const Reports& in, const Reports&) {
    const Nanos now{static_cast<std::int64_t>(t * 1e9)};
    const WarningDecision told = decider.step(now, in, side);
    if (t < 1) return;
    ObjectList objects{};
    TEST_ASSERT_EQUAL_size_t(1, list_objects(decider.people(), 3.6, objects));
    numbers.insert(objects[0].id);
    ++lists;
    if (told.level == WarningLevel::collision) {
      TEST_ASSERT_TRUE(told.person.has_value());
      warned.insert(bus_number(*told.person, told.camera));
    }
  });
  TEST_ASSERT_TRUE(lists > 200);
  TEST_ASSERT_EQUAL_size_t(1, numbers.size());
  TEST_ASSERT_EQUAL_size_t(1, warned.size());
  TEST_ASSERT_TRUE(numbers == warned);
}

/// Anything in the reports: never an identity twice, nobody of one camera merged, no allocation.
TEST(whatever_the_reports_say_identities_are_unique) {
  std::mt19937_64 random{5};
  const auto upto = [&random](int n) {
    return static_cast<int>(random() % static_cast<std::uint64_t>(n));
  };
  const auto any = [&]() -> double {
    switch (upto(12)) {
      case 0:
        return std::numeric_limits<double>::quiet_NaN();
      case 1:
        return std::numeric_limits<double>::infinity();
      case 2:
        return 1e300;
      case 3:
        return 0;
      default:
        return std::uniform_real_distribution<double>{-30, 30}(random);
    }
  };
  PeopleFuser fuser{{4, {}, {}}};
  std::vector<std::unique_ptr<risk::PeopleReport>> reports;
  for (int c = 0; c < 4; ++c) reports.push_back(std::make_unique<risk::PeopleReport>());
  Nanos now = std::chrono::seconds{1};
  std::vector<std::byte> room(std::size_t{192} << 10);
  std::uint64_t allocated = 0;
  for (int round = 0; round < 3000; ++round) {
    now += std::chrono::milliseconds{10};
    Reports in{};
    for (std::size_t c = 0; c < 4; ++c) {
      risk::PeopleReport& r = *reports[c];
      if (upto(3) == 0) {
        r.at = now + Nanos{round} - std::chrono::milliseconds{upto(100)} -
               (upto(200) == 0 ? std::chrono::seconds{upto(9)} : std::chrono::seconds{0});
        r.path_known = upto(2) == 0;
        r.speed_mps = any();
        r.yaw_rate_radps = any();
        r.people.count = upto(round % 500 < 20 ? 65 : 12);
        for (int i = 0; i < r.people.count; ++i) {
          track::Person& p = r.people.items[i];
          p = {};
          p.id = static_cast<std::uint32_t>(i * 7 + upto(upto(10) == 0 ? 7 : 2)) + 1;
          p.confirmed = upto(2) == 0;
          p.certainty = upto(9) == 0 ? any() : 0.7;
          p.walks = upto(9) == 0 ? any() : 0.1 * upto(11);
          const bool sane = upto(3) != 0;
          p.x_m = sane ? 5 + 3 * (i % 4) + 0.1 * upto(5) : any();
          p.y_m = sane ? i / 4 : any();
          p.vx_mps = upto(5) == 0 ? any() : 0;
          for (double& v : p.covariance) v = upto(20) == 0 ? any() : 0;
          for (std::size_t k = 0; k < 4; ++k) p.covariance[5 * k] += 0.2;
          p.walking = {p.x_m, p.y_m, p.vx_mps, p.vy_mps, p.covariance};
          p.standing = {p.x_m, p.y_m, {0.2, 0, 0, upto(20) == 0 ? any() : 0.2}};
          p.box.score = static_cast<float>(c);
        }
      }
      if (r.at != Nanos::zero() && upto(30) != 0) in[c] = &r;
    }
    const std::uint64_t before = kerb::test::thread_allocations();
    const Reports out = fuser.step(in);
    allocated += kerb::test::thread_allocations() - before;
    std::set<Name> used;
    for (std::size_t c = 0; c < 4; ++c) {
      TEST_ASSERT_TRUE((in[c] == nullptr) == (out[c] == nullptr));
      if (out[c] == nullptr) continue;
      TEST_ASSERT_TRUE(out[c]->people.count <= in[c]->people.count);
      std::set<std::uint32_t> given;
      bool once = true;
      for (int i = 0; i < in[c]->people.count; ++i)
        once = given.insert(in[c]->people.items[i].id).second && once;
      TEST_ASSERT_TRUE(once);
      for (int i = 0; i < out[c]->people.count; ++i) {
        const track::Person& p = out[c]->people.items[i];
        TEST_ASSERT_TRUE(
            used.insert({track::identity_camera(p, static_cast<int>(c)), p.id}).second);
        TEST_ASSERT_TRUE(out[c]->contacts[i].probability >= 0);
        TEST_ASSERT_EQUAL_INT(static_cast<int>(c), static_cast<int>(p.box.score));
      }
    }
    if (round % 100 == 0) {
      FieldWriter to{room};
      fuser.save(to);
      TEST_ASSERT_TRUE(to.ok());
    }
  }
  TEST_ASSERT_EQUAL_UINT64(0, allocated);
}

}  // namespace
