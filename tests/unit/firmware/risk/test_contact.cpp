// SPDX-License-Identifier: Apache-2.0
// Cases that can be reckoned by hand. The car is 1.8 m wide, 4.5 m long, its bumper 3.6 m ahead of
// the rear axle; a person is a disc of 0.3 m.
#include "firmware/risk/contact.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/risk/people.hpp"

using namespace kerb;
using kerb::risk::CarPath;
using kerb::risk::Contact;
using kerb::risk::ContactJudge;
using kerb::test::driven;
using kerb::test::somebody;

namespace {

const ContactJudge kJudge{{}, {}};

TEST(straight_ahead_and_standing) {
  // 20 m before the bumper: 19.7 m to the disc, at 10 m/s.
  const Contact c = kJudge.judge(somebody(23.6, 0, 0, 0), driven(10));
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 1.97, c.time_s.value_or(-1));
  TEST_ASSERT_DOUBLE_WITHIN(0.1, 1.97, c.expected_s.value_or(-1));
  TEST_ASSERT_TRUE(c.probability > 0.99);
  TEST_ASSERT_EQUAL_DOUBLE(0, c.closest_m);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 20, c.ahead_m);
  TEST_ASSERT_EQUAL_DOUBLE(0, c.beside_m);
}

TEST(crossing_at_the_centre) {
  // From the right, at the middle line when the bumper's plane is reached after 2 s. The disc's
  // front is touched 0.3 m before: at 1.97 s.
  const Contact c = kJudge.judge(somebody(23.6, -2.8, 0, 1.4), driven(10));
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 1.97, c.time_s.value_or(-1));
  TEST_ASSERT_TRUE(c.probability > 0.7);  // unless they stop
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1.9, c.beside_m);
}

TEST(the_corner_is_touched_where_the_disc_reaches_it) {
  // Stands 0.2 m beside the car's side: the disc meets the corner where it is sqrt(0.3^2 - 0.2^2)
  // ahead of the bumper.
  const double before = std::sqrt(0.3 * 0.3 - 0.2 * 0.2);
  const Contact c = kJudge.judge(somebody(13.6, 1.1, 0, 0, 0.01, 0.01), driven(10));
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, (10 - before) / 10, c.time_s.value_or(-1));
}

TEST(passing_behind_the_car_misses_its_rear) {
  // Walks across at 1.5 m/s; the rear (0.9 m behind the axle) is past x = 10 at (10 + 0.9) / 10 =
  // 1.09 s. The disc's edge is at the car's side at 1.2 s: it misses, by what the car drives on.
  const Contact late = kJudge.judge(somebody(10, -1.2 - 1.2 * 1.5, 0, 1.5, 0.02, 0.02), driven(10));
  TEST_ASSERT_FALSE(late.time_s.has_value());
  TEST_ASSERT_TRUE(late.closest_m > 0.1 && late.closest_m < 0.6);
  // A bit earlier it is the side, near its end.
  const Contact side = kJudge.judge(somebody(10, -1.2 - 1.0 * 1.5, 0, 1.5, 0.02, 0.02), driven(10));
  TEST_ASSERT_DOUBLE_WITHIN(2e-3, 1.0, side.time_s.value_or(-1));
}

TEST(passing_ahead_of_the_car_is_no_contact) {
  // Off the width 1.5 s before the bumper is there, unless they stop in the car's way.
  const Contact c = kJudge.judge(somebody(33.6, -1, 0, 1.5), driven(10));
  TEST_ASSERT_FALSE(c.time_s.has_value());
  TEST_ASSERT_DOUBLE_WITHIN(0.03, 0.2, c.probability);
}

TEST(the_closest_approach_beside_the_car) {
  // Stands 2 m beside the middle: 2 - 0.9 - 0.3 as long as the car passes, from 1 s on.
  const Contact c = kJudge.judge(somebody(13.6, -2, 0, 0), driven(10));
  TEST_ASSERT_FALSE(c.time_s.has_value());
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 0.8, c.closest_m);
  TEST_ASSERT_DOUBLE_WITHIN(0.06, 1, c.closest_in_s);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1.1, c.beside_m);
}

TEST(along_the_pavement_is_no_contact) {
  for (const double along : {-1.4, 1.4})
    for (const double ahead : {8.0, 15.0, 25.0, 40.0}) {
      const Contact c = kJudge.judge(somebody(3.6 + ahead, -2.75, along, 0, 0.2, 0.25), driven(10));
      TEST_ASSERT_TRUE(c.probability < (ahead < 20 ? 0.08 : 0.2));
      TEST_ASSERT_FALSE(c.time_s.has_value());
    }
}

TEST(waiting_at_the_kerb_is_no_contact) {
  for (const double speed : {5.0, 8.0, 14.0})
    for (const double seconds : {0.5, 1.0, 2.0, 2.8}) {
      const Contact c =
          kJudge.judge(somebody(3.6 + speed * seconds, -2.25, 0, 0.1, 0.15, 0.25), driven(speed));
      TEST_ASSERT_TRUE(c.probability < (seconds < 1.5 ? 0.1 : 0.35));
    }
}

TEST(oncoming_in_a_bend_is_passed) {
  // A bend to the left, radius 35 m, 7 m/s: who walks on the outer side, 3 m right of the car's
  // middle line, is straight ahead of the car at 15 m.
  const double bend = 35, out = 38, angle = std::acos(bend / out);
  const double x = out * std::sin(angle), y = bend - out * std::cos(angle);  // y: 0, straight ahead
  TEST_ASSERT_DOUBLE_WITHIN(0.01, 0, y);
  const auto walker = somebody(x, y, -1.4 * std::cos(angle), -1.4 * std::sin(angle), 0.2, 0.2);
  TEST_ASSERT_TRUE(kJudge.judge(walker, driven(7)).probability > 0.5);  // were it straight on
  const Contact c = kJudge.judge(walker, driven(7, 7 / bend));
  TEST_ASSERT_TRUE(c.probability < 0.15);
  TEST_ASSERT_FALSE(c.time_s.has_value());
  TEST_ASSERT_DOUBLE_WITHIN(0.35, 3 - 0.9 - 0.3, c.closest_m);
}

TEST(in_the_way_of_the_bend_is_hit) {
  risk::ContactSettings as_often;  // wherever people are
  as_often.pace.in_way_ratio = 1;
  const double bend = 35, angle = 0.5;  // on the line the axle takes, 17.5 m along it
  const Contact c = ContactJudge{{}, as_often}.judge(
      somebody(bend * std::sin(angle), bend * (1 - std::cos(angle)), 0, 0, 0.1, 0.1),
      driven(7, 7 / bend));
  // If it ends within the next 0.3 s, the car passes; if after the next second, it does not.
  const double lasts_s = risk::BendSettings{}.lasts_s;
  TEST_ASSERT_TRUE(c.probability > std::exp(-1 / lasts_s) - 0.03);
  TEST_ASSERT_TRUE(c.probability < std::exp(-0.3 / lasts_s) + 0.03);
  TEST_ASSERT_DOUBLE_WITHIN(0.03, (17.5 - 3.6 - 0.3) / 7, c.time_s.value_or(-1));
}

TEST(a_standing_car_hits_nobody) {
  const Contact c = kJudge.judge(somebody(2, -2, 0, 1.4), driven(0));
  TEST_ASSERT_EQUAL_DOUBLE(0, c.probability);
  TEST_ASSERT_FALSE(c.time_s.has_value());
  TEST_ASSERT_EQUAL_DOUBLE(0, c.closest_m);  // they walk into it
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, -1.6, c.ahead_m);
}

TEST(a_car_that_stops_in_time_hits_nobody) {
  const auto ahead = somebody(3.6 + 12, 0, 0, 0);
  TEST_ASSERT_TRUE(kJudge.judge(ahead, driven(8)).probability > 0.95);
  TEST_ASSERT_TRUE(kJudge.judge(ahead, driven(8, 0, -4)).probability < 0.05);  // stands after 8 m
  TEST_ASSERT_TRUE(kJudge.judge(ahead, driven(8, 0, -1.5)).probability > 0.8);
}

TEST(reversing_looks_behind) {
  TEST_ASSERT_TRUE(kJudge.judge(somebody(-4, 0, 0, 0), driven(-2)).probability > 0.95);
  TEST_ASSERT_EQUAL_DOUBLE(0, kJudge.judge(somebody(8, 0, 0, 0), driven(-2)).probability);
  const Contact c = kJudge.judge(somebody(-4, 0, 0, 0), driven(-2));
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, (4 - 0.9 - 0.3) / 2, c.time_s.value_or(-1));
}

TEST(who_may_stop_is_less_likely_hit) {
  // 1.5 m from the car's side, walking towards it: to stop takes 1 m.
  const double p = kJudge.judge(somebody(23.6, -2.7, 0, 1.35, 0.05, 0.05), driven(10)).probability;
  TEST_ASSERT_DOUBLE_WITHIN(0.05, 0.8, p);
}

TEST(who_has_begun_to_walk_is_believed_to_walk_on) {
  // From standing, 0.8 m/s^2: at the end 0.6 m/s, 2.9 m beside the car's middle, 2 s before it.
  ContactJudge judge{{}, {}};
  track::PersonList people;
  people.count = 1;
  for (int i = 0; i <= 22; ++i) {
    people.items[0] = somebody(23.6, -2.9, 0, std::max(0.0, 0.8 * (i / 30.0)), 0.1, 0.2);
    judge.observe(Nanos{std::llround((i + 1) * 1e9 / 30)}, people);
  }
  const double by_pace = judge.judge(people.items[0], driven(10)).probability;
  const double as_now = kJudge.judge(people.items[0], driven(10)).probability;
  TEST_ASSERT_TRUE(as_now < 0.45);
  TEST_ASSERT_TRUE(by_pace > as_now + 0.25);
}

TEST(who_slows_down_is_believed_to_stop) {
  ContactJudge judge{{}, {}};
  track::PersonList people;
  people.count = 1;
  for (int i = 0; i <= 30; ++i) {
    people.items[0] = somebody(23.6, -2.5, 0, 1.4 - std::max(0.0, 1.5 * ((i - 15) / 30.0)));
    judge.observe(Nanos{std::llround((i + 1) * 1e9 / 30)}, people);
  }
  TEST_ASSERT_TRUE(judge.judge(people.items[0], driven(10)).probability <
                   kJudge.judge(people.items[0], driven(10)).probability - 0.1);
}

/// Who walks with a probability of w is hit with w times the probability of one who walks and
/// (1 - w) times that of one who stands, each at their own place.
TEST(standing_and_walking_are_weighed) {
  const CarPath path = driven(10);
  const track::Person walker = somebody(23.6, -2.8, 0, 1.4);            // hit unless they stop
  const track::Person waiting = somebody(22.0, -2.9, 0, 0, 0.2, 1e-6);  // beside the path
  const double hit = kJudge.judge(walker, path).probability;
  const double missed = kJudge.judge(waiting, path).probability;
  TEST_ASSERT_TRUE(hit > 0.7 && missed < 0.05);
  for (const double walks : {0.0, 0.3, 0.8, 1.0}) {
    track::Person both = walker;
    both.walks = walks;
    both.walking = {walker.x_m, walker.y_m, walker.vx_mps, walker.vy_mps, walker.covariance};
    both.standing = {waiting.x_m,
                     waiting.y_m,
                     {waiting.covariance[0], waiting.covariance[1], waiting.covariance[4],
                      waiting.covariance[5]}};
    const Contact c = kJudge.judge(both, path);
    TEST_ASSERT_DOUBLE_WITHIN(0.01, walks * hit + (1 - walks) * missed, c.probability);
    // The likeliest path is that of the likelier of both.
    TEST_ASSERT_EQUAL(walks > 0.5, c.time_s.has_value());
  }
}

/// Who seems to walk but hardly moves counts like somebody who stands: a doubtful velocity is no
/// way round the rule below.
TEST(who_hardly_moves_counts_as_one_who_stands) {
  risk::ContactSettings rule;
  rule.pace.along_share = 0;
  risk::ContactSettings moves = rule;
  moves.pace.stays_m = 0;
  const CarPath straight = driven(10);
  const auto probability = [&](const risk::ContactSettings& settings, const track::Person& person) {
    return ContactJudge{{}, settings}.judge(person, straight).probability;
  };
  // At the edge of the way, with hardly any velocity.
  const track::Person waits = somebody(23.6, -1.1, 0, 0.02, 0.2, 0.05);
  const double p = probability(moves, waits);
  TEST_ASSERT_TRUE(p > 0.3 && p < 0.8);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.2 * p / (0.2 * p + 1 - p), probability(rule, waits));
  // Behind a car that reverses people stand as often as beside it.
  const CarPath back = driven(-2);
  const track::Person behind = somebody(-4, -1.1, 0, 0.02, 0.2, 0.05);
  TEST_ASSERT_TRUE(probability(moves, waits) > probability(rule, waits) + 0.1);
  const double hit_behind = ContactJudge{{}, moves}.judge(behind, back).probability;
  TEST_ASSERT_TRUE(hit_behind > 0.3 && hit_behind < 0.8);
  TEST_ASSERT_EQUAL_DOUBLE((ContactJudge{{}, moves}.judge(behind, back).probability),
                           (ContactJudge{{}, rule}.judge(behind, back).probability));
  // Who crosses moves farther, however soon the contact is.
  const track::Person near = somebody(3.6 + 3, -1.4, 0, 1.4, 0.2, 0.2);
  TEST_ASSERT_TRUE(ContactJudge({}, rule).judge(near, straight).expected_s.value_or(9) < 0.35);
  TEST_ASSERT_EQUAL_DOUBLE(probability(moves, near), probability(rule, near));
  const track::Person crosses = somebody(23.6, -2.8, 0, 1.4);
  TEST_ASSERT_EQUAL_DOUBLE(probability(moves, crosses), probability(rule, crosses));
}

/// Futures of those who stand in the way count a fifth: Bayes' rule, where people stand five times
/// as rarely in the way of cars as beside it.
TEST(who_stands_is_seldom_in_the_way) {
  risk::ContactSettings as_often;
  as_often.pace.in_way_ratio = 1;
  as_often.pace.along_share = 0;
  risk::ContactSettings seldom = as_often;
  seldom.pace.in_way_ratio = 0.2;
  const CarPath straight = driven(10), bend = driven(10, 0.15);
  const auto probability = [](const risk::ContactSettings& settings, const track::Person& person,
                              const CarPath& path) {
    return ContactJudge{{}, settings}.judge(person, path).probability;
  };
  track::Person stands = somebody(0, 0, 0, 0, 0.3);
  stands.walks = 0;
  for (const double side : {-2.0, -1.4, -1.0, 0.0, 1.6}) {
    stands.standing = {23.6, side, {0.09, 0, 0, 0.09}};
    const double p = probability(as_often, stands, straight);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.2 * p / (0.2 * p + 1 - p),
                              probability(seldom, stands, straight));
  }
  // In the middle of a straight way it makes no difference; on the outer pavement of a bend, where
  // the car comes only if the bend ends, it does.
  stands.standing = {23.6, 0, {0.04, 0, 0, 0.04}};
  TEST_ASSERT_TRUE(probability(seldom, stands, straight) > 0.95);
  stands.standing = {25, 1.5, {0.04, 0, 0, 0.04}};
  TEST_ASSERT_TRUE(probability(as_often, stands, bend) > 2 * probability(seldom, stands, bend));
  // Who walks across is as likely to be met in the way as elsewhere.
  const track::Person crosses = somebody(23.6, -2.8, 0, 1.4);
  TEST_ASSERT_EQUAL_DOUBLE(probability(as_often, crosses, straight),
                           probability(seldom, crosses, straight));
  // Who either stands in the way or walks across it more likely walks.
  track::Person either = crosses;
  either.walks = 0.5;
  either.walking = {23.6, -2.8, 0, 1.4, crosses.covariance};
  either.standing = {23.6, 0, {0.01, 0, 0, 0.01}};
  const double walks = probability(as_often, crosses, straight);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, (0.5 * walks + 0.2 * 0.5) / (0.5 + 0.2 * 0.5),
                            probability(seldom, either, straight));
}

TEST(nobody_is_somebody_whose_numbers_are_none) {
  auto person = somebody(20, 0, 0, 0);
  person.vy_mps = std::numeric_limits<double>::quiet_NaN();
  TEST_ASSERT_EQUAL_DOUBLE(0, kJudge.judge(person, driven(10)).probability);
  person = somebody(20, 0, 0, 0);
  person.covariance[5] = std::numeric_limits<double>::infinity();
  TEST_ASSERT_EQUAL_DOUBLE(0, kJudge.judge(person, driven(10)).probability);
}

TEST(odd_covariances_are_survived) {
  auto person = somebody(20, -1, 0, 0.5, 0, 0);  // known for certain
  TEST_ASSERT_TRUE(kJudge.judge(person, driven(10)).probability <= 1);
  person.covariance[1] = person.covariance[4] = 5;  // more than there can be
  person.covariance[0] = -1;
  const double p = kJudge.judge(person, driven(10)).probability;
  TEST_ASSERT_TRUE(p >= 0 && p <= 1);
}

TEST(without_a_path_there_is_a_place_and_no_contact) {
  const Contact c = kJudge.judge(somebody(5, 0, 0, 0), CarPath{});
  TEST_ASSERT_EQUAL_DOUBLE(0, c.probability);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1.4, c.ahead_m);
}

TEST(the_probability_does_not_jump) {
  // Somebody who comes nearer the car's way by a centimetre at a time.
  const CarPath path = driven(10);
  double last = -1;
  for (int i = 0; i <= 300; ++i) {
    const double p = kJudge.judge(somebody(23.6, -3 + 0.01 * i, 0, 0, 0.2, 0.3), path).probability;
    if (last >= 0) TEST_ASSERT_TRUE(std::abs(p - last) < 0.05);
    last = p;
  }
  TEST_ASSERT_TRUE(last > 0.9);
}

TEST(the_same_bits_and_no_allocation) {
  const CarPath path = driven(9, 0.1);
  const auto person = somebody(15, -2, 0.3, 1.1, 0.3, 0.4);
  ContactJudge judge{{}, {}};
  track::PersonList people;
  people.count = 1;
  people.items[0] = person;
  const std::uint64_t before = kerb::test::allocations();
  judge.observe(Nanos{1000}, people);
  const Contact a = judge.judge(person, path), b = judge.judge(person, path);
  TEST_ASSERT_EQUAL_UINT64(before, kerb::test::allocations());
  TEST_ASSERT_TRUE(a.probability == b.probability && a.expected_s == b.expected_s &&
                   a.time_s == b.time_s && a.closest_m == b.closest_m);
}

/// Every bit of many results in one number. It is the same on every machine; who changes the model
/// puts the new one here.
TEST(the_bits_are_those_of_every_other_machine) {
  std::uint64_t bits = 14695981039346656037u;
  const auto add = [&bits](double value) {
    std::uint64_t raw = 0;
    std::memcpy(&raw, &value, sizeof raw);
    for (int i = 0; i < 64; i += 8) bits = (bits ^ (raw >> i & 255U)) * 1099511628211u;
  };
  for (const double speed : {-2.0, 0.0, 3.0, 11.0, 22.0})
    for (const double turn : {-0.3, 0.0, 0.07}) {
      const CarPath path = driven(speed, turn, speed > 5 ? -1.3 : 0.4);
      for (const double side : {-3.0, -1.1, 0.4, 2.5}) {
        const Contact c =
            kJudge.judge(somebody(3.6 + 1.9 * speed, side, 0.2, -0.4 * side, 0.2, 0.3), path);
        for (const double value : {c.probability, c.expected_s.value_or(-1), c.expected_sigma_s,
                                   c.time_s.value_or(-1), c.closest_m, c.closest_in_s})
          add(value);
      }
    }
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(bits));
  TEST_ASSERT_EQUAL_STRING("74eae87d0ee0c942", text);
}

}  // namespace
