// SPDX-License-Identifier: Apache-2.0
// The suite `hours`: drives that are always the same, in which nobody is in danger by a rule that
// is worked out here again, from the truth alone; and drives in which somebody is hit.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>

#include "hal/fake/log.hpp"
#include "tests/support/test.hpp"
#include "tools/simulator/report/report.hpp"
#include "tools/simulator/run/run.hpp"
#include "tools/simulator/scenario/hours.hpp"
#include "tools/simulator/world/street_line.hpp"
#include "tools/simulator/world/world.hpp"

using namespace kerb;
using namespace kerb::sim;

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr int kMany = 25, kSome = 5;
#else
constexpr int kMany = 200, kSome = 25;
#endif

/// Of the truth, to a millimetre: where everybody is, every few seconds.
std::uint64_t checksum(const Scenario& s) {
  std::uint64_t h = 14695981039346656037U;
  const auto add = [&](double value) {
    const auto rounded = static_cast<std::uint64_t>(std::llround(value * 1000));
    for (int i = 0; i < 8; ++i) h = (h ^ (rounded >> (8 * i) & 255)) * 1099511628211U;
  };
  const World world{s};
  Moment now;
  for (double t = 0; t <= s.seconds; t += 6.5) {
    world.at(t, now);
    add(now.car.place.at.x);
    add(now.car.place.at.y);
    add(now.car.mps);
    for (const PersonState& p : now.people) {
      add(p.place.at.x);
      add(p.place.at.y);
    }
    for (const PropState& p : now.props) {
      add(p.place.at.x);
      add(p.place.at.y);
    }
  }
  return h;
}

std::string does(const PersonSpec& person) { return person.name.substr(0, person.name.rfind(' ')); }
bool is_hit(const Scenario& s) { return s.name.starts_with("hit-"); }

TEST(a_drive_is_always_the_same) {
  constexpr std::uint64_t kExpected[] = {0x60537888fe5679ad, 0xcc580a5935a3d561, 0xbd5fd05cffa9d483,
                                         0x9642a83fae098698, 0xe83ab061e3038dac};
  std::string found;
  bool same = true;
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t sum = checksum(hours::make_drive(0, i));
    same = same && sum == kExpected[i];
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx, ", static_cast<unsigned long long>(sum));
    found += text;
  }
  TEST_ASSERT_TRUE_MESSAGE(same, found.c_str());
  // Whatever else is driven; and every seed has its own.
  const Loaded suite = load_suite("hours", 3, 2);
  TEST_ASSERT_EQUAL_INT(2, suite.scenarios.size());
  TEST_ASSERT_TRUE(checksum(suite.scenarios[1]) == checksum(hours::make_drive(3, 1)));
  TEST_ASSERT_FALSE(checksum(suite.scenarios[1]) == checksum(hours::make_drive(4, 1)));
  TEST_ASSERT_EQUAL_STRING("drive-0001@3", suite.scenarios[1].name.c_str());
  TEST_ASSERT_EQUAL_INT(kHoursDrives, static_cast<int>(load_suite("hours").scenarios.size()));
}

// ---- the rule, by brute force

constexpr double kStep = 0.05;  // 20 Hz
constexpr double kLook = 3.5, kGap = 1.5, kRoom = 0.4, kSlow = 10 / 3.6, kSlowRoom = 0.3;

/// From a circle of somebody's outline to a car that stands with its front there.
double gap(const CarSpec& car, Place front, Vec2 p, double radius) {
  const double c = std::cos(front.heading), s = std::sin(front.heading);
  const double dx = p.x - front.at.x, dy = p.y - front.at.y;
  const double ahead = c * dx + s * dy, left = c * dy - s * dx;
  const double x = std::max({ahead, -car.length_m - ahead, 0.0});
  const double y = std::max(std::abs(left) - car.width_m / 2, 0.0);
  return std::sqrt(x * x + y * y) - radius;
}

struct Circle {
  double ahead, radius;  // of the person's middle
};
/// As docs/simulator.md has them: on foot one of 0.25 m, three along a bicycle, two of the others.
std::vector<Circle> circles(const PersonSpec& person) {
  if (person.rides == Rides::bicycle) return {{0.6, 0.25}, {0, 0.25}, {-0.6, 0.25}};
  if (person.rides == Rides::scooter) return {{0.3, 0.25}, {0, 0.25}};
  if (person.rides == Rides::wheelchair) return {{0.3, 0.25}, {0, 0.33}};
  return {{0, 0.25}};
}

/// The first person and time at which the rule is broken, in words; empty: it is kept.
std::string broken(const Scenario& s) {
  const World world{s};
  Scenario alone = s;
  alone.people.clear();
  alone.props.clear();
  const World car_only{alone};
  const Way way{s.car.start, s.car.way};
  const auto samples = static_cast<int>(s.seconds / kStep);
  const auto ahead = static_cast<int>(kLook / kStep);
  std::vector<CarState> car;
  Moment now;
  for (int i = 0; i <= samples + ahead; ++i) {
    car_only.at(i * kStep, now);
    car.push_back(now.car);
  }
  const auto why = [&](std::size_t person, int i, const char* what) {
    return s.name + ": " + s.people[person].name + " at " + std::to_string(i * kStep) +
           " s: " + what;
  };
  for (int i = 0; i <= samples; ++i) {
    world.at(i * kStep, now);
    const CarState& c = car[static_cast<std::size_t>(i)];
    for (std::size_t p = 0; p < now.people.size(); ++p)
      for (const Circle& circle : circles(s.people[p])) {
        const PersonState& person = now.people[p];
        const Vec2 v = person.velocity;
        const Vec2 at = person.place.at + circle.ahead * direction(person.place.heading);
        if (length(at - c.place.at) > 110) continue;  // over 5 s at 60 km/h, and a run
        const double real = gap(s.car, c.place, at, circle.radius);
        if (real < (c.mps < kSlow ? kSlowRoom : kRoom)) return why(p, i, "too near");
        if (c.mps < kSlow) continue;
        for (int k = 0; k <= ahead; ++k) {
          const double after = k * kStep;
          const Place fronts[] = {car[static_cast<std::size_t>(i + k)].place,
                                  way.at(c.metres + c.mps * after)};
          for (int which = 0; which < 2; ++which) {
            if (length(at - fronts[which].at) > 7 + length(v) * (after + kGap)) continue;
            const double first = std::max(0.0, after - kGap);
            for (double u = first; u <= after + kGap; u += 0.1) {
              if (gap(s.car, fronts[which], at + u * v, circle.radius) < kRoom)
                return why(p, i, which == 0 ? "in the car's way" : "in its way at this speed");
              if (v.x == 0 && v.y == 0) break;
            }
          }
        }
      }
  }
  return "";
}

TEST(nobody_is_in_danger_by_brute_force) {
  int drives = 0;
  for (std::uint32_t seed : {0U, 1U, 77U, 4000000000U})
    for (int i = 0; i < kSome; ++i) {
      const Scenario s = hours::make_drive(seed, i);
      if (is_hit(s)) continue;
      const std::string why = broken(s);
      TEST_ASSERT_TRUE_MESSAGE(why.empty(), why.c_str());
      TEST_ASSERT_FALSE(World{s}.contact().has_value());
      TEST_ASSERT_EQUAL_DOUBLE(60, s.seconds);
      TEST_ASSERT_TRUE(s.criteria.no_collision_warning && s.criteria.most_informations);
      ++drives;
    }
  TEST_ASSERT_EQUAL_INT(4 * kSome * 4 / 5, drives);
}

TEST(the_brute_force_finds_who_is_in_danger) {
  Scenario s;
  s.seconds = 10;
  s.car.speeds = {{0, 10, 3}};
  PersonSpec p;
  p.start.at = {60, -1.9};  // stands beside the lane
  s.people = {p};
  TEST_ASSERT_EQUAL_STRING("", broken(s).c_str());
  s.people[0].start.at.y = -1.4;  // a hand's breadth beside the car
  TEST_ASSERT_TRUE(broken(s).find("too near") != std::string::npos ||
                   broken(s).find("in the car's way") != std::string::npos);
  s.people[0].start.at.y = -4;  // walks up to the kerb, and stops 2 s before the car is there
  s.people[0].walk = {{.to = {60, -2.2}, .mps = 1.4}};
  s.people[0].start_s = 4 - 1.8 / 1.4;
  TEST_ASSERT_TRUE(broken(s).find("in the car's way") != std::string::npos);
  s.people[0].start_s = 6 - 3.6 - 1.8 / 1.4;  // 3.6 s before
  TEST_ASSERT_EQUAL_STRING("", broken(s).c_str());
  s.people[0].walk.clear();
  s.people[0].start = {{60, -2.1}, 1.5707963267948966};  // stands across with a bicycle: a wheel is
  TEST_ASSERT_EQUAL_STRING("", broken(s).c_str());       // too near
  s.people[0].rides = Rides::bicycle;
  TEST_ASSERT_FALSE(broken(s).empty());
}

// ---- what a drive is like

TEST(everything_occurs) {
  std::map<std::string, int> people, lights;
  int parked = 0, ahead = 0, oncoming = 0, stops = 0, turnings = 0, bends = 0, sides = 0;
  int left_hand = 0, town = 0, rain = 0, wet = 0, fog = 0, glare = 0, real_lamps = 0, doors = 0,
      balls = 0;
  int riders[4] = {}, carrying[7] = {}, phones = 0;
  double metres = 0, fastest = 0;
  for (int i = 0; i < kMany; ++i) {
    const Scenario s = hours::make_drive(5, i);
    std::map<std::string, int> here;
    for (const PersonSpec& p : s.people) {
      ++here[does(p)];
      ++riders[static_cast<int>(p.rides)];
      ++carrying[static_cast<int>(p.carries)];
      phones += p.phone;
    }
    left_hand += s.street.left_hand;
    town += s.street.things == StreetThings::town;
    rain += s.weather.rain_mm_h > 0;
    wet += s.weather.wetness() > 0 && s.weather.rain_mm_h == 0;
    fog += s.weather.fog_m > 0;
    glare += s.weather.glare > 0;
    real_lamps += s.light.lamps == Lamps::real;
    TEST_ASSERT_TRUE(s.weather.fog_m == 0 || s.weather.fog_m >= 100);
    TEST_ASSERT_TRUE(s.light.lamps == Lamps::simple ||
                     (s.light.kind == Daylight::night && s.light.street_lamps));
    for (const auto& [name, count] : here) people[name] += count;
    ++lights[std::to_string(static_cast<int>(s.light.kind))];
    parked += s.street.parked_cars;
    turnings += static_cast<int>(s.car.indicators.size());
    sides += static_cast<int>(s.street.side_streets.size());
    for (const PropSpec& prop : s.props) {
      doors += prop.door.has_value();
      balls += prop.kind == PropKind::football;
      if (prop.speeds.empty() || prop.kind == PropKind::football) continue;
      ++(std::cos(prop.place.heading) > 0 ? ahead : oncoming);
    }
    for (const Stretch& stretch : s.car.way) bends += stretch.transition && stretch.radius_m != 0;
    Scenario alone = s;
    alone.people.clear();
    const World world{alone};
    Moment now;
    bool stood = false;
    for (double t = 0; t <= s.seconds; t += 0.1) {
      world.at(t, now);
      fastest = std::max(fastest, now.car.mps);
      stood = stood || (t > 1 && now.car.mps == 0);
      TEST_ASSERT_TRUE_MESSAGE(std::abs(now.car.mps2) <= 2.5, s.name.c_str());
      TEST_ASSERT_TRUE_MESSAGE(std::abs(now.car.yaw_radps * now.car.mps) <= 2.6, s.name.c_str());
    }
    stops += stood;
    metres += now.car.metres;
  }
  std::printf(
      "%d drives, %.0f m, fastest %.0f km/h; parked cars in %d, stops in %d; %d turnings, "
      "%d bends, %d side streets; vehicles: %d one way, %d the other\n",
      kMany, metres, fastest * 3.6, parked, stops, turnings, bends, sides, ahead, oncoming);
  std::printf(
      "left-hand %d, things of towns %d, rain %d, wet %d, fog %d, glare %d, real lamps %d; %d "
      "doors, %d balls; %d on bicycles, %d on scooters, %d in wheelchairs; %d dogs, %d trolleys, "
      "%d phones\n",
      left_hand, town, rain, wet, fog, glare, real_lamps, doors, balls, riders[1], riders[2],
      riders[3], carrying[static_cast<int>(Carries::dog)],
      carrying[static_cast<int>(Carries::trolley)], phones);
  for (const auto& [name, count] : people) std::printf("  %s: %d\n", name.c_str(), count);
  for (const char* name : hours::kDoes) TEST_ASSERT_TRUE_MESSAGE(people[name] > 0, name);
  TEST_ASSERT_EQUAL_INT(std::size(hours::kDoes), people.size());
  TEST_ASSERT_TRUE(parked > 0 && ahead > 0 && oncoming > 0 && stops > 0);
  if (kMany >= 100) {
    TEST_ASSERT_EQUAL_INT(kMany / 2, left_hand);
    TEST_ASSERT_TRUE(town > 0 && rain > 0 && wet > 0 && fog > 0 && glare > 0 && real_lamps > 0);
    TEST_ASSERT_TRUE(rain + wet + fog < kMany / 3);  // most drives are in good weather
    TEST_ASSERT_TRUE(doors > 0 && balls > 0 && phones > 0);
    for (const int count : riders) TEST_ASSERT_TRUE(count > 0);
    for (const int count : carrying) TEST_ASSERT_TRUE(count > 0);
  }
  TEST_ASSERT_TRUE(turnings > kMany / 4 && bends > kMany / 4 && sides > kMany / 4);
  TEST_ASSERT_TRUE(fastest <= 60 / 3.6 + 1e-6 && fastest > 50 / 3.6);
  if (kMany >= 100)  // each kind of light within what the table says, give or take three sigma
    for (const auto& [kind, share] : std::map<std::string, double>{
             {"0", .2125}, {"1", .1275}, {"2", .36}, {"3", .15}, {"4", .15}})
      TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(3 * std::sqrt(share * (1 - share) * kMany), share * kMany,
                                        lights[kind], kind.c_str());
}

TEST(the_car_keeps_to_its_lane_and_its_distance) {
  double off = 0;
  int samples = 0;
  for (int i = 0; i < kSome; ++i) {
    const Scenario s = hours::make_drive(6, i);
    Scenario alone = s;
    alone.people.clear();
    const World world{alone};
    const Way line = street_line(s);
    Moment now;
    double along = 0;  // of the street's middle line, beside the car
    for (double t = 0; t <= s.seconds; t += 0.1) {
      world.at(t, now);
      for (int k = 0; k < 20; ++k) {
        const Place f = line.at(along);
        along += dot(now.car.place.at - f.at, direction(f.heading)) * (k < 10 ? 1 : 0.5);
      }
      const Place f = line.at(along);
      const double right = -dot(now.car.place.at - f.at, left_of(direction(f.heading)));
      // The street's line lies beside the car's; beside a clothoid that is not quite one.
      TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.25, s.street.lane_m / 2,
                                        s.street.left_hand ? -right : right, s.name.c_str());
      off += std::abs(std::abs(right) - s.street.lane_m / 2);
      ++samples;
      for (std::size_t k = 0; k < s.props.size(); ++k) {  // whoever drives ahead in the lane
        if (s.props[k].speeds.empty() || s.props[k].kind == PropKind::football) continue;
        const Vec2 to = now.props[k].place.at - now.car.place.at;
        const Vec2 ahead = direction(now.car.place.heading);
        const double distance = dot(to, ahead) - s.props[k].size.x / 2;
        if (std::abs(cross(ahead, to)) > 1 || distance < -10 ||
            std::cos(now.props[k].place.heading - now.car.place.heading) < 0.9)
          continue;
        TEST_ASSERT_TRUE_MESSAGE(distance >= std::max(1.4, 0.85 * now.car.mps), s.name.c_str());
      }
    }
  }
  TEST_ASSERT_DOUBLE_WITHIN(0.05, 0, off / samples);
}

TEST(the_indicator_blinks_before_and_in_each_turning) {
  int turnings = 0;
  for (int i = 0; i < kSome; ++i) {
    Scenario s = hours::make_drive(8, i);
    s.people.clear();
    s.props.clear();
    const World world{s};
    Moment now;
    for (double t = 0; t <= s.seconds; t += 0.1) {
      world.at(t, now);
      if (now.car.mps < 1 || std::abs(now.car.yaw_radps / now.car.mps) < 1 / 20.0) continue;
      const bool told = std::ranges::any_of(s.car.indicators, [&](const IndicatorSpec& blinks) {
        return blinks.from_s <= std::max(0.0, t - 2) && t <= blinks.to_s + 0.2 &&
               blinks.left == (now.car.yaw_radps > 0);
      });
      TEST_ASSERT_TRUE_MESSAGE(told, s.name.c_str());
      ++turnings;
    }
  }
  TEST_ASSERT_TRUE(turnings > 0);
}

TEST(who_is_to_be_hit_is_hit_and_nobody_else) {
  for (std::uint32_t seed : {0U, 9U})
    for (int i = hours::kHitEvery - 1; i < 8 * hours::kHitEvery; i += hours::kHitEvery) {
      const Scenario s = hours::make_drive(seed, i);
      TEST_ASSERT_TRUE_MESSAGE(is_hit(s), s.name.c_str());
      const World world{s};
      for (std::size_t p = 0; p < s.people.size(); ++p)
        TEST_ASSERT_EQUAL_MESSAGE(p == 0, world.contacts()[p].has_value(), s.name.c_str());
      TEST_ASSERT_TRUE_MESSAGE(world.contact()->front, s.name.c_str());
      TEST_ASSERT_TRUE_MESSAGE(does(s.people[0]).starts_with("hit "), s.name.c_str());
      Scenario others = s;
      others.people.erase(others.people.begin());
      const std::string why = broken(others);
      TEST_ASSERT_TRUE_MESSAGE(why.empty(), why.c_str());
      TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.5, s.seconds - 1.5, world.contact()->t, s.name.c_str());
    }
}

TEST(every_second_group_of_drives_keeps_to_the_left) {
  bool both[hours::kHits][2] = {};
  for (int i = 0; i < 40; ++i) {
    const Scenario s = hours::make_drive(9, i);
    const bool left = (i / 5) % 2 == (i < 20 ? 1 : 0);
    TEST_ASSERT_EQUAL_MESSAGE(left, s.street.left_hand, s.name.c_str());
    if (is_hit(s)) both[i / 5 % hours::kHits][left ? 1 : 0] = true;
  }
  for (const auto& kind : both) TEST_ASSERT_TRUE(kind[0] && kind[1]);
}

TEST(a_drive_is_found_by_its_name_alone) {
  for (const char* name : {"drive-0023@7", "hit-0004-crossing@7", "drive-0000@7"}) {
    const Loaded one = load_run("hours", name, 7);
    TEST_ASSERT_EQUAL_INT_MESSAGE(1, one.scenarios.size(), name);
    const Scenario& s = one.scenarios[0];
    TEST_ASSERT_EQUAL_STRING(name, s.name.c_str());
    TEST_ASSERT_TRUE(s.variation && s.suite_seed == 7);
    TEST_ASSERT_TRUE(checksum(s) == checksum(hours::make_drive(
                                        7, std::stoi(s.name.substr(s.name.find('-') + 1, 4)))));
    TEST_ASSERT_TRUE(one.most_informations_per_10min && !one.title.empty());
  }
  for (const char* name :
       {"drive-0004@7", "drive-0023@8", "drive-23@7", "hit-0004-along@7", "hit-0004@7", "drive-",
        "drive", "", "drive--001@7", "drive-99999999999@7", "drive-0100000@7", "drive-100000@7"}) {
    const Loaded none = load_run("hours", name, 7);
    TEST_ASSERT_TRUE_MESSAGE(none.ok() && none.scenarios.empty(), name);
  }
  TEST_ASSERT_EQUAL_INT(1, load_run("euroncap", "CPNA-25-30kmh-v2@7", 7).scenarios.size());
  TEST_ASSERT_EQUAL_INT(0, load_run("euroncap", "CPNA-25-30kmh-v9@7", 7).scenarios.size());
  TEST_ASSERT_FALSE(load_run("no such", "drive-0000", 0).ok());
}

// ---- judged

Report drive(Candidate candidate) {
  RunOptions options;
  options.candidate = candidate;
  FakeLog log;
  Report report;
  for (const int i : {0, 3, 4, 7, 9, 14, 19}) {  // 7, 9 and 19 in left-hand traffic
    const Scenario scenario = hours::make_drive(2, i);
    Result<Run> run = run_scenario(scenario, options, log);
    if (!run) TEST_FAIL_MESSAGE(describe(run.error()).c_str());
    ReportedRun one;
    one.suite = "hours";
    one.scenario = scenario;
    one.truth = std::move(run->truth);
    one.judgement = std::move(run->judgement);
    report.runs.push_back(std::move(one));
  }
  sum_up(report, {{"hours", "", 1.0}});
  return report;
}

TEST(the_oracle_passes_and_who_always_or_never_warns_fails) {
  const Report oracle = drive(Candidate::oracle);
  for (const ReportedRun& run : oracle.runs)
    for (const Verdict& verdict : run.judgement.verdicts)
      TEST_ASSERT_TRUE_MESSAGE(verdict.passed, (run.scenario.name + ": " + verdict.reason).c_str());
  TEST_ASSERT_TRUE(oracle.passed());
  for (const Candidate candidate : {Candidate::always, Candidate::never, Candidate::informs}) {
    const Report report = drive(candidate);
    TEST_ASSERT_FALSE(report.passed());
    for (const ReportedRun& run : report.runs) {
      const bool silent = candidate != Candidate::always;  // of collisions
      if (is_hit(run.scenario) || !silent)
        TEST_ASSERT_FALSE_MESSAGE(run.judgement.passed(), run.scenario.name.c_str());
      else if (candidate == Candidate::never)
        TEST_ASSERT_TRUE_MESSAGE(run.judgement.passed(), run.scenario.name.c_str());
    }
  }
}

}  // namespace
