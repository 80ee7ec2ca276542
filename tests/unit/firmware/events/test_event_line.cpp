// SPDX-License-Identifier: Apache-2.0
#include "firmware/events/event_line.hpp"
#include "tests/support/test.hpp"

#include <cstdint>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/unit/firmware/events/event_samples.hpp"

using kerb::Event;
using kerb::EventKind;
using kerb::EventStamp;
using kerb::Severity;
using nlohmann::json;

namespace {

std::string schema_path = KERB_EVENTS_SCHEMA;
const EventStamp kStamp{7, "0123456789abcdef", std::chrono::milliseconds{1700000000123}};

std::string line_of(const Event& event) {
  std::string line;
  kerb::append_line(line, event, kStamp);
  return line;
}

TEST(a_line_is_written_as_the_docs_show_it) {
  const Event event =
      kerb::events::health_changed(std::chrono::seconds{81}, kerb::HealthState::active,
                                   {kerb::HealthState::degraded, kerb::Cause::camera_silent, 420});
  TEST_ASSERT_EQUAL_STRING(
      R"({"seq":7,"run":"0123456789abcdef","time_ns":81000000000,"utc":"2023-11-14T22:13:20.123Z",)"
      R"("kind":"health_changed","severity":"warning","data":{"from":"ACTIVE","to":"DEGRADED",)"
      R"("cause":"camera_silent","number":420,"unit":"ms","left_out":0}})"
      "\n",
      line_of(event).c_str());
}

TEST(fields_of_every_type_come_back) {
  Event event{kerb::Nanos{-5}, EventKind::started, Severity::error};
  event.with("i", std::numeric_limits<std::int64_t>::min()).with("d", 0.1).with("b", true);
  event.with("t", "x\"y").with("s", std::string{"z"}).with("n", static_cast<const char*>(nullptr));
  event.with("f", 0.5F).with("u", std::uint8_t{200});
  static_assert(Event::kMaxFields == 12);
  event.with("9", 1).with("10", 1).with("11", 1).with("12", 1).with("one_too_many", 1);
  const json data = json::parse(line_of(event))["data"];
  TEST_ASSERT_EQUAL_INT(Event::kMaxFields, data.size());
  TEST_ASSERT_FALSE(data.contains("one_too_many"));
  TEST_ASSERT_TRUE(data["i"] == std::numeric_limits<std::int64_t>::min());
  TEST_ASSERT_TRUE(data["d"] == 0.1 && data["b"] == true && data["t"] == "x\"y" &&
                   data["s"] == "z");
  TEST_ASSERT_TRUE(data["n"] == "" && data["f"] == 0.5 && data["u"] == 200);
}

TEST(no_line_is_longer_than_promised) {
  Event event{kerb::Nanos::min(), EventKind::stage_over_budget, Severity::warning};
  const std::string worst(96, '\x01');
  for (std::size_t i = 0; i < Event::kMaxFields; ++i)
    event.with("k2345678901234567890123456789012", worst);
  std::string line;
  kerb::append_line(line, event, {UINT64_MAX, "0123456789abcdef", kerb::Nanos::max()});
  TEST_ASSERT_TRUE(line.size() <= kerb::kMaxEventLine);
}

/// A value against the few words of JSON Schema that ours uses for fields.
bool obeys(const json& value, const json& rule) {
  if (rule.contains("enum"))
    return std::find(rule["enum"].begin(), rule["enum"].end(), value) != rule["enum"].end();
  if (rule.contains("minimum") && value < rule["minimum"]) return false;
  const json types = rule["type"].is_array() ? rule["type"] : json::array({rule["type"]});
  return std::any_of(types.begin(), types.end(), [&value](const json& type) {
    return (type == "string" && value.is_string()) ||
           (type == "integer" && value.is_number_integer()) ||
           (type == "number" && value.is_number()) || (type == "null" && value.is_null()) ||
           (type == "boolean" && value.is_boolean());
  });
}

TEST(every_kind_is_as_the_schema_says) {
  std::ifstream file{schema_path};
  const json schema = json::parse(file);
  std::set<std::string> seen;
  for (const Event& event : event_samples()) {
    const std::string text = line_of(event);
    TEST_ASSERT_EQUAL_INT(text.size() - 1, text.find('\n'));
    const json line = json::parse(text);
    const std::string kind = line["kind"];
    TEST_ASSERT_EQUAL_STRING(kerb::name_of(event.kind), kind.c_str());
    seen.insert(kind);
    TEST_ASSERT_EQUAL_INT(schema["required"].size(), line.size());
    for (const auto& key : schema["required"]) TEST_ASSERT_TRUE(line.contains(key));
    const json& rules = schema["$defs"].at(kind);
    TEST_ASSERT_EQUAL_INT_MESSAGE(event.count, line["data"].size(), "two fields of one name");
    TEST_ASSERT_EQUAL_INT_MESSAGE(rules["required"].size(), line["data"].size(), kind.c_str());
    for (const auto& [key, value] : line["data"].items()) {
      const std::string what = kind + "." + key + " = " + value.dump();
      TEST_ASSERT_TRUE_MESSAGE(rules["properties"].contains(key), what.c_str());
      TEST_ASSERT_TRUE_MESSAGE(obeys(value, rules["properties"][key]), what.c_str());
    }
  }
  TEST_ASSERT_EQUAL_INT_MESSAGE(kerb::kEventKinds, seen.size(), "a kind without a sample");
  TEST_ASSERT_EQUAL_INT(kerb::kEventKinds, schema["properties"]["kind"]["enum"].size());
  for (std::size_t i = 0; i < kerb::kEventKinds; ++i)
    TEST_ASSERT_TRUE(seen.contains(kerb::name_of(static_cast<EventKind>(i))));
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  if (!words.empty()) schema_path = words[0];
  return Start::run;
}
