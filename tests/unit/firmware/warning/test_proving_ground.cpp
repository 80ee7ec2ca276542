// SPDX-License-Identifier: Apache-2.0
// Risk and warning in the simulator's scenarios, with eyes that are neither perfect nor drawn (see
// stand_in_eyes.hpp): what the logic itself is worth, judged as the product is. The product's own
// figures come from `kerblab sim run`.
//
//   unit_warning_proving_ground [--every N] [--seed N] [--aloud] [PART OF A SCENARIO'S NAME]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "firmware/can/codec.hpp"
#include "firmware/can/publisher.hpp"
#include "firmware/risk/contact.hpp"
#include "firmware/warning/alert_outputs.hpp"
#include "firmware/warning/warning_logic.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/warning/stand_in_eyes.hpp"
#include "tools/simulator/judge/judge.hpp"
#include "tools/simulator/scenario/load.hpp"

using namespace kerb;
using namespace kerb::sim;

namespace {

constexpr double kLongRun = 60;  // seconds; those are for kerblab, not for a quick test
constexpr double kLatency = 0.04;
std::size_t every = 1;
std::uint64_t first_seed = 1;
std::string only;
bool aloud = false;

class Line final : public OutputLine {
 public:
  Line(std::vector<Trace::Level>& to, const Nanos& now) : to_{to}, now_{now} {}
  Status set(bool on) override {
    note(to_, now_, on);
    return Done{};
  }
  [[nodiscard]] Result<bool> get() const override { return false; }

 private:
  std::vector<Trace::Level>& to_;
  const Nanos& now_;
};
class Sounder final : public Tone {
 public:
  Sounder(std::vector<Trace::Sound>& to, const Nanos& now) : to_{to}, now_{now} {}
  Status play(const TonePattern& pattern) override {
    note(to_, now_, pattern);
    return Done{};
  }
  Status stop() override {
    note(to_, now_, std::nullopt);
    return Done{};
  }

 private:
  std::vector<Trace::Sound>& to_;
  const Nanos& now_;
};

Trace drive(const World& world, Sensitivity sensitivity, std::uint64_t seed) {
  const Scenario& scenario = world.scenario();
  sim::test::StandInEyes eyes{world, seed};
  const risk::CarShape shape{scenario.car.width_m, scenario.car.length_m, 0};
  risk::CarPath path;
  risk::ContactJudge judge{shape, {}};
  WarningLogic logic{WarningRules{}.at(sensitivity)};
  risk::PeopleReport report;
  Trace trace;
  Nanos now{};
  Line lamp{trace.warning_lamp, now}, status_lamp{trace.status_lamp, now};
  Sounder tone{trace.tone, now};
  AlertOutputs outputs{&lamp, &status_lamp, &tone, TonePattern{}};
  can::StatusPublisher statuses{now};
  can::WarningPublisher warnings;
  int frame = 0;
  Moment car;
  for (int i = 0; i * 0.01 <= scenario.seconds; ++i) {
    const double t = i * 0.01;
    now = std::chrono::milliseconds{10} * i;
    for (; frame / sim::test::StandInEyes::kRate + kLatency <= t; ++frame) {
      const double taken = frame / sim::test::StandInEyes::kRate;
      eyes.look(taken, report.people);
      report.at = Nanos{static_cast<Nanos::rep>(taken * 1e9) + 1};
      path.update(report.at, {std::round(eyes.now().car.mps * 100) / 100,
                              std::round(eyes.now().car.yaw_radps * 2000) / 2000});
      report.path_known = path.known();
      report.speed_mps = path.speed_mps();
      report.acceleration_mps2 = path.acceleration_mps2();
      report.yaw_rate_radps = path.yaw_rate_radps();
      judge.observe(report.at, report.people);
      for (int k = 0; k < report.people.count; ++k) {
        report.contacts[k] = judge.judge(report.people.items[k], path);
        const risk::Contact& c = report.contacts[k];
        const track::Person& p = report.people.items[k];
        if (aloud && c.probability > 0.1)
          std::printf(
              "%.3f id %u at %.2f %.2f v %.2f %.2f sigma %.2f %.2f %.2f p %.2f in %.2f +- %.2f "
              "(%.2f) v "
              "%.2f\n",
              taken, p.id, p.x_m, p.y_m, p.vx_mps, p.vy_mps, std::sqrt(p.covariance[5]),
              std::sqrt(p.covariance[10]), std::sqrt(p.covariance[15]), c.probability,
              c.expected_s.value_or(-1), c.expected_sigma_s, c.time_s.value_or(-1),
              path.speed_mps());
      }
    }
    world.at(t, car);
    DriverSide side;
    side.readiness = t < 0.2 ? Readiness::starting : Readiness::ready;
    side.speed_mps = std::round(car.car.mps * 100) / 100;
    side.yaw_rate_radps = car.car.yaw_radps;
    const WarningDecision told = logic.step(now, {&report}, side);
    can::StatusMessage status;
    status.health.state = t < 0.2 ? HealthState::starting : HealthState::active;
    status.detector_present = true;
    outputs.show(told.level, told.level == WarningLevel::collision, t < 0.2, now);
    can::WarningMessage warning;
    warning.level = told.level;
    warning.time_to_collision_s = told.time_to_collision_s;
    for (const std::optional<CanFrame>& sent :
         {statuses.poll(now, status), warnings.poll(now, warning)})
      if (sent) trace.frames.push_back({now, *sent});
  }
  return trace;
}

struct Group {
  int runs = 0, good = 0;
  double least = 1e9, sum = 0;
  int warned = 0;
};

std::map<std::string, Group> run_suite(const std::string& name, Sensitivity sensitivity) {
  const Loaded suite = load_suite(name);
  TEST_ASSERT_TRUE_MESSAGE(suite.ok(), suite.problems.empty() ? "" : suite.problems[0].c_str());
  std::map<std::string, Group> groups;
  for (std::size_t i = 0; i < suite.scenarios.size(); i += every) {
    const Scenario& scenario = suite.scenarios[i];
    if (scenario.seconds > kLongRun) continue;
    if (!only.empty() && scenario.name.find(only) == std::string::npos) continue;
    const World world{scenario};
    const Judgement judged =
        judge(scenario, find_truth(world), drive(world, sensitivity, first_seed * 1000 + i));
    Group& group = groups[scenario.group];
    ++group.runs;
    if (judged.passed()) ++group.good;
    if (judged.warned_before_impact) {
      ++group.warned;
      group.sum += *judged.warned_before_impact;
      group.least = std::min(group.least, *judged.warned_before_impact);
    }
    for (const Verdict& verdict : judged.verdicts) {
      if (!verdict.passed) std::printf("  %s: %s\n", scenario.name.c_str(), verdict.reason.c_str());
      TEST_ASSERT_TRUE_MESSAGE(verdict.passed || !verdict.common, verdict.reason.c_str());
    }
  }
  for (const auto& [group, g] : groups)
    std::printf("%-10s %-28s %3d of %3d; warned %3d, mean %.2f s, least %.2f s before impact\n",
                name.c_str(), group.c_str(), g.good, g.runs, g.warned,
                g.warned > 0 ? g.sum / g.warned : 0, g.warned > 0 ? g.least : 0);
  return groups;
}

/// At most a share of a group's runs is not as it should be, or one of eight or more: that is
/// chance.
bool holds(const std::map<std::string, Group>& groups, const std::string& name, double share) {
  const auto found = groups.find(name);
  if (found == groups.end()) return !only.empty();
  const int runs = found->second.runs, wrong = runs - found->second.good;
  return wrong <= std::max(share * runs, runs >= 8 ? 1.0 : 0.0);
}
int wrong_in(const std::map<std::string, Group>& groups) {
  int wrong = 0;
  for (const auto& [name, group] : groups) wrong += group.runs - group.good;
  return wrong;
}

TEST(euroncap) {
  const std::map<std::string, Group> groups = run_suite("euroncap", Sensitivity::normal);
  const auto warned = groups.find("CPLA-warning");
  if (warned != groups.end()) TEST_ASSERT_EQUAL(warned->second.runs, warned->second.good);
  TEST_ASSERT_TRUE(holds(groups, "CPLA", 0.05));
  TEST_ASSERT_TRUE(holds(groups, "crossing", 0.03));
  TEST_ASSERT_TRUE(holds(groups, "CPNCO", 0.05));
}
TEST(r159) { TEST_ASSERT_EQUAL(0, wrong_in(run_suite("r159", Sensitivity::normal))); }
TEST(quiet) { TEST_ASSERT_TRUE(wrong_in(run_suite("quiet", Sensitivity::normal)) <= 1); }
/// A sensitivity is worth its name.
TEST(early_is_earlier_and_late_is_later) {
  const auto mean = [](Sensitivity sensitivity) {
    const std::map<std::string, Group> groups = run_suite("euroncap", sensitivity);
    const Group& group = groups.at("CPLA-warning");
    return group.sum / group.warned;
  };
  const double late = mean(Sensitivity::late), normal = mean(Sensitivity::normal),
               early = mean(Sensitivity::early);
  TEST_ASSERT_TRUE(late + 0.1 < normal && normal + 0.1 < early);
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (words[i] == "--every" && has_value)
      every = std::strtoul(words[++i].c_str(), nullptr, 10);
    else if (words[i] == "--seed" && has_value)
      first_seed = std::strtoul(words[++i].c_str(), nullptr, 10);
    else if (words[i] == "--aloud")
      aloud = true;
    else
      only = words[i];
  }
  if (only.empty()) {
    only = "CPLA-";
    every = std::min<std::size_t>(every, 3);  // a mean of two tells nothing
  }
  return Start::run;
}
