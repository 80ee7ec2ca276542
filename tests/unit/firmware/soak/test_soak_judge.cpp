// SPDX-License-Identifier: Apache-2.0
// The judge of the soak finds what must not be: each rule is broken once.
#include <chrono>
#include <functional>

#include "tests/support/test.hpp"
#include "tests/unit/firmware/soak/soak_judge.hpp"

using namespace kerb;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::SoakJudge;
using test::SoakRound;

namespace {

/// All is well, and nobody is there.
SoakRound well() {
  SoakRound round;
  round.nobody = true;
  round.ready = round.active = true;
  return round;
}

/// Rounds for `duration`, after `now`.
void rounds(SoakJudge& judge, SoakRound round, Nanos duration, Nanos& now) {
  for (const Nanos end = now + duration; now < end;) {
    round.now = now += milliseconds{10};
    judge.take(round);
  }
}

struct Case {
  const char* breach;
  std::function<void(SoakRound&)> is;
  Nanos harmless, harmful;
};

TEST(each_rule_finds_its_breach_and_nothing_else) {
  const Case cases[] = {
      {"silent", [](SoakRound& r) { r.nobody = false, r.danger = true; }, SoakJudge::kSilent,
       SoakJudge::kSilent + milliseconds{30}},
      {"silent",  // decided, but the lamp does not show it
       [](SoakRound& r) { r.nobody = false, r.danger = r.decided = r.heard = true; },
       SoakJudge::kSilent, SoakJudge::kSilent + milliseconds{30}},
      {"silent",  // nor the bus
       [](SoakRound& r) { r.nobody = false, r.danger = r.decided = r.red = true; },
       SoakJudge::kSilent, SoakJudge::kSilent + milliseconds{30}},
      {"dark", [](SoakRound& r) { r.ready = false; }, Nanos::zero(), milliseconds{10}},
      {"dark", [](SoakRound& r) { r.active = false; }, Nanos::zero(), milliseconds{10}},
      {"unnoticed", [](SoakRound& r) { r.must_show = true; }, Nanos::zero(), milliseconds{10}},
      {"false_alarm", [](SoakRound& r) { r.decided = r.red = r.heard = true; }, Nanos::zero(),
       milliseconds{10}},
      {"bitten", [](SoakRound& r) { r.bitten = true; }, Nanos::zero(), milliseconds{10}},
  };
  for (const Case& c : cases) {
    for (const Nanos duration : {c.harmless, c.harmful}) {
      SoakJudge judge;
      Nanos now{};
      rounds(judge, well(), seconds{1}, now);
      SoakRound bad = well();
      c.is(bad);
      rounds(judge, bad, duration, now);
      rounds(judge, well(), seconds{1}, now);
      const std::uint64_t expected = duration == c.harmful ? 1 : 0;
      TEST_ASSERT_EQUAL_UINT64_MESSAGE(expected, judge.breaches(), c.breach);
      if (expected == 1) TEST_ASSERT_TRUE_MESSAGE(judge.by_name().contains(c.breach), c.breach);
    }
  }
}

TEST(a_recovery_that_takes_too_long_is_a_breach) {
  for (const Nanos over : {Nanos{milliseconds{-50}}, Nanos{milliseconds{50}}}) {
    for (const bool ready : {false, true}) {  // what is late: ready, or only ACTIVE
      SoakJudge judge;
      Nanos now{};
      SoakRound bad = well();
      bad.faulty = bad.must_show = bad.amber = true;
      bad.ready = bad.active = false;
      rounds(judge, bad, seconds{10}, now);
      TEST_ASSERT_EQUAL_UINT64(0, judge.breaches());
      SoakRound healed = well();
      healed.amber = true;
      healed.ready = ready;
      healed.active = false;
      const Nanos limit = ready ? SoakJudge::kActive : SoakJudge::kReady;
      rounds(judge, healed, limit + over, now);
      rounds(judge, well(), seconds{1}, now);
      TEST_ASSERT_EQUAL_UINT64(over > Nanos::zero() ? 1 : 0, judge.breaches());
      TEST_ASSERT_EQUAL_UINT64(1, judge.recoveries());
      TEST_ASSERT_TRUE(judge.longest_recovery() >= limit + over - milliseconds{20});
    }
  }
}

TEST(what_does_not_work_is_not_asked_for) {
  SoakJudge judge;
  Nanos now{};
  SoakRound round = well();
  round.nobody = false;
  round.danger = round.decided = true;  // neither lamp nor bus tell it, nor the amber lamp of them
  round.red_works = round.bus_works = round.amber_works = false;
  round.active = false;
  round.faulty = round.must_show = true;
  rounds(judge, round, seconds{10}, now);
  TEST_ASSERT_EQUAL_UINT64(0, judge.breaches());
  TEST_ASSERT_EQUAL_UINT64(1000, judge.due());
  TEST_ASSERT_EQUAL_UINT64(1000, judge.given());
  SoakRound unready = well();  // nor a warning, while it says that it gives none
  unready.nobody = false;
  unready.danger = unready.amber = true;
  unready.ready = false;
  rounds(judge, unready, seconds{2}, now);
  TEST_ASSERT_EQUAL_UINT64(0, judge.breaches());
}

}  // namespace
