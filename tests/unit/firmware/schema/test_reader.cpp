// SPDX-License-Identifier: Apache-2.0
// The engine with a small schema of its own. What its users need of it is tested with theirs:
// unit_config_config and unit_sim_scenario.
#include "firmware/schema/reader.hpp"

#include "firmware/schema/parse.hpp"
#include "firmware/schema/reference.hpp"
#include "tests/support/test.hpp"

using namespace kerb::schema;
using namespace std::chrono_literals;

namespace {

struct Engine {
  double metres_per_s = 10;
};
enum class Gear : std::uint8_t { park, first, second };
struct Wheel {
  int spokes = 32;
  std::optional<double> bar;
};
struct Vehicle {
  std::string name = "none";
  bool open = false;
  std::int64_t number = 1;
  std::uint32_t seed = 7;
  std::chrono::nanoseconds wait = 20ms;
  Gear gear = Gear::second;
  std::string fuel = "none";
  std::optional<Engine> engine;
  std::vector<Wheel> wheels{Wheel{}};
  std::pair<int, int> pair{1, 2};
  bool has_pair = false, has_gear = false;
};

std::string allowed_pair(const Field& field) { return "two of " + range_text(field); }
void read_pair(Reader& reader, const Field& field, const Node& node, void* to,
               const std::string& key) {
  if (node.kind != Node::Kind::list || node.items.size() != 2)
    return reader.refuse(key, node, "must be " + allowed(field));
  *static_cast<std::pair<int, int>*>(to) = {static_cast<int>(node.items[0].integer),
                                            static_cast<int>(node.items[1].integer)};
}
constexpr Custom kPair{"array", allowed_pair, read_pair, &kTypeOf<std::pair<int, int>>};

constexpr const char* kGears[] = {"first", "second"};  // no car is started in park
constexpr const char* kFuels[] = {"none", "wood"};

constexpr Field kEngine[] = {
    number<&Engine::metres_per_s>("kmh", 0, 360, "km/h", "Speed.").scaled(1 / 3.6)};
constexpr Table kEngineTable = table_of<Engine>("engine", "Its engine.", kEngine);
constexpr Field kWheel[] = {integer<&Wheel::spokes>("spokes", 3, 99, "", "A | B."),
                            number<&Wheel::bar>("bar", 0.5, 9, "bar", "Pressure.")};
constexpr Table kWheelTable = table_of<Wheel>("wheel", "A wheel.", kWheel);
constexpr Field kTimes[] = {integer<&Vehicle::wait>("wait_ms", 0, 999, "ms", "Wait.")};
constexpr Table kTimesTable = table_of<Vehicle>("times", "Times.", kTimes);
constexpr Field kVehicle[] = {
    text<&Vehicle::name>("name", 1, 8, TextRule::name, "Name."),
    flag<&Vehicle::open>("open", "Has no roof."),
    integer<&Vehicle::number>("number", 0, 1e12, "", "Number."),
    integer<&Vehicle::seed>("seed", 0, 4294967295.0, "", "Seed."),
    choice<&Vehicle::gear>("gear", kGears, "Gear.", static_cast<int>(Gear::first))
        .noted_in<&Vehicle::has_gear>(),
    choice<&Vehicle::fuel>("fuel", kFuels, "Fuel."),
    custom<&Vehicle::pair>("pair", 0, 9, "m", "Pair.", kPair)
        .by_default("as they come")
        .noted_in<&Vehicle::has_pair>(),
    table<&Vehicle::engine>("engine", "Optional.", kEngineTable),
    table("times", "", kTimesTable),
    tables<&Vehicle::wheels>("wheel", 1, 3, "", kWheelTable)};
constexpr Table kVehicleTable = table_of<Vehicle>("", "A vehicle.", kVehicle);

struct Read {
  Vehicle vehicle;
  Reader reader;
};
Read read(const char* text) {
  Read out;
  out.reader.read(kVehicleTable, std::get<Node>(parse_tree(text, "t")), out.vehicle);
  return out;
}
std::string lines(const Reader& reader) {
  std::string out;
  for (const Problem& problem : reader.problems()) out += problem.line() + "\n";
  return out;
}

TEST(every_kind_of_value_arrives) {
  const auto [v, reader] = read(
      "name = \"a-1\"\nopen = true\nnumber = 9000000000\nseed = 4294967295\ngear = \"first\"\n"
      "fuel = \"wood\"\npair = [3, 4]\nengine.kmh = 36\ntimes.wait_ms = 250\n"
      "[[wheel]]\nspokes = 5\n[[wheel]]\nbar = 2\n");
  TEST_ASSERT_EQUAL_STRING("", lines(reader).c_str());
  TEST_ASSERT_TRUE(reader.ok());
  TEST_ASSERT_EQUAL_STRING("a-1", v.name.c_str());
  TEST_ASSERT_TRUE(v.open && v.has_pair && v.has_gear);
  TEST_ASSERT_EQUAL_INT64(9000000000, v.number);
  TEST_ASSERT_EQUAL_UINT32(4294967295u, v.seed);
  TEST_ASSERT_EQUAL(Gear::first, v.gear);
  TEST_ASSERT_EQUAL_STRING("wood", v.fuel.c_str());
  TEST_ASSERT_EQUAL_INT(4, v.pair.second);
  TEST_ASSERT_EQUAL_DOUBLE(10, v.engine.value().metres_per_s);
  TEST_ASSERT_TRUE(v.wait == 250ms);
  TEST_ASSERT_EQUAL(2, v.wheels.size());
  TEST_ASSERT_EQUAL_INT(5, v.wheels[0].spokes);
  TEST_ASSERT_EQUAL_DOUBLE(2, v.wheels[1].bar.value());
}

TEST(what_the_file_leaves_out_stays) {
  const auto [v, reader] = read("");
  TEST_ASSERT_TRUE(reader.ok() && !v.engine && !v.has_pair && !v.has_gear);
  TEST_ASSERT_EQUAL(1, v.wheels.size());
  TEST_ASSERT_FALSE(reader.has("wheel"));
}

TEST(problems_come_in_the_order_of_the_file_with_their_places) {
  const auto [v, reader] = read(
      "wheel = [{spokes = 2}, {spoks = 3}]\npair = 1\nkmh = 3\nname = \"a b\"\ngear = \"fist\"\n"
      "times = [1, \"x\"]\nopen = {}\nengine = [{}, 1]\n");
  TEST_ASSERT_EQUAL_STRING(
      "t:1:11: wheel[0].spokes = 2: must be 3..99\n"
      "t:1:25: wheel[1].spoks = 3: unknown key; did you mean 'spokes'?\n"
      "t:2:1: pair = 1: must be two of 0..9 (m)\n"
      "t:3:1: kmh = 3: unknown key; did you mean 'engine.kmh'?\n"
      "t:4:1: name = \"a b\": must be 1..8 letters, digits, '-' or '_'\n"
      "t:5:1: gear = \"fist\": must be one of first, second; did you mean 'first'?\n"
      "t:6:1: times = [1, \"x\"]: is an array, must be a table: [times]\n"
      "t:7:1: open = {...}: is a table, must be true or false\n"
      "t:8:1: engine = [...]: is an array, must be a table: [engine]\n",
      lines(reader).c_str());
  TEST_ASSERT_TRUE(reader.is_bad("wheel[0].spokes") && reader.is_bad("wheel[0]"));
  TEST_ASSERT_TRUE(reader.is_bad("wheel") && !reader.is_bad("whee") && !reader.is_bad("seed"));
}

TEST(tables_are_counted) {
  TEST_ASSERT_EQUAL_STRING(
      "t:1:1: wheel = []: there are 0, must be 1..3; leave it out for the "
      "default\n",
      lines(read("wheel = []").reader).c_str());
  TEST_ASSERT_EQUAL_STRING(
      "t:1:3: wheel: there are 4, must be 1..3\n",
      lines(read("[[wheel]]\n[[wheel]]\n[[wheel]]\n[[wheel]]\n").reader).c_str());
  TEST_ASSERT_EQUAL_STRING("t:1:1: wheel = [1]: has other items, must be tables: [[wheel]]\n",
                           lines(read("wheel = [1]").reader).c_str());
}

TEST(a_rule_is_told_at_its_key_or_at_what_it_is_in) {
  Read read_wheel = read("\n[[wheel]]\nspokes = 5\n");
  Reader& reader = read_wheel.reader;
  reader.report("wheel[0].spokes", "5", "must be prime");
  reader.report("wheel[0].bar", "", "must be given");
  reader.report("engine.kmh", "", "must be given");
  TEST_ASSERT_EQUAL_STRING(
      "t: engine.kmh: must be given\n"
      "t:2:1: wheel[0].bar: must be given\n"
      "t:3:1: wheel[0].spokes = 5: must be prime\n",
      lines(reader).c_str());
  TEST_ASSERT_FALSE(reader.ok());
  TEST_ASSERT_FALSE(reader.is_bad("wheel[0].spokes"));  // its value can be used by other rules
}

TEST(values_are_written_as_a_file_has_them) {
  Vehicle v;
  v.wheels.resize(2);
  v.wheels[1].bar = 2.25;
  v.wait = 1500us;
  for (const auto& [key, expected] :
       {std::pair{"name", "\"none\""}, std::pair{"gear", "\"second\""}, std::pair{"seed", "7"},
        std::pair{"times.wait_ms", "1.5"}, std::pair{"wheel[1].bar", "2.25"},
        std::pair{"wheel[0].bar", ""}, std::pair{"wheel[2].bar", ""}, std::pair{"nothing", ""},
        std::pair{"name.more", ""}, std::pair{"engine.kmh", ""}})
    TEST_ASSERT_EQUAL_STRING_MESSAGE(expected, value_at(kVehicleTable, &v, key).c_str(), key);
  TEST_ASSERT_FALSE(v.engine.has_value());  // reading makes nothing
  v.engine.emplace();
  TEST_ASSERT_EQUAL_STRING("36", value_at(kVehicleTable, &v, "engine.kmh").c_str());
}

TEST(the_reference_has_a_table_for_each_table) {
  TEST_ASSERT_EQUAL_STRING(
      "A vehicle.\n\n"
      "| key | type | default | allowed | meaning |\n|---|---|---|---|---|\n"
      "| `name` | text | `\"none\"` | 1..8 letters, digits, '-' or '_' | Name. |\n"
      "| `open` | boolean | `false` | true or false | Has no roof. |\n"
      "| `number` | integer | `1` | 0..1000000000000 | Number. |\n"
      "| `seed` | integer | `7` | 0..4294967295 | Seed. |\n"
      "| `gear` | text | `\"second\"` | one of first, second | Gear. |\n"
      "| `fuel` | text | `\"none\"` | one of none, wood | Fuel. |\n"
      "| `pair` | array | as they come | two of 0..9 (m) | Pair. |\n"
      "| `engine` | table |  | a table | Optional. |\n\n"
      "## `[engine]`\n\nIts engine.\n\n"
      "| key | type | default | allowed | meaning |\n|---|---|---|---|---|\n"
      "| `kmh` | number | `36` | 0..360 (km/h) | Speed. |\n\n"
      "## `[times]`\n\nTimes.\n\n"
      "| key | type | default | allowed | meaning |\n|---|---|---|---|---|\n"
      "| `wait_ms` | integer | `20` | 0..999 (ms) | Wait. |\n\n"
      "## `[[wheel]]`\n\nA wheel.\n\n"
      "| key | type | default | allowed | meaning |\n|---|---|---|---|---|\n"
      "| `spokes` | integer | `32` | 3..99 | A \\| B. |\n"
      "| `bar` | number | unset | 0.5..9 (bar) | Pressure. |\n\n",
      reference(kVehicleTable, 2).c_str());
}

}  // namespace
