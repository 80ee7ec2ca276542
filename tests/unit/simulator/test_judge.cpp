// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/judge/judge.hpp"

#include <functional>
#include <string>

#include "tests/support/test.hpp"
#include "tests/unit/simulator/traces.hpp"

using namespace kerb;
using namespace kerb::sim;
using kerb::sim::test::Speaker;

namespace {

constexpr auto kInformation = WarningLevel::information;
constexpr auto kCollision = WarningLevel::collision;

/// A run of 6 s with an impact at 4 s; the person is seen from 0.5 s on, and half from 1 s on.
struct Case {
  const char* name;
  std::function<void(Criteria&)> asks;
  Speaker says;
  const char* rule;
  bool passes;
  const char* reason;  ///< a part of it
  std::function<void(Truth&)> truth = [](Truth&) {};
  std::vector<FaultSpec> faults = {};
};

Truth impact_at_4() {
  Truth truth;
  truth.seconds = 6;
  truth.contact = Contact{4, 0, 0.5, true};
  truth.seen = 0.5;
  truth.half_visible = 1.0;
  truth.contact_mps = 10;
  return truth;
}

void nobody(Truth& truth) {
  truth.contact.reset();
  truth.seen.reset();
  truth.half_visible.reset();
}
void close_from_2_to_4(Truth& truth) {
  nobody(truth);
  truth.close = {{0, 2, 4}};
}

const FaultSpec kBlinded{FaultSpec::Kind::camera_blinded, 2, 3, 1};

Judgement judge_case(const Case& c) {
  Scenario scenario;
  scenario.seconds = c.says.seconds;
  scenario.faults = c.faults;
  c.asks(scenario.criteria);
  Truth truth = impact_at_4();
  c.truth(truth);
  return judge(scenario, truth, c.says.trace());
}

const Verdict* find(const Judgement& judgement, const std::string& rule) {
  for (const Verdict& verdict : judgement.verdicts)
    if (verdict.rule == rule) return &verdict;
  return nullptr;
}

void check(const Case& c) {
  const Judgement judgement = judge_case(c);
  const Verdict* verdict = find(judgement, c.rule);
  TEST_ASSERT_NOT_NULL_MESSAGE(verdict, c.name);
  const std::string said = std::string{c.name} + ": " + verdict->reason;
  TEST_ASSERT_EQUAL_MESSAGE(c.passes, verdict->passed, said.c_str());
  TEST_ASSERT_TRUE_MESSAGE(verdict->reason.find(c.reason) != std::string::npos, said.c_str());
  if (c.passes) return;
  for (const Verdict& other : judgement.verdicts) {  // and nothing else is blamed
    const std::string also = std::string{c.name} + ": " + other.rule + ": " + other.reason;
    if (other.rule != c.rule) TEST_ASSERT_TRUE_MESSAGE(other.passed, also.c_str());
  }
}

void before_1_5(Criteria& c) {
  c.impact_expected = true;
  c.collision_warning_before_impact_s = 1.5;
}
void half_visible_0_4(Criteria& c) { c.collision_warning_after_half_visible_s = 0.4; }
void information_0_3(Criteria& c) { c.information_within_s = 0.3; }
void quiet(Criteria& c) {
  c.no_collision_warning = true;
  c.most_informations = 1;
}
void none_idle(Criteria& c) { c.most_informations = 0; }
void told_0_5(Criteria& c) { c.fault_told_within_s = 0.5; }
void nothing(Criteria&) {}

Speaker says(std::vector<kerb::sim::test::Say> what, double seconds = 6) {
  Speaker s;
  s.seconds = seconds;
  s.says = std::move(what);
  return s;
}
Speaker unwell(std::vector<kerb::sim::test::Unwell> what) {
  Speaker s;
  s.unwell = std::move(what);
  return s;
}

/// A run in the dark without a collision warning, in which the driver was told of a limited view
/// from `begin` to `end`. KW_Ready cannot say so yet: it is put into what the trace says.
Judgement told_of_limited_view(double begin, double end, const Truth::PersonLight& light,
                               bool accepted) {
  Scenario scenario;
  scenario.seconds = 6;
  scenario.criteria.collision_warning_before_impact_s = 1.2;
  scenario.criteria.limited_view_accepted = accepted;
  Truth truth = impact_at_4();
  truth.light = light;
  Sent sent = decode_trace(says({}).trace(), scenario.seconds);
  sent.limited_view = {{begin, end}};
  return judge(scenario, truth, std::move(sent));
}

TEST(a_limited_view_stands_in_only_in_time_and_where_it_truly_is_too_dark) {
  const Truth::PersonLight dark{2.3, 0.3, 1.0, 4.0, 500}, lit{2.3, 5, 1.0, 4.0, 500},
      outlined{2.3, 0.3, 9.0, 4.0, 500};
  struct LimitedCase {
    const char* name;
    double begin, end;
    Truth::PersonLight light;
    bool accepted, passes;
  };
  for (const LimitedCase& c :
       {LimitedCase{"in time", 1, 6, dark, true, true},
        LimitedCase{"too late", 3, 6, dark, true, false},
        LimitedCase{"taken back", 1, 3.5, dark, true, false},
        LimitedCase{"enough light", 1, 6, lit, true, false},
        LimitedCase{"dark, but a clear outline", 1, 6, outlined, true, false},
        LimitedCase{"another suite", 1, 6, dark, false, false}}) {
    const Judgement judgement = told_of_limited_view(c.begin, c.end, c.light, c.accepted);
    const Verdict* verdict = find(judgement, "collision_warning_before_impact");
    TEST_ASSERT_NOT_NULL_MESSAGE(verdict, c.name);
    TEST_ASSERT_EQUAL_MESSAGE(c.passes, verdict->passed, c.name);
  }
}

TEST(each_criterion_holds_and_fails_for_its_own_reason) {
  const Case cases[] = {
      {"in time", before_1_5, says({{kCollision, 2.4, 5}}), "collision_warning_before_impact", true,
       "collision warning 1.60 s before impact, required 1.50"},
      {"just in time", before_1_5, says({{kCollision, 2.5, 5}}), "collision_warning_before_impact",
       true, "1.50 s before impact"},
      {"late", before_1_5, says({{kCollision, 2.69, 5}}), "collision_warning_before_impact", false,
       "collision warning 1.31 s before impact, required 1.50"},
      {"never", before_1_5, says({}), "collision_warning_before_impact", false,
       "no collision warning before the impact at 4.00 s"},
      {"only information", before_1_5, says({{kInformation, 2, 5}}),
       "collision_warning_before_impact", false, "only information from 2.00 s on"},
      {"gave up", before_1_5, says({{kCollision, 1.5, 3}}), "collision_warning_before_impact",
       false, "ended 1.00 s before the impact"},
      {"after the impact", before_1_5, says({{kCollision, 4.1, 5}}),
       "collision_warning_before_impact", false, "no collision warning before the impact"},
      {"no impact", [](Criteria& c) { c.impact_expected = true; }, says({}), "impact_expected",
       false, "should end in an impact, but does not", nobody},
      {"too early", before_1_5, says({{kCollision, 0.4, 5}}), "collision_warning_not_too_early",
       false, "3.60 s before impact: more than 3.50"},
      {"clairvoyant", half_visible_0_4, says({{kCollision, 1.5, 5}}),
       "collision_warning_not_too_early", false, "is not visible before 1.80 s",
       [](Truth& t) {
         t.seen = 1.8;
         t.half_visible = 2;
       }},
      {"soon after half visible", half_visible_0_4, says({{kCollision, 1.4, 5}}),
       "collision_warning_after_half_visible", true, "0.40 s after"},
      {"long after half visible", half_visible_0_4, says({{kCollision, 1.41, 5}}),
       "collision_warning_after_half_visible", false, "0.41 s after"},
      {"told of somebody close", information_0_3, says({{kInformation, 2.3, 4}}),
       "information_within", true, "0.30 s after", close_from_2_to_4},
      {"told late of somebody close", information_0_3, says({{kInformation, 2.31, 4}}),
       "information_within", false, "information 0.31 s after", close_from_2_to_4},
      {"not told of somebody close", information_0_3, says({{kInformation, 0.5, 1.5}}),
       "information_within", false, "no information with somebody in the close zone from 2.00",
       close_from_2_to_4},
      {"nobody close to tell of", information_0_3, says({}), "information_within", false,
       "nobody is ever in the close zone", nobody},
      {"quiet", quiet, says({}), "no_collision_warning", true, "as required", nobody},
      {"false alarm", quiet, says({{kCollision, 2, 3}}), "no_collision_warning", false,
       "1 collision warning instead of none, the first at 2.00 s, 1.00 s in total", nobody},
      {"one information too many", quiet, says({{kInformation, 1, 2}, {kInformation, 4, 5}}),
       "most_informations", false, "2 information signals with nobody close", nobody},
      {"one information", quiet, says({{kInformation, 1, 2}}), "most_informations", true,
       "1 information signal with nobody close", nobody},
      {"information with a reason", quiet, says({{kInformation, 1, 2.5}, {kInformation, 4, 5}}),
       "most_informations", true, "no information signal with nobody", close_from_2_to_4},
      {"information from the start", none_idle, says({{kInformation, 0, 4}}), "most_informations",
       false, "1 information signal with nobody close, the first at 0.00 s", close_from_2_to_4},
      {"information that does not end", none_idle, says({{kInformation, 2.1, 26}}, 26),
       "most_informations", false, "2 information signals with nobody", close_from_2_to_4},
      {"fault told",
       told_0_5,
       unwell({{Cause::camera_blinded, 2.5, 3.5}}),
       "fault_told_within",
       true,
       "DEGRADED (camera_blinded) reported 0.50 s after camera_blinded began",
       nobody,
       {kBlinded}},
      {"fault told late",
       told_0_5,
       unwell({{Cause::camera_blinded, 2.51, 3.5}}),
       "fault_told_within",
       false,
       "0.51 s after",
       nobody,
       {kBlinded}},
      {"fault told for a moment",
       told_0_5,
       unwell({{Cause::camera_blinded, 2.2, 2.4}}),
       "fault_told_within",
       false,
       "ACTIVE again at 2.40 s, but camera_blinded lasts until 3.00 s",
       nobody,
       {kBlinded}},
      {"fault never told",
       told_0_5,
       unwell({}),
       "fault_told_within",
       false,
       "was never reported",
       nobody,
       {kBlinded}},
      {"another fault told",
       told_0_5,
       unwell({{Cause::camera_dark, 2.2, 3.5}}),
       "fault_told_within",
       false,
       "instead DEGRADED (camera_dark)",
       nobody,
       {kBlinded}},
      {"late signals, missing at first",
       told_0_5,
       unwell({{Cause::signals_missing, 2.2, 3.8}, {Cause::signals_late, 3.8, 6}}),
       "fault_told_within",
       true,
       "reported 0.20 s after",
       nobody,
       {{FaultSpec::Kind::signals_late, 2, 5, 0.8}}},
      {"late signals that are called missing",
       told_0_5,
       unwell({{Cause::signals_missing, 2.2, 6}}),
       "fault_told_within",
       false,
       "signals_late was reported only as signals_missing",
       nobody,
       {{FaultSpec::Kind::signals_late, 2, 5, 0.8}}},
      {"a knocked camera called blinded",
       told_0_5,
       unwell({{Cause::camera_blinded, 2.2, 3.5}}),
       "fault_told_within",
       false,
       "instead DEGRADED (camera_blinded)",
       nobody,
       {{FaultSpec::Kind::camera_misaligned, 2, 3, 5}}},
      {"unwell all along",
       told_0_5,
       unwell({{Cause::camera_blinded, 0.1, 6.1}}),
       "fault_told_within",
       false,
       "DEGRADED (camera_blinded) before camera_blinded begins",
       nobody,
       {kBlinded}},
      {"does not recover",
       told_0_5,
       unwell({{Cause::camera_blinded, 2.2, 6.1}}),
       "recovers",
       false,
       "DEGRADED (camera_blinded) 3.0 s after",
       nobody,
       {{FaultSpec::Kind::camera_blinded, 2, 2.5, 1}}},
      {"a fault out of nothing", nothing, unwell({{Cause::board_hot, 3, 4}}), "no_false_fault",
       false, "DEGRADED (board_hot) at 3.00 s without a fault", nobody},
      {"dark before the impact", nothing, unwell({{Cause::camera_dark, 3.9, 4.5}}),
       "no_false_fault", false, "DEGRADED (camera_dark) at 3.90 s without a fault"},
      {"dark after the impact", nothing, unwell({{Cause::camera_dark, 4.1, 4.5}}), "no_false_fault",
       true, "ACTIVE"},
  };
  for (const Case& c : cases) check(c);
}

/// In danger from 0.5 s on until they are hit at 4 s.
void in_danger(Truth& truth) { truth.dangers = {{0, 0.5, 1, 4, 4, true}}; }

TEST(a_run_with_a_hole_in_its_warning_fails_by_that_alone) {
  const auto any_time = [](Criteria& c) { c.collision_warning_before_impact_s = 0; };
  const Case cases[] = {
      // Asked for in no time, it counts from its end; so without the rule this would pass.
      {"a hole of a second", any_time, says({{kCollision, 2, 2.8}, {kCollision, 3.9, 5}}),
       "warning_not_interrupted", false, "silent for 1.10 s", in_danger},
      {"a hole of 0.3 s", any_time, says({{kCollision, 2, 3}, {kCollision, 3.3, 5}}),
       "warning_not_interrupted", false, "silent for 0.30 s", in_danger},
      {"a hole that is allowed", before_1_5, says({{kCollision, 2, 3}, {kCollision, 3.15, 5}}),
       "warning_not_interrupted", true, "silent for 0.15 s", in_danger},
      // It is one warning, which began at 2 s.
      {"a hole that is allowed, in time", before_1_5,
       says({{kCollision, 2, 3}, {kCollision, 3.15, 5}}), "collision_warning_before_impact", true,
       "collision warning 2.00 s before impact", in_danger},
      {"again at once, for somebody in danger", nothing,
       says({{kCollision, 1, 2}, {kCollision, 2.15, 5}}), "no_flicker", true, "none cut short",
       in_danger},
  };
  for (const Case& c : cases) check(c);
  const Judgement whole =
      judge_case({"whole", before_1_5, says({{kCollision, 2, 5}}), "", true, "", in_danger});
  TEST_ASSERT_TRUE(whole.passed());
  TEST_ASSERT_FALSE(find(whole, "warning_not_interrupted")->common);
}

TEST(a_warning_of_somebody_else_in_danger_is_not_too_early) {
  // The impact is at 4 s; somebody else was in danger until 1 s.
  const auto other = [](Truth& t) {
    t.dangers = {{1, 0, 0, 1, 2, false}, {0, 0.5, 1, 4, 4, true}};
  };
  check({"of the other", before_1_5, says({{kCollision, 0.3, 1.2}, {kCollision, 2, 5}}),
         "collision_warning_not_too_early", true, "", other});
  check({"of nobody", before_1_5, says({{kCollision, 0.3, 1.2}, {kCollision, 2.3, 5}}),
         "collision_warning_not_too_early", false, "3.70 s before impact", in_danger});
}

TEST(a_fault_when_the_warning_is_due_delays_it_as_long_as_it_takes_to_look_again) {
  const auto despite = [](Criteria& c) {
    c.collision_warning_before_impact_s = 1.5;
    c.collision_warning_after_fault_s = 0.5;
  };
  struct Late {
    const char* name;
    double from, to;  // of the fault; the warning is due at 2.5 s, the impact is at 4 s
    double begins;    // the latest time for the warning
  };
  for (const Late& c : {Late{"long before", 1, 1.9, 2.5}, Late{"shortly before", 1, 2.2, 2.7},
                        Late{"when it is due", 2.4, 2.5, 3.0}, Late{"long", 2.2, 3.0, 3.1},
                        Late{"to the end", 2.2, 6, 3.1}, Late{"afterwards", 2.6, 3.5, 2.5}})
    for (const bool late : {false, true}) {
      const double begins = c.begins + (late ? 0.01 : 0);
      const Judgement judgement = judge_case({c.name,
                                              despite,
                                              says({{kCollision, begins, 6}}),
                                              "",
                                              true,
                                              "",
                                              [](Truth&) {},
                                              {{FaultSpec::Kind::camera_silent, c.from, c.to, 1}}});
      const Verdict* verdict = find(judgement, "collision_warning_before_impact");
      const std::string said = std::string{c.name} + ": " + verdict->reason;
      TEST_ASSERT_EQUAL_MESSAGE(!late, verdict->passed, said.c_str());
    }
}

TEST(what_is_over_before_it_must_be_told_need_not_be) {
  const auto judged = [](FaultSpec fault, const std::function<void(Truth&)>& truth) {
    return find(judge_case({"", told_0_5, unwell({}), "", true, "", truth, {fault}}),
                "fault_told_within") != nullptr;
  };
  constexpr auto kDark = FaultSpec::Kind::camera_dark;
  TEST_ASSERT_TRUE(judged({kDark, 2, 2.5, 1}, nobody));
  TEST_ASSERT_FALSE(judged({kDark, 2, 2.49, 1}, nobody));
  // Due after the impact at 4 s.
  TEST_ASSERT_TRUE(judged({kDark, 3.4, 5, 1}, [](Truth&) {}));
  TEST_ASSERT_FALSE(judged({kDark, 3.6, 5, 1}, [](Truth&) {}));
  TEST_ASSERT_FALSE(judged({FaultSpec::Kind::camera_time_jump, 2, 3, 1}, nobody));
}

TEST(a_vision_that_hangs_must_be_told_as_a_failure) {
  const HealthReport dropped{HealthState::degraded, Cause::frames_dropped, 100, 0},
      failed{HealthState::failed, Cause::vision_failed, 300, 0};
  TEST_ASSERT_FALSE(tells(dropped, FaultSpec::Kind::vision_hangs));
  TEST_ASSERT_TRUE(tells(failed, FaultSpec::Kind::vision_hangs));
}

TEST(house_rules_fail_for_their_own_reason) {
  Speaker late_status, dark, mute, dead_status, low, slow, thin;
  late_status.status_from = 0.3;
  dark = mute = low = slow = thin = says({{kCollision, 2, 5}});
  dark.lamp = false;
  mute.sound = false;
  low.pattern.frequency_hz = 700;
  slow.pattern.pulses_per_s = 4;
  thin.pattern.duty = 0.1;
  dead_status = unwell({{Cause::camera_blinded, 2.1, 3.5}});
  dead_status.status_lamp = false;
  Speaker gives_up = unwell({{Cause::camera_blinded, 2.1, 3.5}});
  gives_up.status_lamp_until = 2.6;
  const Case cases[] = {
      {"status late", nothing, late_status, "messages", false, "0.30 s without KW_Status", nobody},
      {"lamp dark", nothing, dark, "lamp_and_sound", false, "lamp off during a collision warning",
       nobody},
      {"mute", nothing, mute, "lamp_and_sound", false, "no sound during a collision warning",
       nobody},
      {"status lamp dark",
       nothing,
       dead_status,
       "lamp_and_sound",
       false,
       "status lamp dark while DEGRADED",
       nobody,
       {kBlinded}},
      {"status lamp dark after a while",
       nothing,
       gives_up,
       "lamp_and_sound",
       false,
       "status lamp dark while DEGRADED at 2.6",
       nobody,
       {kBlinded}},
      {"cut short", nothing, says({{kInformation, 2, 2.3}}), "no_flicker", false,
       "information at 2.00 s lasted only 0.30 s", nobody},
      {"again at once", nothing, says({{kCollision, 2, 3}, {kCollision, 3.2, 5}}), "no_flicker",
       false, "collision again at 3.20 s, 0.20 s after", nobody},
      {"low", nothing, low, "sound", false, "700 Hz", nobody},
      {"slow", nothing, slow, "sound", false, "4.0 pulses", nobody},
      {"thin", nothing, thin, "sound", false, "0.10 of each pulse", nobody},
  };
  for (const Case& c : cases) check(c);
}

TEST(during_a_limited_view_the_status_lamp_may_blink_and_else_not) {
  Speaker told;
  told.limited_from = 1.5;
  told.limited_until = 4.5;
  const Sent sent = decode_trace(told.trace(), told.seconds);
  TEST_ASSERT_EQUAL_size_t(1, sent.limited_view.size());
  TEST_ASSERT_DOUBLE_WITHIN(0.02, 1.5, sent.limited_view[0].begin);
  TEST_ASSERT_DOUBLE_WITHIN(0.02, 4.5, sent.limited_view[0].end);
  Speaker untold = told, lasting = told;
  untold.tells_limited = false;
  lasting.limited_until = 1e9;
  TEST_ASSERT_EQUAL_DOUBLE(6,
                           decode_trace(lasting.trace(), lasting.seconds).limited_view.at(0).end);
  const Case cases[] = {
      {"told", nothing, told, "lamp_and_sound", true, "agree", nobody},
      {"not told", nothing, untold, "lamp_and_sound", false, "status lamp on while ACTIVE", nobody},
  };
  for (const Case& c : cases) check(c);
}

TEST(while_no_warning_would_be_given_the_status_lamp_is_lit) {
  Speaker lit;
  lit.limited_from = 1.5;
  lit.limited_until = 4.5;
  lit.then = Readiness::reversing;
  Speaker dark = lit;
  dark.status_lamp_until = 3;
  const Case cases[] = {
      {"lit", nothing, lit, "lamp_and_sound", true, "agree", nobody},
      {"dark", nothing, dark, "lamp_and_sound", false, "status lamp dark while not ready", nobody},
  };
  for (const Case& c : cases) check(c);
}

TEST(an_information_that_escalates_does_not_flicker) {
  const Judgement judgement =
      judge_case({"escalates", nothing,
                  says({{kInformation, 2, 2.2}, {kCollision, 2.2, 3.2}, {kInformation, 3.2, 4}}),
                  "no_flicker", true, "", nobody});
  TEST_ASSERT_TRUE(find(judgement, "no_flicker")->passed);
  TEST_ASSERT_EQUAL_INT(3, static_cast<int>(judgement.sent.warnings.size()));
}

TEST(a_damaged_frame_and_a_skipped_counter_are_noticed) {
  Scenario scenario;
  Truth truth;
  Trace trace = Speaker{}.trace();
  trace.frames[5].frame.data[3] ^= 1;
  const Judgement damaged = judge(scenario, truth, trace);
  TEST_ASSERT_FALSE(find(damaged, "messages")->passed);
  TEST_ASSERT_EQUAL_STRING("1 of 122 frames cannot be decoded",
                           find(damaged, "messages")->reason.c_str());
  trace = Speaker{}.trace();
  trace.frames.erase(trace.frames.begin() + 5);
  const Judgement skipped = judge(scenario, truth, trace);
  TEST_ASSERT_FALSE(find(skipped, "messages")->passed);
}

TEST(a_warning_message_that_stays_away_is_noticed_also_without_a_warning) {
  Speaker speaker;
  speaker.mute_from = 2.01;  // the one of 2.00 s comes
  speaker.mute_until = 2.2;
  const Judgement silent = judge({}, {}, speaker.trace());
  TEST_ASSERT_FALSE(find(silent, "messages")->passed);
  TEST_ASSERT_EQUAL_STRING("0.20 s without KW_Warning, at most 0.15 allowed",
                           find(silent, "messages")->reason.c_str());
  speaker.mute_until = 2.1;
  TEST_ASSERT_TRUE(find(judge({}, {}, speaker.trace()), "messages")->passed);
  speaker.mute_from = 5.5;  // for good
  speaker.mute_until = 1e9;
  TEST_ASSERT_FALSE(find(judge({}, {}, speaker.trace()), "messages")->passed);
}

TEST(sound_with_an_information_is_wrong) {
  Trace trace = says({{kInformation, 2, 4}}).trace();
  trace.tone.push_back({std::chrono::milliseconds{2500}, TonePattern{}});
  trace.tone.push_back({std::chrono::milliseconds{3500}, std::nullopt});
  const Judgement judgement = judge({}, {}, trace);
  TEST_ASSERT_FALSE(find(judgement, "lamp_and_sound")->passed);
}

TEST(workshop_tests_are_no_warnings) {
  Trace trace = Speaker{}.trace();
  can::WarningMessage test;
  test.level = kCollision;
  test.test = true;
  trace.frames.push_back({std::chrono::seconds{3}, can::encode(test)});
  TEST_ASSERT_EQUAL_INT(0, static_cast<int>(decode_trace(trace, 6).warnings.size()));
}

TEST(a_trace_survives_its_text) {
  Speaker speaker = says({{kInformation, 1, 2}, {kCollision, 2, 3}});
  speaker.unwell = {{Cause::board_hot, 4, 5}};
  const Trace trace = speaker.trace();
  const std::string text = render_trace(trace);
  const Result<Trace> again = parse_trace(text, "t");
  TEST_ASSERT_OK(again);
  TEST_ASSERT_EQUAL_STRING(text.c_str(), render_trace(*again).c_str());
  TEST_ASSERT_EQUAL_INT(static_cast<int>(trace.frames.size()),
                        static_cast<int>(again->frames.size()));
  TEST_ASSERT_EQUAL_INT(static_cast<int>(trace.tone.size()), static_cast<int>(again->tone.size()));
}

TEST(a_broken_trace_names_its_line) {
  struct Broken {
    const char* text;
    const char* says;
  };
  for (const Broken& b :
       {Broken{"x can 220 00\n", "t:1: does not begin with a time"},
        Broken{"1 can 220 00\n0.5 lamp 1\n", "t:2: is earlier"},
        Broken{"1 can 220 0\n", "t:1: is not a can"}, Broken{"1 can 900 00\n", "t:1: is not a can"},
        Broken{"1 lamp 2\n", "t:1: is not a can"},
        Broken{"# fine\n1 horn 1\n", "t:2: is not a can"},
        Broken{"1 tone 1000 8\n", "t:1: is not a can"}, Broken{"inf lamp 1\n", "t:1: does not"}}) {
    const Result<Trace> trace = parse_trace(b.text, "t");
    TEST_ASSERT_FALSE_MESSAGE(static_cast<bool>(trace), b.text);
    const std::string line = describe(trace.error());
    TEST_ASSERT_TRUE_MESSAGE(line.find(b.says) != std::string::npos, line.c_str());
  }
}

}  // namespace
