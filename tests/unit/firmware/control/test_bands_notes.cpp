// SPDX-License-Identifier: Apache-2.0
// A look at bands that fails while the product runs: what the bus, the log and the events say, and
// that people are warned of all the same.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/test.hpp"
#include "tests/unit/firmware/control/drive.hpp"
#include "tests/unit/firmware/events/scratch.hpp"

using namespace kerb;
using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Drive;

namespace {

struct Road {
  explicit Road(const std::optional<Error>& spectral_error = {}) {
    EventLogOptions options;
    options.path = scratch.path("events.jsonl");
    Result<std::unique_ptr<EventLog>> opened = EventLog::open(options, clock);
    TEST_ASSERT_OK(opened);
    events = std::move(*opened);
    Drive::Options with;
    with.events = events.get();
    with.bands = true;
    with.spectral_error = spectral_error;
    drive = std::make_unique<Drive>(with);
    if (FakeSpectralMatcher* matcher = drive->eye().matcher)
      matcher->says.x = 319.5F;  // where they are: straight ahead
    TEST_ASSERT_TRUE(drive->becomes_ready());
  }
  std::vector<json> told() const {
    std::vector<json> out;
    TEST_ASSERT_TRUE(events->flush(seconds{10}));
    for (const std::string& line : lines_of(slurp(scratch.path("events.jsonl"))))
      if (const json event = json::parse(line); event["kind"] == "bands_missing")
        out.push_back(event["data"]);
    return out;
  }
  int logged(const std::string& part) const {
    int count = 0;
    for (const FakeLog::Line& line : drive->log.lines())
      if (line.category == "spectral" && line.text.find(part) != std::string::npos) ++count;
    return count;
  }
  Scratch scratch;
  SystemClock clock;
  std::unique_ptr<EventLog> events;
  std::unique_ptr<Drive> drive;
};

TEST(a_look_that_fails_is_told_once_people_are_warned_of_and_it_recovers) {
  Road road;
  Drive& drive = *road.drive;
  FakeSpectralMatcher& matcher = *drive.eye().matcher;
  drive.speed = 10;
  drive.people = {{.x_m = 60}};
  TEST_ASSERT_TRUE(drive.until([&] { return matcher.looks > 3; }));
  TEST_ASSERT_EQUAL_INT(0, road.told().size());
  matcher.broken = true;
  TEST_ASSERT_TRUE(drive.heard(HealthState::degraded, Cause::bands_missing));
  TEST_ASSERT_EQUAL_INT(0, drive.statuses.back().health.camera);
  TEST_ASSERT_DOUBLE_WITHIN(0.1, static_cast<double>(Errc::device),
                            drive.statuses.back().health.number);
  TEST_ASSERT_TRUE(drive.amber.on());
  TEST_ASSERT_EQUAL(Readiness::ready, drive.readiness());
  TEST_ASSERT_TRUE(
      drive.until([&] { return drive.level() == WarningLevel::collision; }, seconds{4}));
  const std::vector<json> told = road.told();
  TEST_ASSERT_EQUAL_INT(1, told.size());
  TEST_ASSERT_EQUAL_STRING("camera 0", told[0]["camera"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL_STRING("device", told[0]["code"].get<std::string>().c_str());
  TEST_ASSERT_EQUAL_INT(1, road.logged("told apart by colours"));

  matcher.broken = false;
  TEST_ASSERT_TRUE(drive.heard(HealthState::active, Cause::none));
  TEST_ASSERT_EQUAL_INT(1, road.logged("spectral search works again"));
  TEST_ASSERT_EQUAL_INT(1, road.told().size());
  // The next time is told again.
  matcher.broken = true;
  TEST_ASSERT_TRUE(drive.heard(HealthState::degraded, Cause::bands_missing));
  TEST_ASSERT_EQUAL_INT(2, road.told().size());
}

TEST(it_recovers_when_nobody_is_there_to_look_for) {
  Road road;
  Drive& drive = *road.drive;
  FakeSpectralMatcher& matcher = *drive.eye().matcher;
  drive.people = {{.x_m = 15}};
  TEST_ASSERT_TRUE(drive.until([&] { return matcher.looks > 3; }));
  matcher.broken = true;
  TEST_ASSERT_TRUE(drive.heard(HealthState::degraded, Cause::bands_missing));
  drive.people = {};
  drive.run(seconds{5});  // nobody is followed any more, and it still fails
  TEST_ASSERT_TRUE(matcher.probes > 10);
  TEST_ASSERT_EQUAL(HealthState::degraded, drive.controller->health().state);
  matcher.broken = false;
  TEST_ASSERT_TRUE(drive.heard(HealthState::active, Cause::none));
}

TEST(one_that_could_not_be_made_stays_off_and_says_why) {
  Road road{Error{Errc::device, 2, "spectral matcher", "out of memory"}};
  Drive& drive = *road.drive;
  TEST_ASSERT_TRUE(drive.heard(HealthState::degraded, Cause::bands_missing));
  drive.run(seconds{3});
  TEST_ASSERT_EQUAL(Cause::bands_missing, drive.controller->health().cause);
  TEST_ASSERT_EQUAL(Readiness::ready, drive.readiness());
  const std::vector<json> told = road.told();
  TEST_ASSERT_EQUAL_INT(1, told.size());
  TEST_ASSERT_TRUE(told[0]["detail"].get<std::string>().find("out of memory") != std::string::npos);
  TEST_ASSERT_EQUAL_INT(0, road.logged(""));  // whoever could not make it said so
}

}  // namespace
