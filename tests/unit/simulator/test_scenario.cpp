// SPDX-License-Identifier: Apache-2.0
// With --write as its argument it first writes what it would compare with: the reference in
// docs/simulator.md and the lines expected of the files in wrong/. Look at the difference before
// you commit it.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "firmware/schema/reference.hpp"
#include "tests/support/test.hpp"
#include "tools/simulator/base/things.hpp"
#include "tools/simulator/scenario/load.hpp"
#include "tools/simulator/scenario/schema.hpp"
#include "tools/simulator/scenario/shipped.hpp"
#include "tools/simulator/world/street_line.hpp"
#include "tools/simulator/world/world.hpp"

namespace fs = std::filesystem;
using namespace kerb::sim;
using kerb::schema::Field;
using kerb::schema::Kind;
using kerb::schema::Table;

namespace {

const fs::path kRoot = KERB_SOURCE_DIR;
const fs::path kWrong = kRoot / "tests/unit/simulator/wrong";
const fs::path kReference = kRoot / "docs/simulator.md";
constexpr std::string_view kBegin =
    "<!-- keys: begin (made by unit_simulator scenario --write) -->\n";
constexpr std::string_view kEnd = "<!-- keys: end -->\n";

std::string read(const fs::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}
void write(const fs::path& path, const std::string& text) {
  std::ofstream{path, std::ios::binary} << text;
}
std::vector<fs::path> wrong_files() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator{kWrong})
    if (entry.path().extension() == ".toml") out.push_back(entry.path());
  std::ranges::sort(out);
  return out;
}
/// The lines for a file of wrong/, named without its folder.
std::string lines_of(const fs::path& path) {
  std::string out;
  for (std::string line : load_file(path.string()).problems) {
    const std::string folder = path.parent_path().string() + "/";
    for (std::size_t at; (at = line.find(folder)) != std::string::npos;)
      line.erase(at, folder.size());
    out += line + "\n";
  }
  return out;
}
std::string with_reference(std::string document) {
  const std::size_t begin = document.find(kBegin), end = document.find(kEnd);
  if (begin == std::string::npos || end == std::string::npos) return {};
  const std::size_t from = begin + kBegin.size();
  return document.replace(from, end - from, "\n" + render_scenario_reference());
}
void write_expectations() {
  write(kReference, with_reference(read(kReference)));
  for (const fs::path& path : wrong_files())
    write(fs::path{path}.replace_extension(".expected"), lines_of(path));
}

Scenario good(const std::string& text) {
  Loaded loaded = parse_scenario(text, "t.toml");
  TEST_ASSERT_TRUE_MESSAGE(loaded.ok(), loaded.ok() ? "" : loaded.problems.front().c_str());
  return std::move(loaded.scenarios.at(0));
}

TEST(an_empty_file_is_the_default) {
  const Scenario s = good("");
  TEST_ASSERT_EQUAL_DOUBLE(6, s.seconds);
  TEST_ASSERT_EQUAL_INT(1280, s.camera.width);
  TEST_ASSERT_EQUAL_STRING("t", s.name.c_str());
  TEST_ASSERT_TRUE(s.people.empty() && s.props.empty());
}

TEST(every_value_arrives_where_it_belongs) {
  const Scenario s = good(R"(
title = "A street"
seconds = 12.5
seed = 7
[camera]
sensor = "mosaic"
fov_deg = 70
pitch_deg = 3
bands = [{centre_nm = 500, width_nm = 30}, {centre_nm = 600}, {centre_nm = 700}, {centre_nm = 900}]
[car]
heading_deg = 90
start = [3, 4]
speeds = [{at_s = 0, kmh = 36}, {at_s = 2, kmh = 18, within_mps2 = 2.5}]
way = [{length_m = 20}, {length_m = 30, radius_m = -50, transition = true}]
[street]
lanes = 1
left = "park"
clutter = 0.9
[light]
kind = "dusk"
sun_azimuth_deg = -30
headlamps = true
[[people]]
name = "Ada"
height_m = 1.62
female = true
carries = "pram"
start = [30, 20]
heading_deg = 180
start_s = 1.5
top = "coat"
bottom = "skirt"
pattern = "checks"
top_colour = "#ff8000"
bottom_colour = { colour = "#000000", celsius = 31 }
seed = 99
walk = [{to = [25, 20], kmh = 3.6, wait_s = 2, speed_up_m = 0.5}]
[[props]]
kind = "lamp_post"
at = [40, 3]
heading_deg = 45
[[faults]]
kind = "signals_late"
from_s = 2
amount = 0.7
[criteria]
most_informations = 3
)");
  TEST_ASSERT_EQUAL_STRING("A street", s.title.c_str());
  TEST_ASSERT_EQUAL_DOUBLE(12.5, s.seconds);
  TEST_ASSERT_EQUAL_UINT32(7, s.seed);
  TEST_ASSERT_EQUAL(Sensor::mosaic, s.camera.sensor);
  TEST_ASSERT_EQUAL_DOUBLE(30, s.camera.bands.at(0).width_nm);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, radians(90), s.car.start.heading);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 5, s.car.speeds.at(1).mps);
  TEST_ASSERT_EQUAL_DOUBLE(2.5, s.car.speeds[1].within_mps2);
  TEST_ASSERT_TRUE(s.car.way.at(1).transition && s.car.way[1].radius_m == -50);
  TEST_ASSERT_EQUAL(Side::park, s.street.left);
  TEST_ASSERT_EQUAL(Daylight::dusk, s.light.kind);
  TEST_ASSERT_EQUAL_DOUBLE(-30, s.light.sun_azimuth_deg.value());
  TEST_ASSERT_FALSE(s.light.sun_elevation_deg.has_value());
  const PersonSpec& p = s.people.at(0);
  TEST_ASSERT_EQUAL_STRING("Ada", p.name.c_str());
  TEST_ASSERT_TRUE(p.female && !p.child);
  TEST_ASSERT_EQUAL(Carries::pram, p.carries);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, radians(180), p.start.heading);
  TEST_ASSERT_EQUAL_DOUBLE(1.5, p.start_s);
  TEST_ASSERT_EQUAL(Garment::coat, p.clothing.top);
  TEST_ASSERT_EQUAL(Garment::skirt, p.clothing.bottom);
  TEST_ASSERT_EQUAL_INT(2, p.clothing.pattern);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 128 / 255.0, p.clothing.top_surface.rgb[1]);
  TEST_ASSERT_EQUAL_DOUBLE(31, p.clothing.bottom_surface.celsius.value());
  TEST_ASSERT_EQUAL_UINT32(99, p.seed);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, p.walk.at(0).mps);
  TEST_ASSERT_EQUAL_DOUBLE(2, p.walk[0].wait_s);
  TEST_ASSERT_EQUAL(PropKind::lamp_post, s.props.at(0).kind);
  TEST_ASSERT_EQUAL_DOUBLE(7, s.props[0].size.z);  // as they usually are
  TEST_ASSERT_EQUAL(FaultSpec::Kind::signals_late, s.faults.at(0).kind);
  TEST_ASSERT_EQUAL_INT(3, s.criteria.most_informations.value());
}

TEST(a_fault_may_count_from_the_impact_and_have_a_duration) {
  const Scenario s = good(R"(
[car]
kmh = 36
[[people]]
impact = { percent = 50, at_s = 4 }
[[faults]]
kind = "camera_silent"
relative_to = "impact"
from_s = -1.7
lasts_s = 0.35
[[faults]]
kind = "camera_misaligned"
amount = -2
relative_to = "impact"
from_s = -1
to_s = -0.5
[[faults]]
kind = "signals_lost"
from_s = 2
lasts_s = 0.5
[[faults]]
kind = "vision_hangs"
)");
  TEST_ASSERT_EQUAL_size_t(4, s.faults.size());
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 2.3, s.faults[0].from_s);
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 2.65, s.faults[0].to_s);
  TEST_ASSERT_EQUAL_DOUBLE(-2, s.faults[1].amount);
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 3, s.faults[1].from_s);
  TEST_ASSERT_DOUBLE_WITHIN(1e-3, 3.5, s.faults[1].to_s);
  TEST_ASSERT_EQUAL_DOUBLE(2.5, s.faults[2].to_s);
  TEST_ASSERT_EQUAL_DOUBLE(1, s.faults[3].from_s);
  TEST_ASSERT_EQUAL_DOUBLE(1e9, s.faults[3].to_s);
}

TEST(riders_doors_dogs_and_things_of_towns_are_read) {
  const Scenario s = good(R"(
[street]
things = "town"
[[people]]
start = [30, 4]
rides = "wheelchair"
walk = [{ to = [40, 4], kmh = 3.6, slow_down_m = 1.5 }]
[[people]]
start = [30, 6]
phone = true
carries = "dog"
[[props]]
kind = "wheelie_bin"
at = [20, 6]
seed = 3
[[props]]
kind = "van"
at = [50, 6]
door = { side = "right", at_s = 2, takes_s = 0.5, open_deg = 90 }
[[props]]
kind = "dog"
at = [25, 7]
kmh = 3.6
way = [{ length_m = 2, radius_m = 1 }]
[[props]]
kind = "scaffolding"
at = [30, 5]
)");
  TEST_ASSERT_EQUAL(StreetThings::town, s.street.things);
  TEST_ASSERT_EQUAL(Rides::wheelchair, s.people.at(0).rides);
  TEST_ASSERT_EQUAL_DOUBLE(1.5, s.people[0].walk.at(0).slow_down_m);
  TEST_ASSERT_TRUE(s.people.at(1).phone && s.people[1].carries == Carries::dog);
  const Vec3 bin = usual_size(PropKind::wheelie_bin, 3);
  TEST_ASSERT_EQUAL_DOUBLE(bin.z, s.props.at(0).size.z);
  TEST_ASSERT_TRUE(s.props.at(1).door->right && !s.props[1].door->shut_s);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, radians(90), s.props[1].door->open);
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 1, s.props.at(2).speeds.at(0).mps);
  TEST_ASSERT_EQUAL(StreetThings::usual, good("").street.things);
}

TEST(a_crowd_without_the_new_shares_is_the_crowd_it_was) {
  const std::string crowd = "[[crowd]]\npeople = 30\nseed = 4\n";
  const Scenario plain = good(crowd), more = good(crowd + "phones = 0.5\ndogs = 0.3\n");
  TEST_ASSERT_EQUAL(plain.people.size(), more.people.size());
  int dogs = 0, phones = 0;
  for (std::size_t i = 0; i < plain.people.size(); ++i) {
    const PersonSpec &a = plain.people[i], &b = more.people[i];
    TEST_ASSERT_TRUE(!a.phone && a.carries != Carries::dog && a.rides == Rides::nothing);
    TEST_ASSERT_EQUAL_DOUBLE(a.start.at.x, b.start.at.x);
    TEST_ASSERT_EQUAL_UINT32(a.seed, b.seed);
    dogs += b.carries == Carries::dog ? 1 : 0;
    phones += b.phone ? 1 : 0;
  }
  TEST_ASSERT_TRUE(dogs > 2 && phones > 5);
}

TEST(reflectances_make_the_colour) {
  std::string list = "[";
  for (int nm = 400; nm <= 1000; nm += 20) list += nm < 580 ? "0," : "1,";
  const Scenario s = good("[[people]]\nstart = [9, 3]\ntop_colour = {reflectance = " + list + "]}");
  const Surface& top = s.people[0].clothing.top_surface;
  TEST_ASSERT_EQUAL(31, top.reflectance.size());
  TEST_ASSERT_TRUE(top.rgb[0] > 0.99 && top.rgb[1] < 0.6 && top.rgb[2] == 0);
}

TEST(who_is_not_dressed_gets_clothes_from_the_seed) {
  const std::string text = "[[people]]\nstart = [9, 3]\n[[people]]\nstart = [12, 3]\nseed = 4\n";
  const Scenario a = good(text), b = good(text), c = good("seed = 2\n" + text);
  const auto same = [](const PersonSpec& x, const PersonSpec& y) {
    return x.clothing.top_surface.rgb == y.clothing.top_surface.rgb && x.seed == y.seed;
  };
  TEST_ASSERT_TRUE(same(a.people[0], b.people[0]));
  TEST_ASSERT_FALSE(same(a.people[0], a.people[1]));
  TEST_ASSERT_FALSE(same(a.people[0], c.people[0]));
  TEST_ASSERT_TRUE(same(a.people[1], c.people[1]));  // has a seed of its own
}

TEST(an_impact_in_a_bend_and_while_braking_is_where_it_says) {
  const Scenario s = good(R"(
[car]
speeds = [{at_s = 0, kmh = 50}, {at_s = 1, kmh = 20, within_mps2 = 3}]
way = [{length_m = 10}, {length_m = 60, radius_m = 60}]
[[people]]
impact = {percent = 30, at_s = 3.5, from = "left", distance_m = 5, kmh = 6, heading_deg = -15}
[[people]]
along = {percent = 80, at_s = 4.5, kmh = 4}
)");
  const World world{s};
  const auto& contacts = world.contacts();
  TEST_ASSERT_TRUE(contacts[0].has_value() && contacts[1].has_value());
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 3.5, contacts[0]->t);
  TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0.30, contacts[0]->across);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 4.5, contacts[1]->t);
  TEST_ASSERT_DOUBLE_WITHIN(1e-5, 0.80, contacts[1]->across);
}

TEST(who_has_no_time_to_start_walks_already) {
  const Scenario s = good(
      "[car]\nkmh = 30\n[[people]]\nimpact = {percent = 50, at_s = 2, distance_m = 6, kmh = 5}");
  const PersonSpec& p = s.people[0];
  TEST_ASSERT_EQUAL_DOUBLE(0, p.start_s);
  TEST_ASSERT_EQUAL_DOUBLE(0, p.walk[0].speed_up_m);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, -2 * 5 / 3.6, p.start.at.y);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 2, World{s}.contact().value().t);
  // 4 m at 5 km/h take 2.88 s without speeding up, 3.6 s over 1 m: in 3 s, over 3 * 1.389 - 4 m.
  const Scenario hurry = good(
      "[car]\nkmh = 30\n[[people]]\nimpact = {percent = 50, at_s = 3, distance_m = 4, kmh = 5}");
  TEST_ASSERT_EQUAL_DOUBLE(0, hurry.people[0].start_s);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, -4, hurry.people[0].start.at.y);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 3 * 5 / 3.6 - 4, hurry.people[0].walk[0].speed_up_m);
  TEST_ASSERT_DOUBLE_WITHIN(1e-6, 3, World{hurry}.contact().value().t);
}

TEST(several_abreast_walk_side_by_side) {
  for (const char* from : {"right", "left"}) {
    const Scenario s =
        good(std::string{"[car]\nkmh = 30\n[[people]]\nabreast = 3\nimpact = {from = \""} + from +
             "\"}");
    TEST_ASSERT_EQUAL(3, s.people.size());
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.65, s.people[1].start.at.x - s.people[0].start.at.x);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1.3, s.people[2].start.at.x - s.people[0].start.at.x);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, s.people[0].start.at.y, s.people[2].start.at.y);
    TEST_ASSERT_EQUAL_INT(0, World{s}.contact().value().person);
    TEST_ASSERT_TRUE(s.people[0].seed != s.people[1].seed);
  }
}

TEST(things_can_stand_where_the_impact_is) {
  const Scenario s = good(R"(
[car]
kmh = 36
heading_deg = 90
[[people]]
impact = {at_s = 4}
[[props]]
kind = "bin"
relative_to = "impact"
at = [-2, -3]
)");
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 3, s.props[0].place.at.x);  // the car drives along y
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 38, s.props[0].place.at.y);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, radians(90), s.props[0].place.heading);
}

TEST(a_crowd_stays_on_its_pavement_in_a_bend) {
  const Scenario s = good(R"(
seconds = 20
[car]
kmh = 30
way = [{length_m = 40}, {length_m = 80, radius_m = 40}]
[street]
pavement_m = 2.5
[[crowd]]
people = 40
to_m = 150
on = "right"
kerb_m = 0.5
)");
  TEST_ASSERT_EQUAL(40, s.people.size());
  // By circles: the car's lane is 40 m from the middle of the bend, the kerb 1.75 m farther out.
  const World world{s};
  Moment m;
  int in_bend = 0;
  for (double t = 0; t < 20; t += 0.5) {
    world.at(t, m);
    for (const PersonState& p : m.people) {
      if (p.place.at.x < 40) {
        TEST_ASSERT_TRUE(p.place.at.y <= -1.75 - 0.49 && p.place.at.y >= -4.25);
        continue;
      }
      const double radius = std::hypot(p.place.at.x - 40, p.place.at.y - 40);
      const double angle = std::atan2(p.place.at.x - 40, 40 - p.place.at.y);
      if (angle > 1.95) continue;  // beyond the bend
      ++in_bend;
      TEST_ASSERT_TRUE(radius >= 40 + 1.75 + 0.47 && radius <= 40 + 4.25);  // chords of 3 m
    }
  }
  TEST_ASSERT_GREATER_THAN(100, in_bend);
}

TEST(a_street_without_a_way_of_its_own_follows_the_car) {
  const Scenario s =
      good("[car]\nkmh = 20\nway = [{length_m = 30}, {length_m = 62.83, radius_m = 40}]");
  // Two lanes of 3.5 m: the middle is 1.75 m to the left, so the bend is that much tighter.
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 38.25, s.street.way.at(1).radius_m);
  const Place car = Way{s.car.start, s.car.way}.at(30 + 62.83);
  const Way line = street_line(s);
  const Place middle = line.at(line.length());
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1.75, length(middle.at - car.at));
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, car.heading, middle.heading);
}

TEST(each_wrong_file_gets_its_lines) {
  const std::vector<fs::path> files = wrong_files();
  TEST_ASSERT_GREATER_THAN(15, files.size());
  for (const fs::path& path : files) {
    const std::string expected = read(fs::path{path}.replace_extension(".expected"));
    TEST_ASSERT_FALSE_MESSAGE(expected.empty(), path.c_str());
    TEST_ASSERT_EQUAL_STRING_MESSAGE(expected.c_str(), lines_of(path).c_str(), path.c_str());
  }
}

TEST(what_cannot_be_a_file_gets_one_line) {
  for (const char* path : {"/nowhere/at-all.toml", "/", "/dev/null"}) {
    const Loaded loaded = load_file(path);
    TEST_ASSERT_EQUAL(1, loaded.problems.size());
    TEST_ASSERT_TRUE(loaded.problems[0].starts_with(path));
  }
  TEST_ASSERT_EQUAL_STRING(
      "no suite or file 'eurocap'; there are euroncap, r159, quiet, faults, brief, camouflage, "
      "night, weather, turns, hiccups, hours; did you mean 'euroncap'?",
      load_suite("eurocap").problems.at(0).c_str());
}

/// Every number at its limits is taken, and just beyond them refused.
void check_limits(const Table& table, const std::string& before, int& checked) {
  for (const Field& field : table.fields) {
    if (field.kind == Kind::tables && std::string_view{table.name}.empty()) {
      check_limits(*field.table, "[[" + std::string{field.name} + "]]\n", checked);
    } else if (field.kind == Kind::table && std::string_view{table.name}.empty()) {
      check_limits(*field.table, "[" + std::string{field.name} + "]\n", checked);
    }
    if (field.kind != Kind::number && field.kind != Kind::integer) continue;
    const double slip = field.kind == Kind::integer ? 1 : 0.001;
    for (const double beyond : {field.low - slip, field.high + slip}) {
      const std::string value = field.kind == Kind::integer
                                    ? std::to_string(static_cast<long long>(beyond))
                                    : std::to_string(beyond);
      const std::string text = before + field.name + " = " + value + "\n";
      const Loaded loaded = parse_scenario(text, "t");
      const std::string wanted = "must be " + allowed(field);
      TEST_ASSERT_TRUE_MESSAGE(
          std::ranges::any_of(loaded.problems,
                              [&](const std::string& p) { return p.find(wanted) != p.npos; }),
          text.c_str());
      ++checked;
    }
    for (const double limit : {field.low, field.high}) {
      const std::string value = field.kind == Kind::integer
                                    ? std::to_string(static_cast<long long>(limit))
                                    : std::to_string(limit);
      const Loaded loaded = parse_scenario(before + field.name + " = " + value + "\n", "t");
      const std::string refused = "must be " + allowed(field);
      TEST_ASSERT_TRUE_MESSAGE(
          std::ranges::none_of(loaded.problems,
                               [&](const std::string& p) { return p.ends_with(refused); }),
          field.name);
    }
  }
}
TEST(the_limits_themselves_are_allowed_and_the_next_value_is_not) {
  int checked = 0;
  check_limits(scenario_table(), "", checked);
  TEST_ASSERT_GREATER_THAN(100, checked);
}

TEST(the_reference_in_docs_is_the_schema) {
  const std::string document = read(kReference);
  const std::string expected = with_reference(document);
  TEST_ASSERT_FALSE_MESSAGE(expected.empty(), "docs/simulator.md has lost its marks");
  TEST_ASSERT_TRUE_MESSAGE(document == expected,
                           "docs/simulator.md is out of date: run unit_simulator scenario --write");
}

TEST(the_examples_in_docs_are_good) {
  const std::string document = read(kReference);
  constexpr std::string_view kOpen = "```toml\n";
  int examples = 0;
  for (std::size_t at = document.find(kOpen); at != std::string::npos;
       at = document.find(kOpen, at)) {
    at += kOpen.size();
    const std::size_t end = document.find("```", at);
    const Loaded loaded = parse_scenario(document.substr(at, end - at), "example");
    TEST_ASSERT_TRUE_MESSAGE(loaded.ok(), loaded.ok() ? "" : loaded.problems.front().c_str());
    ++examples;
  }
  TEST_ASSERT_GREATER_OR_EQUAL(2, examples);
}

TEST(deep_nesting_is_survived) {
  std::string dots = "a";
  for (int i = 0; i < 3900; ++i) dots += ".a";
  TEST_ASSERT_FALSE(parse_scenario(dots + " = 1\n", "t").ok());
  TEST_ASSERT_FALSE(parse_scenario("[" + dots + "]\n", "t").ok());
  TEST_ASSERT_FALSE(parse_scenario("people = " + std::string(5000, '['), "t").ok());
  std::string inline_tables = "people = ";
  for (int i = 0; i < 10000; ++i) inline_tables += "{a=";
  TEST_ASSERT_FALSE(parse_scenario(inline_tables, "t").ok());
}

TEST(any_bytes_are_survived) {
  std::vector<std::string> seeds;
  for (const fs::path& path : wrong_files()) seeds.push_back(read(path));
  seeds.emplace_back(
      "[car]\nkmh = 20\nway = [{length_m = 9}]\n[[people]]\nimpact = {percent = 50}\n[[props]]\n"
      "kind = \"car\"\nat = [20, -3]\nkmh = 3\n[[crowd]]\npeople = 5\n");
  constexpr std::string_view kPieces[] = {"[",
                                          "]",
                                          "[[",
                                          "\"",
                                          "'",
                                          "=",
                                          "\n",
                                          "{",
                                          "}",
                                          ".",
                                          ",",
                                          "#",
                                          "\\",
                                          "1e999",
                                          "-nan",
                                          "inf",
                                          "0x",
                                          "\xff",
                                          "true",
                                          "2024-02-30",
                                          "9223372036854775808",
                                          "people",
                                          "impact",
                                          "-0.0",
                                          "walk = [{to = [0, 0]}]\n",
                                          "seconds = 1\n",
                                          "group = [{}]\n"};
  std::mt19937 random{4};
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = seeds[below(seeds.size())];
    for (std::size_t change = 1 + below(6); change > 0; --change) {
      const std::size_t at = below(text.size());
      switch (below(5)) {
        case 0:
          if (!text.empty()) text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, below(20));
          break;
        case 2:
          text.insert(at, kPieces[below(std::size(kPieces))]);
          break;
        case 3:
          text.insert(at, text.substr(below(text.size()), below(60)));
          break;
        default:
          if (below(4) == 0) text.resize(at);
      }
    }
    const Loaded loaded = parse_scenario(text, "mutant");
    TEST_ASSERT_TRUE(loaded.ok() != loaded.scenarios.empty() || loaded.scenarios.empty());
    refused += loaded.ok() ? 0 : 1;
    for (const std::string& line : loaded.problems) {
      TEST_ASSERT_TRUE(line.size() > 8 && line.size() < 1500);
      TEST_ASSERT_TRUE(std::ranges::none_of(
          line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }));
    }
  }
  TEST_ASSERT_GREATER_THAN(1000, refused);
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  if (!words.empty() && words[0] == "--write") write_expectations();
  return Start::run;
}
