// SPDX-License-Identifier: Apache-2.0
// The suites' geometry against a pencil: motion is worked out here again, from the numbers of the
// scenario (starts, legs, speeds), not by the world that plays it.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "firmware/types/vehicle_limits.hpp"
#include "tests/support/test.hpp"
#include "tools/simulator/scenario/load.hpp"
#include "tools/simulator/world/world.hpp"

using namespace kerb::sim;

namespace {

constexpr double kRadius = 0.25;  // of a person
constexpr double kPlace = 0.05, kTime = 0.02;

const Loaded& suite(const std::string& name) {
  static std::map<std::string, Loaded> loaded;
  if (!loaded.contains(name)) loaded[name] = load_suite(name);
  const Loaded& out = loaded[name];
  TEST_ASSERT_TRUE_MESSAGE(out.ok(), out.ok() ? "" : out.problems.front().c_str());
  TEST_ASSERT_FALSE(out.scenarios.empty());
  return out;
}

/// A walk of one leg: stands, speeds up evenly, walks on.
Vec2 walker_at(const PersonSpec& person, double t) {
  const WalkLeg& leg = person.walk.at(0);
  const double dx = leg.to.x - person.start.at.x, dy = leg.to.y - person.start.at.y;
  const double whole = std::sqrt(dx * dx + dy * dy);
  const double since = t - person.start_s;
  double gone = 0;
  if (since > 0) {
    const double ramp_s = 2 * leg.speed_up_m / leg.mps;  // mean speed is the half
    gone = since < ramp_s ? leg.mps / ramp_s * since * since / 2
                          : leg.speed_up_m + leg.mps * (since - ramp_s);
  }
  gone = std::min(gone, whole);
  return {person.start.at.x + dx / whole * gone, person.start.at.y + dy / whole * gone};
}

/// The gap between the car, straight along x from the origin, and a person's circle.
double gap(const Scenario& s, double mps, Vec2 p, double t) {
  const double front = mps * t, half = s.car.width_m / 2;
  const double x = std::max({p.x - front, front - s.car.length_m - p.x, 0.0});
  const double y = std::max(std::abs(p.y) - half, 0.0);
  return std::sqrt(x * x + y * y) - kRadius;
}

/// The number in front of `unit` in a name: 30 of "CPNA-25-30kmh".
double number_before(const std::string& name, const std::string& unit) {
  const std::size_t end = name.find(unit);
  TEST_ASSERT_TRUE_MESSAGE(end != std::string::npos, name.c_str());
  const std::size_t begin = name.find_last_of('-', end) + 1;
  return std::stod(name.substr(begin, end - begin));
}

TEST(each_crash_test_hits_where_and_when_it_says) {
  for (const Scenario& s : suite("euroncap").scenarios) {
    const char* name = s.name.c_str();
    const double mps = number_before(s.name, "kmh") / 3.6;
    TEST_ASSERT_EQUAL_MESSAGE(1, s.car.speeds.size(), name);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-9, mps, s.car.speeds[0].mps, name);
    TEST_ASSERT_TRUE_MESSAGE(s.car.way.empty() && s.car.start.at.x == 0 && s.car.start.at.y == 0,
                             name);
    // CPNA-25-30kmh, CPLA-warning-50-70kmh-v1: the percentage is before the speed.
    const std::string before_speed = s.name.substr(
        0, s.name.rfind("-" + s.name.substr(s.name.find_last_of('-', s.name.find("kmh")) + 1)));
    const double percent = std::stod(before_speed.substr(before_speed.find_last_of('-') + 1));
    double touched = -1;
    for (int i = 0; i <= 4500 && touched < 0; ++i) {
      const double t = i * 1e-3;
      for (const PersonSpec& person : s.people)
        if (gap(s, mps, walker_at(person, t), t) <= 0) touched = t;
    }
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(kTime, 4, touched, name);
    // Where: of the first person, whose middle is then `percent` across from the right edge.
    const Vec2 there = walker_at(s.people[0], 4);
    const double across = there.y + s.car.width_m / 2;
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(kPlace, percent / 100 * s.car.width_m, across, name);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(kPlace, mps * 4 + kRadius, there.x, name);
    // And the world that plays it agrees with this.
    const auto contact = World{s}.contact();
    TEST_ASSERT_TRUE_MESSAGE(contact.has_value() && contact->front, name);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-3, touched, contact->t, name);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-3, across / s.car.width_m, contact->across, name);
  }
}

TEST(nominal_crash_tests_start_as_the_protocol_has_it) {
  int crossing = 0;
  for (const Scenario& s : suite("euroncap").scenarios) {
    if (s.name.find("-v") != std::string::npos) continue;
    const char* name = s.name.c_str();
    const PersonSpec& p = s.people.at(0);
    const bool far = s.name.starts_with("CPFA"), along = s.name.starts_with("CPLA");
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-9, (far ? 8 : 5) / 3.6, p.walk.at(0).mps, name);
    if (along) {
      TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-9, p.start.at.y, p.walk[0].to.y, name);
      continue;
    }
    ++crossing;
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-9, far ? 6 : -4, p.start.at.y, name);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-9, p.start.at.x, p.walk[0].to.x, name);
    TEST_ASSERT_EQUAL_DOUBLE_MESSAGE(far ? 1.5 : 1, p.walk[0].speed_up_m, name);
    TEST_ASSERT_TRUE_MESSAGE(p.start_s >= 0, name);
  }
  TEST_ASSERT_EQUAL_INT(18 + 6 + 6, crossing);
  // CPNA-50: 4 m at 5 km/h, of which the first takes twice as long: (4 + 1) / 1.389 = 3.6 s.
  const auto& all = suite("euroncap").scenarios;
  const auto found = std::ranges::find(all, std::string{"CPNA-50-40kmh"},
                                       [](const Scenario& s) { return s.name; });
  TEST_ASSERT_TRUE(found != all.end());
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 4 - 3.6, found->people[0].start_s);
}

TEST(the_crash_tests_are_all_there) {
  const std::vector<Scenario>& all = suite("euroncap").scenarios;
  std::set<std::string> names;
  for (const Scenario& s : all)
    TEST_ASSERT_TRUE_MESSAGE(names.insert(s.name).second, s.name.c_str());
  for (int kmh = 10; kmh <= 60; kmh += 10)
    for (const char* kind :
         {"CPNA-25", "CPNA-50", "CPNA-75", "CPFA-50", "CPNCO-50", "CPLA-25", "CPLA-50"})
      for (const char* variant : {"", "-v1", "-v2", "-v3"})
        TEST_ASSERT_TRUE(
            names.contains(std::string{kind} + "-" + std::to_string(kmh) + "kmh" + variant));
  for (int kmh = 50; kmh <= 80; kmh += 10)
    for (const char* kind : {"CPLA-warning-25", "CPLA-warning-50"})
      TEST_ASSERT_TRUE(names.contains(std::string{kind} + "-" + std::to_string(kmh) + "kmh"));
  TEST_ASSERT_EQUAL(200, all.size());
}

TEST(what_is_asked_of_crash_tests_is_what_is_stated) {
  for (const Scenario& s : suite("euroncap").scenarios) {
    const char* name = s.name.c_str();
    const Criteria& c = s.criteria;
    const double kmh = number_before(s.name, "kmh");
    TEST_ASSERT_TRUE_MESSAGE(c.impact_expected && !c.no_collision_warning, name);
    if (s.name.starts_with("CPNCO")) {
      TEST_ASSERT_EQUAL_DOUBLE(0.4, c.collision_warning_after_half_visible_s.value());
      TEST_ASSERT_FALSE(c.collision_warning_before_impact_s.has_value());
    } else if (s.name.starts_with("CPLA")) {
      TEST_ASSERT_EQUAL_DOUBLE_MESSAGE(kmh >= 50 ? 1.7 : 0,
                                       c.collision_warning_before_impact_s.value(), name);
      TEST_ASSERT_EQUAL_DOUBLE(1, c.share);
    } else {
      TEST_ASSERT_EQUAL_DOUBLE(1.5, c.collision_warning_before_impact_s.value());
      TEST_ASSERT_EQUAL_DOUBLE(0.95, c.share);
      TEST_ASSERT_EQUAL_STRING("crossing", s.group.c_str());
    }
  }
  TEST_ASSERT_EQUAL_DOUBLE(1, suite("quiet").most_informations_per_10min.value());
  for (const Scenario& s : suite("quiet").scenarios)
    TEST_ASSERT_TRUE(s.criteria.no_collision_warning);
  for (const Scenario& s : suite("faults").scenarios) {
    // A knock needs longer to be told from a bump.
    const bool slow = s.faults.at(0).kind == FaultSpec::Kind::camera_misaligned;
    TEST_ASSERT_EQUAL_DOUBLE(slow ? 0.4 : 0.3, s.criteria.fault_told_within_s.value());
  }
  for (const Scenario& s : suite("r159").scenarios)
    TEST_ASSERT_TRUE(s.criteria.no_collision_warning && s.criteria.information_within_s);
}

TEST(the_child_is_hidden_until_beside_the_parked_cars) {
  // Seen from above: from the camera to the child's middle, the line crosses a parked car until the
  // child is out, and nothing after that.
  const auto hidden = [](const Scenario& s, double mps, double t) {
    const Vec2 eye{mps * t - s.camera.behind_m, s.camera.left_m};
    const Vec2 child = walker_at(s.people[0], t);
    bool any = false;
    for (const PropSpec& car : s.props) {
      for (int i = 0; i <= 1000 && !any; ++i) {
        const double k = i / 1000.0;
        const double x = eye.x + k * (child.x - eye.x), y = eye.y + k * (child.y - eye.y);
        any = std::abs(x - car.place.at.x) < car.size.x / 2 &&
              std::abs(y - car.place.at.y) < car.size.y / 2;
      }
    }
    return any;
  };
  for (const Scenario& s : suite("euroncap").scenarios) {
    if (!s.name.starts_with("CPNCO")) continue;
    const double mps = s.car.speeds[0].mps;
    TEST_ASSERT_EQUAL(2, s.props.size());
    for (double t = 0; t <= 1.6; t += 0.1)
      TEST_ASSERT_TRUE_MESSAGE(hidden(s, mps, t), s.name.c_str());
    TEST_ASSERT_FALSE_MESSAGE(hidden(s, mps, 3.4), s.name.c_str());
    // A metre between the cars and the one that drives, and none in anybody's way.
    for (const PropSpec& car : s.props)
      TEST_ASSERT_DOUBLE_WITHIN(1e-9, -0.9 - 1, car.place.at.y + car.size.y / 2);
  }
}

TEST(people_cross_in_front_of_the_truck_where_it_says) {
  for (const Scenario& s : suite("r159").scenarios) {
    const char* name = s.name.c_str();
    const double ahead = number_before(s.name, "m-");
    const double mps = s.name.starts_with("standing") ? 0 : number_before(s.name, "kmh") / 3.6;
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(1e-9, mps, s.car.speeds.at(0).mps, name);
    TEST_ASSERT_TRUE_MESSAGE(mps < 10 / 3.6, name);
    const Vec2 there = walker_at(s.people.at(0), 7);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(kPlace, ahead, there.x - mps * 7, name);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(kPlace, 0, there.y, name);
    const bool left = s.name.find("-left") != std::string::npos;
    TEST_ASSERT_TRUE_MESSAGE((walker_at(s.people[0], 0).y > 1.25) == left, name);
    TEST_ASSERT_TRUE_MESSAGE((walker_at(s.people[0], s.seconds).y < -1.25) == left, name);
    double least = 1e9;
    for (double t = 0; t <= s.seconds; t += 0.01)
      for (const PersonSpec& person : s.people)
        least = std::min(least, gap(s, mps, walker_at(person, t), t));
    TEST_ASSERT_TRUE_MESSAGE(least > 0.02, name);
    TEST_ASSERT_TRUE_MESSAGE(least < ahead, name);
  }
}

TEST(nobody_is_touched_where_it_is_quiet_or_something_fails) {
  // The outlines anew, at each instant: clamp in the car's axes.
  Moment m;
  for (const char* name : {"quiet", "faults"})
    for (const Scenario& s : suite(name).scenarios) {
      const World world{s};
      TEST_ASSERT_FALSE_MESSAGE(world.contact().has_value(), s.name.c_str());
      const double step = s.seconds > 60 ? 0.2 : 0.05;
      double least = 1e9;
      for (double t = 0; t <= s.seconds; t += step) {
        world.at(t, m);
        const double c = std::cos(m.car.place.heading), q = std::sin(m.car.place.heading);
        for (const PersonState& p : m.people) {
          const double dx = p.place.at.x - m.car.place.at.x, dy = p.place.at.y - m.car.place.at.y;
          const double x = c * dx + q * dy, y = -q * dx + c * dy;
          const double nx = std::max({x, -s.car.length_m - x, 0.0});
          const double ny = std::max(std::abs(y) - s.car.width_m / 2, 0.0);
          least = std::min(least, std::sqrt(nx * nx + ny * ny) - kRadius);
        }
      }
      TEST_ASSERT_TRUE_MESSAGE(least > 0.3, s.name.c_str());
    }
}

TEST(hiccups_have_every_fault_short_and_while_somebody_is_in_the_way) {
  std::map<FaultSpec::Kind, int> kinds;
  std::set<int> moments;  // of running warnings, in tenths of a second before the impact
  int two_people = 0, well = 0;
  for (const Scenario& s : suite("hiccups").scenarios) {
    const char* name = s.name.c_str();
    TEST_ASSERT_FALSE_MESSAGE(s.variation, name);
    TEST_ASSERT_TRUE_MESSAGE(s.criteria.impact_expected, name);
    const double impact = World{s}.contact().value().t;
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(
        kTime, s.name.find("second-after") == std::string::npos ? 4.5 : 5.4, impact, name);
    TEST_ASSERT_TRUE_MESSAGE(s.seconds > impact && s.seconds < impact + 1, name);
    if (s.people.size() > 1) ++two_people;
    if (s.faults.empty()) ++well;
    for (const FaultSpec& fault : s.faults) {
      ++kinds[fault.kind];
      const double lasts = fault.to_s - fault.from_s;
      TEST_ASSERT_TRUE_MESSAGE(lasts > 0.099 && lasts < 1.001, name);
      TEST_ASSERT_TRUE_MESSAGE(fault.from_s > 1.5 && fault.from_s < impact, name);
      if (s.name.starts_with("ahead") || s.name.starts_with("cross") || s.name.starts_with("stand"))
        moments.insert(static_cast<int>(std::lround((impact - fault.from_s) * 10)));
    }
  }
  TEST_ASSERT_EQUAL(kFaultKinds, kinds.size());
  for (const int tenths : {21, 17, 13, 9, 5}) TEST_ASSERT_TRUE(moments.contains(tenths));
  TEST_ASSERT_EQUAL(5, well);
  TEST_ASSERT_EQUAL(6, two_people);
  TEST_ASSERT_TRUE(suite("hiccups").scenarios.size() <= 40);
}

TEST(hiccups_of_a_seed_draw_the_fault_too) {
  const Loaded drawn = load_suite("hiccups", 11);
  TEST_ASSERT_TRUE_MESSAGE(drawn.ok(), drawn.ok() ? "" : drawn.problems.front().c_str());
  TEST_ASSERT_EQUAL(2 * suite("hiccups").scenarios.size(), drawn.scenarios.size());
  std::set<FaultSpec::Kind> kinds;
  std::set<double> lasts;
  for (const Scenario& s : drawn.scenarios)
    if (s.variation && !s.faults.empty()) {
      kinds.insert(s.faults[0].kind);
      lasts.insert(s.faults[0].to_s - s.faults[0].from_s);
    }
  TEST_ASSERT_GREATER_THAN(7, kinds.size());
  TEST_ASSERT_GREATER_THAN(20, lasts.size());
}

/// A second person steps in when the first is no longer in the way: see the suite.
TEST(the_first_of_two_is_gone_before_the_second_is_hit) {
  for (const Scenario& s : suite("hiccups").scenarios) {
    if (s.name.find("second-after") == std::string::npos) continue;
    const World world{s};
    TEST_ASSERT_TRUE(world.contacts()[0].has_value());
    TEST_ASSERT_FALSE(world.contacts()[1].has_value());
  }
}

TEST(faults_of_each_kind_begin_and_end) {
  std::set<int> kinds;
  for (const Scenario& s : suite("faults").scenarios) {
    TEST_ASSERT_EQUAL(1, s.faults.size());
    kinds.insert(static_cast<int>(s.faults[0].kind));
    TEST_ASSERT_TRUE(s.faults[0].from_s > 1 && s.faults[0].to_s < s.seconds - 1);
  }
  TEST_ASSERT_EQUAL(10, kinds.size());
}

TEST(every_car_moves_as_the_product_believes_a_car_can) {
  // From one message to the next, 20 ms later: what jumps more is a fault, and told as one.
  constexpr double kStep = 0.02;
  const kerb::VehicleLimits limits;
  for (const char* name : {"euroncap", "r159", "quiet", "faults", "brief", "camouflage", "night",
                           "weather", "turns", "hiccups"})
    for (const Scenario& s : suite(name).scenarios) {
      const World world{s};
      Moment now;
      world.at(0, now);
      CarState before = now.car;
      for (int i = 1; i * kStep <= s.seconds; ++i, before = now.car) {
        world.at(i * kStep, now);
        const bool jumps =
            std::abs(now.car.yaw_radps - before.yaw_radps) >
                limits.yaw_acceleration_max_radps2 * kStep ||
            std::abs(now.car.mps - before.mps) > limits.acceleration_max_mps2 * kStep;
        TEST_ASSERT_FALSE_MESSAGE(jumps, s.name.c_str());
      }
    }
}

TEST(variations_vary_and_are_the_same_every_time) {
  const Loaded again = load_suite("euroncap");
  const std::vector<Scenario>& first = suite("euroncap").scenarios;
  TEST_ASSERT_EQUAL(first.size(), again.scenarios.size());
  std::set<double> headings, heights;
  std::set<int> lights;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const PersonSpec &a = first[i].people[0], &b = again.scenarios[i].people[0];
    TEST_ASSERT_EQUAL_DOUBLE(a.start.at.x, b.start.at.x);
    TEST_ASSERT_EQUAL_DOUBLE(a.height_m, b.height_m);
    TEST_ASSERT_EQUAL_UINT32(a.seed, b.seed);
    headings.insert(a.start.heading);
    heights.insert(a.height_m);
    lights.insert(static_cast<int>(first[i].light.kind));
    if (first[i].name.starts_with("CPNA")) {
      TEST_ASSERT_TRUE(a.start.at.y >= -4.31);
      const double off = std::abs(a.start.heading * 180 / 3.14159265358979 - 90);
      TEST_ASSERT_TRUE(off <= 20.001);
    }
  }
  TEST_ASSERT_GREATER_THAN(60, headings.size());
  TEST_ASSERT_GREATER_THAN(100, heights.size());
  TEST_ASSERT_EQUAL(4, lights.size());
}

TEST(the_files_in_the_repository_are_those_in_the_program) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path{KERB_SOURCE_DIR} / "tools/simulator/suites";
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator{folder}) {
    if (entry.path().extension() != ".toml") continue;
    ++files;
    const Loaded from_file = load_file(entry.path().string());
    TEST_ASSERT_TRUE_MESSAGE(from_file.ok(),
                             from_file.ok() ? "" : from_file.problems.front().c_str());
    TEST_ASSERT_EQUAL(suite(entry.path().stem().string()).scenarios.size(),
                      from_file.scenarios.size());
  }
  const std::vector<SuiteName> all = shipped_suites();
  TEST_ASSERT_EQUAL(std::ranges::count(all, false, &SuiteName::drawn), files);
}

}  // namespace
