// SPDX-License-Identifier: Apache-2.0
#include "firmware/warning/warning_logic.hpp"

#include <cstdio>
#include <memory>
#include <random>
#include <vector>

#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"
#include "tools/simulator/judge/common_rules.hpp"

using namespace kerb;
using kerb::risk::PeopleReport;
using std::chrono::milliseconds;

namespace {

constexpr Nanos kTick = milliseconds{10}, kFrame = milliseconds{30};

/// A car, one camera with a frame every 30 ms, known at once, and the control round every 10 ms.
struct Drive {
  explicit Drive(Sensitivity sensitivity = Sensitivity::normal)
      : logic{WarningRules{}.at(sensitivity)} {
    report->path_known = true;
    speed(10);
  }
  void speed(double mps) {
    side.speed_mps = mps;
    report->speed_mps = mps;
  }
  /// One person, whom the car touches with this probability, in so many seconds.
  void person(double probability, double in_s, std::uint32_t id = 1) {
    report->people.count = 1;
    track::Person& p = report->people.items[0];
    p = {};
    p.id = id;
    p.confirmed = true;
    p.certainty = 1;
    risk::Contact& c = report->contacts[0];
    c = {};
    c.probability = probability;
    if (probability > 0) c.expected_s = in_s;
    c.ahead_m = 20;
    c.beside_m = 0;
  }
  /// One person who is nowhere near being touched.
  void place(double ahead, double beside, double vx = 0, double vy = 0) {
    person(0, 0);
    report->people.items[0].y_m = 5;  // on the left; how far is beside_m
    report->people.items[0].vx_mps = vx;
    report->people.items[0].vy_mps = vy;
    report->contacts[0].ahead_m = ahead;
    report->contacts[0].beside_m = beside;
  }
  void nobody() { report->people.count = 0; }
  WarningDecision step() {
    now += kTick;
    if (looks && (now - Nanos::zero()) % kFrame == Nanos::zero()) report->at = now;
    if (!carries) report->looked_at = report->at;
    for (track::Person& person : report->people.items) person.last_seen = report->looked_at;
    decision = logic.step(now, {report.get()}, side);
    return decision;
  }
  WarningLevel run(Nanos time) {
    for (const Nanos end = now + time; now < end;) step();
    return decision.level;
  }
  /// How long it takes until this level; a minute: never.
  Nanos until(WarningLevel level) {
    const Nanos start = now;
    while (now - start < std::chrono::minutes{1})
      if (step().level == level) return now - start;
    return std::chrono::minutes{1};
  }

  WarningLogic logic;
  std::unique_ptr<PeopleReport> report = std::make_unique<PeopleReport>();
  DriverSide side{.readiness = Readiness::ready,
                  .speed_mps = {},
                  .yaw_rate_radps = {},
                  .gear = {},
                  .turn_signal = {}};
  Nanos now = std::chrono::seconds{100};
  bool looks = true;     ///< whether there are new reports
  bool carries = false;  ///< they are without a picture
  WarningDecision decision;
};

void expect(WarningLevel level, const Drive& drive) {
  TEST_ASSERT_EQUAL_STRING(name_of(level), name_of(drive.decision.level));
}

TEST(a_contact_that_is_near_is_warned_of_within_a_tenth_of_a_second) {
  Drive d;
  d.person(0.9, 1.2);
  TEST_ASSERT_TRUE(d.until(WarningLevel::collision) <= milliseconds{100});
  TEST_ASSERT_EQUAL_UINT32(1, d.decision.person.value_or(0));
  TEST_ASSERT_DOUBLE_WITHIN(0.05, 1.2, d.decision.time_to_collision_s.value_or(-1));
}

/// What counts is the probability that a person is there and is touched.
TEST(a_doubtful_person_needs_a_likelier_contact) {
  for (const double certainty : {0.3, 0.6, 0.99}) {
    Drive d;
    d.person(0.9, 1.5);
    d.report->people.items[0].certainty = certainty;
    d.report->people.items[0].confirmed = certainty > 0.9;
    const bool warned = d.run(std::chrono::seconds{2}) == WarningLevel::collision;
    TEST_ASSERT_EQUAL(0.9 * certainty >= WarningRules{}.likelihood, warned);
  }
}

TEST(a_single_report_is_no_warning) {
  Drive d;
  while ((d.now + kTick - Nanos::zero()) % kFrame != Nanos::zero()) d.step();  // the next is new
  for (int i = 0; i < 200; ++i) {
    d.person(i % 3 == 0 ? 1.0 : 0.1, 1.0);  // one report of three
    d.run(kFrame);
    expect(WarningLevel::none, d);
  }
}

TEST(who_is_not_confirmed_is_warned_of_by_two_pictures) {
  Drive d;
  d.person(0.9, 1.2);
  d.report->people.items[0].confirmed = false;
  TEST_ASSERT_TRUE(d.until(WarningLevel::collision) <= milliseconds{100});
}

/// Who was seen once, just before the pictures ended, is carried on; that is no second picture.
TEST(reports_without_a_picture_are_no_evidence_of_who_is_not_confirmed) {
  for (const bool confirmed : {false, true}) {
    Drive blind;
    blind.carries = true;
    blind.person(1, 1.5);
    blind.report->people.items[0].confirmed = confirmed;
    blind.report->looked_at = blind.report->people.items[0].first_seen = blind.now;
    TEST_ASSERT_TRUE(blind.run(milliseconds{450}) ==
                     (confirmed ? WarningLevel::collision : WarningLevel::none));
  }
}

TEST(likelihood_and_time_are_those_of_the_sensitivity) {
  struct Case {
    Sensitivity sensitivity;
    double likelihood, most_ahead;
  };
  for (const Case& c : {Case{Sensitivity::late, 0.7, 2.0}, Case{Sensitivity::normal, 0.55, 2.4},
                        Case{Sensitivity::early, 0.5, 2.9}}) {
    const WarningRules rules = WarningRules{}.at(c.sensitivity);
    TEST_ASSERT_EQUAL_DOUBLE(c.likelihood, rules.likelihood);
    TEST_ASSERT_TRUE(rules.ahead_s(22.2) <= c.most_ahead);
    TEST_ASSERT_TRUE(rules.ahead_s(3) >= 1.5);
    const double ahead = rules.ahead_s(10);
    Drive likely{c.sensitivity}, unlikely{c.sensitivity}, early{c.sensitivity};
    likely.person(c.likelihood + 0.01, ahead - 0.01);
    TEST_ASSERT_TRUE(likely.run(std::chrono::seconds{1}) == WarningLevel::collision);
    unlikely.person(c.likelihood - 0.01, ahead - 0.01);
    TEST_ASSERT_TRUE(unlikely.run(std::chrono::seconds{1}) == WarningLevel::none);
    early.person(1, ahead + 0.05);
    TEST_ASSERT_TRUE(early.run(std::chrono::seconds{1}) == WarningLevel::none);
  }
}

TEST(a_time_that_is_doubtful_is_waited_for) {
  Drive d;
  d.person(0.9, 2.5);
  d.report->contacts[0].expected_sigma_s = 0.8;
  TEST_ASSERT_TRUE(d.run(std::chrono::seconds{1}) == WarningLevel::none);
}

TEST(the_age_of_a_report_counts) {
  Drive d;
  const double ahead = WarningRules{}.ahead_s(10);
  d.person(0.9, ahead + 0.1);  // not yet, by a tenth of a second
  d.run(milliseconds{600});
  expect(WarningLevel::none, d);
  d.looks = false;  // the same report, later
  d.run(milliseconds{150});
  expect(WarningLevel::collision, d);
}

TEST(it_stays_by_a_looser_measure_than_it_begins) {
  Drive d;
  d.person(0.9, 1.5);
  d.until(WarningLevel::collision);
  d.person(WarningRules{}.stay_likelihood + 0.01, 1.8);
  TEST_ASSERT_TRUE(d.run(std::chrono::seconds{3}) == WarningLevel::collision);
  d.person(WarningRules{}.stay_likelihood - 0.01, 1.8);
  const double end = std::chrono::duration<double>(d.until(WarningLevel::none)).count();
  TEST_ASSERT_DOUBLE_WITHIN(0.06, WarningRules{}.lingers_s, end);
}

/// Behind a parked car, or for a second in which the detector fails: they are still there.
TEST(it_stays_while_the_person_is_out_of_sight) {
  Drive d;
  d.person(0.9, 1.8);
  d.until(WarningLevel::collision);
  d.person(0.3, 1.5);
  for (double certainty = 1; certainty > 0.3; certainty -= 0.02) {
    d.report->people.items[0].certainty = certainty;
    d.report->people.items[0].last_seen = {};
    d.run(kFrame);
    expect(WarningLevel::collision, d);
  }
}

/// The detector may lose them for longer than the tracker keeps them. Nothing then says that they
/// are out of danger.
TEST(it_stays_until_the_contact_was_expected_where_the_track_is_lost) {
  for (const double in_s : {1.4, 2.0}) {
    Drive d;
    d.person(0.9, in_s);
    d.until(WarningLevel::collision);
    d.nobody();
    const double end = std::chrono::duration<double>(d.until(WarningLevel::none)).count();
    TEST_ASSERT_DOUBLE_WITHIN(0.1, in_s, end);
  }
  // Another person is there: they are not the one.
  Drive other;
  other.person(0.9, 1.8);
  other.until(WarningLevel::collision);
  other.person(0, 1.8);
  other.report->people.items[0].id += 1;
  TEST_ASSERT_DOUBLE_WITHIN(0.1, 1.8,
                            std::chrono::duration<double>(other.until(WarningLevel::none)).count());
  // The same person, out of danger.
  Drive safe;
  safe.person(0.9, 2.0);
  safe.until(WarningLevel::collision);
  safe.person(0, 2.0);
  TEST_ASSERT_DOUBLE_WITHIN(0.06, WarningRules{}.lingers_s,
                            std::chrono::duration<double>(safe.until(WarningLevel::none)).count());
  // The driver brakes: they have seen them.
  Drive brakes;
  brakes.person(0.9, 2.0);
  brakes.until(WarningLevel::collision);
  brakes.nobody();
  brakes.report->acceleration_mps2 = -2;
  TEST_ASSERT_TRUE(brakes.until(WarningLevel::none) <= milliseconds{700});
}

TEST(no_warning_is_shorter_than_the_shortest) {
  Drive d;
  d.person(0.9, 1.5);
  d.until(WarningLevel::collision);
  d.person(0, 1.5);
  const Nanos lasted = d.until(WarningLevel::none);
  TEST_ASSERT_TRUE(lasted >= WarningLogic::kShortest && lasted <= milliseconds{1100});
}

TEST(it_does_not_come_again_at_once) {
  Drive d;
  d.person(0.9, 1.5);
  d.until(WarningLevel::collision);
  d.nobody();
  d.until(WarningLevel::none);
  d.person(0.95, 1.0);
  const Nanos pause = d.until(WarningLevel::collision);
  TEST_ASSERT_TRUE(pause >= WarningLogic::kPause &&
                   pause <= WarningLogic::kPause + milliseconds{20});
}

TEST(braking_that_stops_the_car_in_time_ends_it_at_once) {
  Drive d;
  d.person(0.9, 1.5);
  d.until(WarningLevel::collision);
  d.run(milliseconds{1000});
  d.report->acceleration_mps2 = -4;
  d.person(0.1, 2);  // as the judge of contacts has it, now that the car will stand
  TEST_ASSERT_TRUE(d.until(WarningLevel::none) <= kFrame + kTick);
}

TEST(hard_braking_ends_it_as_the_risk_falls) {
  Drive d, slow;
  for (Drive* drive : {&d, &slow}) {
    drive->person(0.9, 1.5);
    drive->until(WarningLevel::collision);
    drive->run(milliseconds{1000});
    drive->person(0.5, 1.7);
  }
  d.report->acceleration_mps2 = -5;
  TEST_ASSERT_TRUE(d.until(WarningLevel::none) <= kFrame + kTick);
  slow.report->acceleration_mps2 = -0.5;
  TEST_ASSERT_TRUE(slow.run(std::chrono::seconds{2}) == WarningLevel::collision);
}

TEST(hard_braking_that_does_not_help_keeps_it) {
  Drive d;
  d.person(0.9, 1.0);
  d.until(WarningLevel::collision);
  d.report->acceleration_mps2 = -8;
  d.person(0.95, 0.7);
  TEST_ASSERT_TRUE(d.run(std::chrono::seconds{2}) == WarningLevel::collision);
}

TEST(steering_away_ends_it_at_once) {
  Drive d;
  d.person(0.9, 1.5);
  d.until(WarningLevel::collision);
  d.run(milliseconds{1000});
  d.report->yaw_rate_radps = 0.4;
  d.person(0.1, 2);
  TEST_ASSERT_TRUE(d.until(WarningLevel::none) <= kFrame + kTick);
}

TEST(somebody_close_to_a_standing_car_is_told_of_within_a_tenth_of_a_second) {
  Drive d;
  d.speed(0);
  d.place(2, 0);
  TEST_ASSERT_TRUE(d.until(WarningLevel::information) <= milliseconds{150});
  TEST_ASSERT_TRUE(d.run(std::chrono::seconds{30}) == WarningLevel::information);
  d.nobody();
  TEST_ASSERT_TRUE(d.until(WarningLevel::none) <= milliseconds{600});
}

TEST(the_close_zone) {
  struct Case {
    double ahead, beside;
    bool close;
  };
  for (const Case& c :
       {Case{0.8, 0, true}, Case{3.9, 0, true}, Case{3.7, 0.7, true}, Case{4.3, 0, false},
        Case{2, 1.2, false}, Case{-1, 0.3, false}, Case{20, 0, false}}) {
    Drive d;
    d.speed(1);
    d.place(c.ahead, c.beside, 1);  // with the car
    TEST_ASSERT_TRUE((d.run(milliseconds{500}) == WarningLevel::information) == c.close);
  }
}

TEST(whoever_will_be_close_in_a_moment_is_told_of) {
  Drive d;
  d.speed(0);
  d.place(2, 1.2, 0, -1.4);  // comes nearer
  TEST_ASSERT_TRUE(d.run(milliseconds{200}) == WarningLevel::information);
  Drive away;
  away.speed(0);
  away.place(2, 1.2, 0, 1.4);
  TEST_ASSERT_TRUE(away.run(milliseconds{200}) == WarningLevel::none);
}

TEST(information_is_for_a_car_that_creeps) {
  const auto told = [](double kmh) {
    Drive d;
    d.speed(kmh / 3.6);
    d.place(2, 0, kmh / 3.6);
    return d.run(milliseconds{500}) == WarningLevel::information;
  };
  TEST_ASSERT_TRUE(told(0));
  TEST_ASSERT_TRUE(told(9.9));
  TEST_ASSERT_FALSE(told(10.1));
  Drive d;  // and it stays until 12
  d.speed(9 / 3.6);
  d.place(2, 0, 9 / 3.6);
  d.until(WarningLevel::information);
  d.speed(11.9 / 3.6);
  TEST_ASSERT_TRUE(d.run(std::chrono::seconds{2}) == WarningLevel::information);
  d.speed(12.1 / 3.6);
  TEST_ASSERT_TRUE(d.until(WarningLevel::none) <= milliseconds{600});
}

TEST(a_creeping_car_warns_of_a_collision_only_when_it_is_certain_and_now) {
  const auto warned = [](double kmh, double probability, double in_s) {
    Drive d;
    d.speed(kmh / 3.6);
    d.person(probability, in_s);
    return d.run(milliseconds{500}) == WarningLevel::collision;
  };
  TEST_ASSERT_FALSE(warned(6, 0.85, 0.7));
  TEST_ASSERT_FALSE(warned(6, 1, 1.4));
  TEST_ASSERT_TRUE(warned(6, 0.95, 0.7));
  TEST_ASSERT_TRUE(warned(10, 0.85, 1.4));  // as any other
}

TEST(information_turns_into_a_collision_warning_at_once_and_back) {
  Drive d;
  d.speed(2);
  d.place(2, 0);
  d.until(WarningLevel::information);
  d.report->contacts[0].probability = 1;
  d.report->contacts[0].expected_s = 0.6;
  TEST_ASSERT_TRUE(d.until(WarningLevel::collision) <= milliseconds{150});
  d.report->contacts[0].probability = 0;
  const Nanos back = d.until(WarningLevel::information);
  TEST_ASSERT_TRUE(back >= WarningLogic::kShortest - milliseconds{10});
  TEST_ASSERT_TRUE(back <= std::chrono::seconds{1});
}

TEST(old_reports_say_nothing) {
  Drive old;
  old.person(0.95, 1.2);
  old.report->at = old.now - milliseconds{400};
  old.looks = false;
  TEST_ASSERT_TRUE(old.run(std::chrono::seconds{2}) == WarningLevel::none);
  Drive never;
  never.person(0.95, 1.2);
  never.looks = false;
  never.now = Nanos::zero();
  TEST_ASSERT_TRUE(never.run(milliseconds{250}) == WarningLevel::none);
}

TEST(without_readiness_nothing_begins) {
  for (int r = 1; r < kReadinessCount; ++r) {
    if (can_warn(static_cast<Readiness>(r))) continue;
    Drive d;
    d.side.readiness = static_cast<Readiness>(r);
    d.person(1, 1);
    TEST_ASSERT_TRUE(d.run(std::chrono::seconds{1}) == WarningLevel::none);
  }
}

TEST(what_the_driver_or_reversing_stops_ends) {
  for (const Readiness stopped :
       {Readiness::switched_off, Readiness::reversing, Readiness::no_detector}) {
    Drive d;
    d.person(1, 1);
    d.until(WarningLevel::collision);
    d.side.readiness = stopped;
    TEST_ASSERT_TRUE(d.until(WarningLevel::none) <= WarningLogic::kShortest);
  }
}

/// Whom no camera sees any more is as much in danger as before: until the contact was expected.
TEST(a_fault_does_not_end_it) {
  const auto with = [](const auto& fault) {
    Drive d;
    d.person(0.95, 1.8);
    d.until(WarningLevel::collision);
    fault(d);
    d.step();
    TEST_ASSERT_DOUBLE_WITHIN(0.05, 1.8, d.decision.time_to_collision_s.value_or(-1));
    const Nanos lasted = d.until(WarningLevel::none);
    TEST_ASSERT_TRUE(lasted >= milliseconds{1780} + WarningLogic::kPassed);
    TEST_ASSERT_TRUE(lasted <= milliseconds{1850} + WarningLogic::kPassed);
  };
  with([](Drive& d) { d.looks = false; });  // nothing is reported any more
  with([](Drive& d) {                       // the camera's fault is known
    d.side.readiness = Readiness::not_active;
    d.side.sees[0] = false;
    d.looks = false;
  });
  with([](Drive& d) {  // the speed is lost, and with it the path
    d.side.readiness = Readiness::no_speed;
    d.side.speed_mps.reset();
    d.report->path_known = false;
    d.looks = false;
  });
}

TEST(a_lost_speed_does_not_end_it) {
  Drive d;
  d.person(0.95, 1.8);
  d.until(WarningLevel::collision);
  d.side.readiness = Readiness::no_speed;
  d.side.speed_mps.reset();
  d.person(0, 0);  // without a path there is no contact; the person is still seen
  d.report->path_known = false;
  const Nanos lasted = d.until(WarningLevel::none);
  TEST_ASSERT_TRUE(lasted >= milliseconds{1700} && lasted <= milliseconds{2000});
}

TEST(a_car_that_has_stopped_ends_it_even_unseen) {
  Drive d;
  d.person(0.95, 1.8);
  d.until(WarningLevel::collision);
  d.looks = false;
  d.run(milliseconds{500});
  d.side.speed_mps = 0;
  TEST_ASSERT_TRUE(d.until(WarningLevel::none) <= milliseconds{250});
}

/// People who are carried on without pictures: their report is new, what was seen is not.
TEST(people_carried_on_keep_it_and_end_it) {
  Drive d;
  d.person(0.95, 1.5);
  d.until(WarningLevel::collision);
  d.side.readiness = Readiness::not_active;
  d.side.sees[0] = false;
  d.carries = true;
  TEST_ASSERT_TRUE(d.run(std::chrono::seconds{2}) == WarningLevel::collision);
  d.person(0, 0);  // by their way they are past
  TEST_ASSERT_TRUE(d.until(WarningLevel::none) <= milliseconds{1850});
}

TEST(people_carried_on_are_warned_of_for_a_moment) {
  for (const bool fault_is_known : {false, true}) {
    for (const double blind_s : {0.3, 0.8}) {
      Drive d;
      d.person(0.95, 4);
      d.run(std::chrono::seconds{1});
      d.carries = true;
      d.side.sees[0] = !fault_is_known;
      if (fault_is_known) d.side.readiness = Readiness::not_active;
      d.run(milliseconds{static_cast<int>(1000 * blind_s)});
      d.report->contacts[0].expected_s = 1.5;
      const bool warned = d.run(milliseconds{150}) == WarningLevel::collision;
      TEST_ASSERT_EQUAL(blind_s < WarningRules{}.blind_s, warned);
    }
  }
}

TEST(nobody_else_is_locked_out) {
  Drive d;
  d.person(0.9, 1.5, 1);
  d.until(WarningLevel::collision);
  d.nobody();
  d.until(WarningLevel::none);
  d.person(0.95, 1.0, 2);
  TEST_ASSERT_TRUE(d.until(WarningLevel::collision) <= milliseconds{100});
}

/// It ended because the contact was over unseen: nothing says that the danger is gone.
TEST(whoever_is_there_after_a_fault_is_warned_of_at_once) {
  Drive d;
  d.person(0.9, 1.5, 1);
  d.until(WarningLevel::collision);
  d.looks = false;
  d.until(WarningLevel::none);
  d.looks = true;
  d.person(0.95, 1.0, 1);
  TEST_ASSERT_TRUE(d.until(WarningLevel::collision) <= milliseconds{100});
}

TEST(a_limited_view_changes_no_warning) {
  Drive ready, limited;
  limited.side.readiness = Readiness::limited_view;
  for (Drive* d : {&ready, &limited}) d->person(1, 1);
  TEST_ASSERT_TRUE(ready.until(WarningLevel::collision) == limited.until(WarningLevel::collision));
  // Nor does its beginning or its end within one.
  limited.side.readiness = Readiness::ready;
  TEST_ASSERT_TRUE(limited.run(milliseconds{300}) == WarningLevel::collision);
  limited.side.readiness = Readiness::limited_view;
  TEST_ASSERT_TRUE(limited.run(milliseconds{300}) == WarningLevel::collision);
  for (int r = 0; r < kReadinessCount; ++r)
    TEST_ASSERT_EQUAL(r == 0 || r == 8, can_warn(static_cast<Readiness>(r)));
}

TEST(the_nearest_of_many_is_named) {
  Drive d;
  d.person(0.9, 1.5);
  d.report->people.count = track::PersonList::kCapacity;
  for (int i = 0; i < track::PersonList::kCapacity; ++i) {
    d.report->people.items[i] = d.report->people.items[0];
    d.report->people.items[i].id = 100 + static_cast<std::uint32_t>(i);
    d.report->contacts[i] = d.report->contacts[0];
    d.report->contacts[i].expected_s = i == 41 ? 0.9 : 1.5;
  }
  TEST_ASSERT_TRUE(d.run(milliseconds{200}) == WarningLevel::collision);
  TEST_ASSERT_EQUAL_UINT32(141, d.decision.person.value_or(0));
  TEST_ASSERT_DOUBLE_WITHIN(0.04, 0.9, d.decision.time_to_collision_s.value_or(-1));
}

TEST(every_camera_counts_for_itself) {
  Drive d;
  d.nobody();
  PeopleReport other = *d.report;
  other.people.count = 1;
  other.people.items[0].id = 5;
  other.people.items[0].confirmed = true;
  other.people.items[0].certainty = 1;
  other.contacts[0].probability = 0.95;
  other.contacts[0].expected_s = 1.2;
  WarningDecision told;
  for (int i = 0; i < 30; ++i) {
    d.now += kTick;
    d.report->at = d.now;
    if (i % 3 == 0) other.at = other.people.items[0].last_seen = d.now;
    told = d.logic.step(d.now, {d.report.get(), nullptr, &other}, d.side);
  }
  TEST_ASSERT_TRUE(told.level == WarningLevel::collision);
  TEST_ASSERT_EQUAL_UINT32(5, told.person.value_or(0));
}

/// The two cameras report in turn, and the person is in the newest report: evidence of one person.
TEST(somebody_with_one_identity_counts_as_one_whichever_camera_reports) {
  for (const bool one : {true, false}) {
    Drive d;
    d.nobody();
    PeopleReport a = *d.report, b = *d.report;
    a.people.items[0].id = one ? 5 : 1;
    b.people.items[0].id = 5;
    if (one) a.people.items[0].camera = 1;
    for (PeopleReport* r : {&a, &b}) {
      r->people.items[0].confirmed = true;
      r->people.items[0].certainty = 1;
      r->contacts[0].probability = 0.95;
      r->contacts[0].expected_s = 1.2;
    }
    WarningDecision told;
    for (int i = 0; i < 2; ++i) {  // one report by each
      d.now += kTick;
      PeopleReport& newest = i == 0 ? a : b;
      newest.at = newest.people.items[0].last_seen = d.now;
      newest.people.count = 1;
      (i == 0 ? b : a).people.count = 0;
      told = d.logic.step(d.now, {&a, &b}, d.side);
    }
    TEST_ASSERT_TRUE((told.level == WarningLevel::collision) == one);
    if (one) TEST_ASSERT_EQUAL_INT(1, told.camera);
  }
}

/// People who come and go, a car that speeds up and brakes, reports that stay away: all at random.
class Noise {
 public:
  explicit Noise(unsigned seed) : random_{seed} {}
  void shake(Drive& d) {
    if (chance(0.01)) likely_ = uniform();
    if (chance(0.01)) soon_ = 2.5 * uniform();
    if (chance(0.005)) speed_ = 16 * uniform() * uniform();
    if (chance(0.01)) brakes_ = 10 * uniform() - 8;
    if (chance(d.looks ? 0.002 : 0.02)) d.looks = !d.looks;
    if (chance(0.002))
      d.side.readiness =
          chance(0.9) ? Readiness::ready : static_cast<Readiness>(random_() % kReadinessCount);
    d.speed(speed_);
    const auto people = static_cast<int>(random_() % 8 == 0 ? 0 : 1 + random_() % 2);
    d.person(std::clamp(likely_ + 0.3 * (uniform() - 0.5), 0.0, 1.0), soon_ + 0.5 * uniform(),
             chance(0.1) ? 2 : 1);
    d.report->people.count = people;
    d.report->people.items[1] = d.report->people.items[0];
    d.report->contacts[1] = d.report->contacts[0];
    d.report->contacts[0].ahead_m = 6 * uniform();
    d.report->contacts[0].beside_m = 2 * uniform();
    d.report->acceleration_mps2 = brakes_;
  }

 private:
  double uniform() { return std::uniform_real_distribution<double>{}(random_); }
  bool chance(double p) { return uniform() < p; }
  std::mt19937 random_;
  double likely_ = 0.5, soon_ = 1.5, speed_ = 10, brakes_ = 0;
};

TEST(whatever_comes_it_does_not_flicker) {
  int warnings = 0, levels[3] = {};
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Drive d;
    d.now = kFrame;
    Noise noise{seed};
    sim::Sent sent;
    constexpr int kSteps = 10000;
    double bad_until = 0;
    for (int i = 0; i < kSteps; ++i) {
      noise.shake(d);
      const WarningLevel level = d.step().level;
      const double t = static_cast<double>(d.now.count()) * 1e-9;
      // As the state of health, which gets better only after a second.
      if (!d.looks || !can_warn(d.side.readiness)) bad_until = t + 1;
      const bool well = t >= bad_until;
      if (sent.states.empty() || (sent.states.back().health.state == HealthState::active) != well)
        sent.states.push_back({t, {well ? HealthState::active : HealthState::degraded}});
      const auto of = static_cast<int>(d.decision.person.value_or(0));
      const bool same = !sent.warnings.empty() && sent.warnings.back().lasts &&
                        sent.warnings.back().level == level;
      if (same) sent.warnings.back().last_of = of;
      if (same) continue;
      if (!sent.warnings.empty() && sent.warnings.back().lasts) {
        sent.warnings.back().lasts = false;
        sent.warnings.back().end = t;
      }
      if (level == WarningLevel::none) continue;
      sent.warnings.push_back({level, t, t, true, std::nullopt, of, of});
      ++levels[static_cast<int>(level)];
    }
    if (!sent.warnings.empty() && sent.warnings.back().lasts)
      sent.warnings.back().end = static_cast<double>(d.now.count()) * 1e-9;
    warnings += static_cast<int>(sent.warnings.size());
    std::vector<sim::Verdict> verdicts;
    sim::judge_common_rules(sent, kSteps * 0.01, {}, verdicts);
    for (const sim::Verdict& verdict : verdicts)
      if (verdict.rule == "no_flicker")
        TEST_ASSERT_TRUE_MESSAGE(verdict.passed, verdict.reason.c_str());
  }
  std::printf("%d warnings, %d informations, %d collisions\n", warnings, levels[1], levels[2]);
  TEST_ASSERT_TRUE(warnings > 500 && levels[1] > 100 && levels[2] > 100);  // it was put to the test
}

TEST(the_same_inputs_give_the_same_decisions_and_nothing_is_allocated) {
  Drive a, b;
  Noise noise_a{77}, noise_b{77};
  for (int i = 0; i < 10000; ++i) {
    noise_a.shake(a);
    noise_b.shake(b);
    const std::uint64_t before = kerb::test::allocations();
    const WarningDecision x = a.step();
    TEST_ASSERT_EQUAL_UINT64(before, kerb::test::allocations());
    const WarningDecision y = b.step();
    TEST_ASSERT_TRUE(x.level == y.level && x.person == y.person &&
                     x.time_to_collision_s == y.time_to_collision_s);
  }
}

}  // namespace
