// SPDX-License-Identifier: Apache-2.0
// Suites drawn from other seeds: named by them, repeatable, possible, and fair.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"
#include "tools/simulator/scenario/load.hpp"
#include "tools/simulator/world/world.hpp"

using namespace kerb::sim;

namespace {

const std::vector<std::string>& suites() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (const SuiteName& suite : shipped_suites()) out.push_back(suite.name);
    return out;
  }();
  return names;
}

Loaded loaded(const std::string& name, std::uint32_t seed) {
  Loaded out = load_suite(name, seed);
  TEST_ASSERT_TRUE_MESSAGE(out.ok(), out.ok() ? "" : out.problems.front().c_str());
  return out;
}

bool same_people(const Scenario& a, const Scenario& b) {
  return std::ranges::equal(a.people, b.people, [](const PersonSpec& p, const PersonSpec& q) {
    return p.seed == q.seed && p.height_m == q.height_m && p.start.at.x == q.start.at.x &&
           p.start.at.y == q.start.at.y && p.start.heading == q.start.heading;
  });
}

TEST(seed_0_gives_the_runs_there_always_were) {
  // Names, a value that is drawn, and the seed of what the scenario draws, as they were before
  // there were seeds: kerblab 0.1.0, `sim list --json` and reports of it.
  const Loaded suite = loaded("euroncap", 0);
  TEST_ASSERT_EQUAL(200, suite.scenarios.size());
  for (const Scenario& s : suite.scenarios) {
    TEST_ASSERT_TRUE(s.name.find('@') == std::string::npos);
    TEST_ASSERT_EQUAL_UINT32(0, s.suite_seed);
    TEST_ASSERT_TRUE(s.variation == (s.name.find("-v") != std::string::npos));
    if (!s.variation) TEST_ASSERT_EQUAL_UINT32(1, s.seed);
    // FNV-1a of the name, modulo a million.
    std::uint64_t h = 14695981039346656037u;
    for (const char c : s.name) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211u;
    if (s.variation) TEST_ASSERT_EQUAL_UINT32(h % 1000000, s.seed);
  }
}

TEST(a_seed_draws_every_variation_anew_and_leaves_nominal_runs_alone) {
  for (const std::string& name : suites()) {
    const Loaded own = loaded(name, 0), seven = loaded(name, 7), eight = loaded(name, 8);
    std::map<std::string, const Scenario*> nominal;
    for (const Scenario& s : own.scenarios)
      if (!s.variation) nominal[s.name] = &s;
    std::size_t kept = 0, drawn = 0;
    std::set<std::string> names;
    for (std::size_t i = 0; i < seven.scenarios.size(); ++i) {
      const Scenario &a = seven.scenarios[i], &b = eight.scenarios.at(i);
      TEST_ASSERT_TRUE_MESSAGE(names.insert(a.name).second, a.name.c_str());
      TEST_ASSERT_EQUAL_STRING(a.group.c_str(), b.group.c_str());
      if (!a.variation) {
        ++kept;
        TEST_ASSERT_TRUE_MESSAGE(nominal.contains(a.name), a.name.c_str());
        TEST_ASSERT_EQUAL_UINT32(nominal[a.name]->seed, a.seed);
        TEST_ASSERT_TRUE_MESSAGE(same_people(*nominal[a.name], a), a.name.c_str());
        continue;
      }
      ++drawn;
      TEST_ASSERT_TRUE_MESSAGE(a.name.ends_with("@7"), a.name.c_str());
      TEST_ASSERT_TRUE_MESSAGE(b.name.ends_with("@8"), b.name.c_str());
      TEST_ASSERT_EQUAL_UINT32(7, a.suite_seed);
      TEST_ASSERT_TRUE_MESSAGE(a.seed != b.seed, a.name.c_str());
      if (!a.people.empty()) TEST_ASSERT_FALSE_MESSAGE(same_people(a, b), a.name.c_str());
    }
    TEST_ASSERT_EQUAL(nominal.size(), kept);
    // Each nominal run has at least one.
    TEST_ASSERT_TRUE_MESSAGE(drawn >= kept, name.c_str());
  }
}

TEST(a_seed_gives_the_same_runs_every_time) {
  const Loaded a = loaded("quiet", 4294967295u), b = loaded("quiet", 4294967295u);
  TEST_ASSERT_EQUAL(a.scenarios.size(), b.scenarios.size());
  for (std::size_t i = 0; i < a.scenarios.size(); ++i) {
    TEST_ASSERT_EQUAL_STRING(a.scenarios[i].name.c_str(), b.scenarios[i].name.c_str());
    TEST_ASSERT_TRUE(same_people(a.scenarios[i], b.scenarios[i]));
  }
}

TEST(every_seed_gives_runs_that_are_possible) {
  for (const std::string& name : suites())
    for (std::uint32_t seed = 1; seed <= 12; ++seed)
      for (const Scenario& s : loaded(name, 1000 * seed + seed).scenarios) {
        if (!s.variation || s.seconds > 60) continue;
        TEST_ASSERT_TRUE_MESSAGE(
            World{s}.contact().has_value() == s.criteria.impact_expected ||
                (!s.criteria.impact_expected && !s.criteria.no_collision_warning),
            s.name.c_str());
      }
}

TEST(a_draw_that_is_impossible_is_drawn_again) {
  // Of the places that are drawn, most are inside the car. Its own variation is refused.
  const std::string text =
      "[[group]]\nname = \"a\"\nnominal = false\ndraws = 1\n"
      "scenario = { people = [{ start = [9, 0] }] }\n"
      "random = { \"people[0].start\" = { of = [[-1, 0], [-2, 0], [-3, 0], [-1.5, 0.3], [20, 4]] } "
      "}\n";
  const kerb::test::TempFolder folder;
  const std::string file = folder.write("suite.toml", text);
  int possible = 0;
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const Loaded out = load_suite(file, seed);
    if (!out.ok()) continue;
    ++possible;
    TEST_ASSERT_EQUAL_DOUBLE(20, out.scenarios.at(0).people.at(0).start.at.x);
  }
  TEST_ASSERT_GREATER_THAN(16, possible);  // of 20 draws, all fail with 0.8^20 = 1 %
}

TEST(a_group_may_have_variations_of_other_seeds_only) {
  const kerb::test::TempFolder folder;
  const std::string file = folder.write(
      "suite.toml",
      "[[group]]\nname = \"a\"\nseed_draws = 2\nscenario = { people = [{ start = [9, 3] }] }\n"
      "random = { \"people[0].height_m\" = { from = 1.5, to = 1.9 } }\n");
  TEST_ASSERT_EQUAL_size_t(1, load_suite(file).scenarios.size());
  const std::vector<Scenario> seven = load_suite(file, 7).scenarios;
  TEST_ASSERT_EQUAL_size_t(3, seven.size());
  TEST_ASSERT_EQUAL_STRING("a-v2@7", seven[2].name.c_str());
  TEST_ASSERT_TRUE(seven[1].people[0].height_m != seven[2].people[0].height_m);
}

TEST(a_scenario_alone_has_one_variation) {
  const Loaded own = load_suite("scenarios/demo"), seven = load_suite("scenarios/demo", 7);
  TEST_ASSERT_EQUAL(1, own.scenarios.size());
  TEST_ASSERT_EQUAL(2, seven.scenarios.size());
  TEST_ASSERT_EQUAL_STRING("demo", seven.scenarios[0].name.c_str());
  TEST_ASSERT_EQUAL_STRING("demo-v1@7", seven.scenarios[1].name.c_str());
  TEST_ASSERT_EQUAL_STRING("demo", seven.scenarios[1].group.c_str());
  TEST_ASSERT_TRUE(same_people(own.scenarios[0], seven.scenarios[0]));
  TEST_ASSERT_FALSE(same_people(own.scenarios[0], seven.scenarios[1]));
}

}  // namespace
