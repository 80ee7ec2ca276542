// SPDX-License-Identifier: Apache-2.0
// Days on which nothing is as it should be, or nothing happens at all. Safe behaviour is: no
// warning without reason, no reason lost, and a readiness that says what is the matter.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <vector>

#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/control/drive.hpp"

using namespace kerb;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using test::Drive;
using test::Walker;

namespace {

constexpr double kBumper = 3.6;
int hour_in_minutes = 60;  // less where the machine is an emulated one

void assert_nobody_was_warned_of(const Drive& drive) {
  TEST_ASSERT_FALSE(drive.ever(WarningLevel::information));
  TEST_ASSERT_FALSE(drive.ever(WarningLevel::collision));
  TEST_ASSERT_FALSE(drive.lamp.on());
  for (const auto& sound : drive.tone.history) TEST_ASSERT_FALSE(sound.has_value());
}

TEST(a_standing_car_hits_nobody_whoever_walks_before_it) {
  Drive drive;
  TEST_ASSERT_TRUE(drive.becomes_ready());
  // Across the bumper, towards the car, and along the pavement.
  drive.people = {{.x_m = kBumper + 3, .y_m = 3, .vy_mps = -1.2},
                  {.x_m = 20, .y_m = 0.5, .vx_mps = -2},
                  {.x_m = 12, .y_m = -3, .vx_mps = 1.4}};
  drive.run(seconds{6});
  TEST_ASSERT_TRUE(drive.ever(WarningLevel::information));
  TEST_ASSERT_FALSE(drive.ever(WarningLevel::collision));
  for (const auto& sound : drive.tone.history) TEST_ASSERT_FALSE(sound.has_value());
}

TEST(a_car_that_drives_backwards_says_so_and_warns_of_nobody_ahead) {
  Drive drive;
  drive.speed = -1.5;  // the gear is not told
  TEST_ASSERT_TRUE(drive.until([&] { return drive.readiness() == Readiness::reversing; }));
  drive.people = {{.x_m = kBumper + 2.5, .y_m = 0.2, .vx_mps = -1.5}};  // comes after it
  drive.run(seconds{3});
  TEST_ASSERT_EQUAL_STRING("reversing", name_of(drive.readiness()));
  TEST_ASSERT_EQUAL_STRING("ACTIVE", name_of(drive.statuses.back().health.state));
  assert_nobody_was_warned_of(drive);
  TEST_ASSERT_EQUAL_INT(1, drive.lists.back().people.size());  // but seen all the same
  drive.people = {};
  for (; *drive.speed < 0; *drive.speed += 0.02) drive.step();
  drive.speed = 0;
  TEST_ASSERT_TRUE(drive.becomes_ready());
  drive.gear = Gear::reverse;  // and before it moves at all
  TEST_ASSERT_TRUE(drive.until([&] { return drive.readiness() == Readiness::reversing; }));
  TEST_ASSERT_DOUBLE_WITHIN(0.01, 0, *drive.speed);
}

TEST(a_car_that_never_talks_is_told_that_nobody_will_be_warned_of) {
  Drive drive;
  drive.talking = false;
  TEST_ASSERT_TRUE(drive.until([&] { return drive.readiness() == Readiness::no_speed; }));
  drive.people = {{.x_m = kBumper + 3}, {.x_m = 15, .vx_mps = -5}};
  drive.run(seconds{3});
  assert_nobody_was_warned_of(drive);
  TEST_ASSERT_EQUAL_STRING("no_speed", name_of(drive.readiness()));
  TEST_ASSERT_EQUAL_STRING("DEGRADED", name_of(drive.statuses.back().health.state));
  TEST_ASSERT_EQUAL_STRING("signals_missing", name_of(drive.statuses.back().health.cause));
  TEST_ASSERT_TRUE(drive.amber.on());
  drive.people = {};
  drive.talking = true;
  TEST_ASSERT_TRUE(drive.becomes_ready());
  TEST_ASSERT_TRUE(drive.until([&] { return !drive.amber.on(); }));
}

/// A speed that is lost says nothing about the danger: the warning stays until the contact was due.
TEST(a_speed_that_goes_missing_ends_no_warning_and_one_that_returns_begins_it) {
  Drive drive;
  drive.speed = 10;
  TEST_ASSERT_TRUE(drive.becomes_ready());
  drive.people = {{.x_m = 45}};
  const auto warned = [&] { return drive.level() == WarningLevel::collision; };
  TEST_ASSERT_TRUE(drive.until(warned, seconds{4}));
  // The car says that it does not know: the road still comes nearer.
  drive.speed.reset();
  drive.people[0].vx_mps = -10;
  drive.run(WarningLogic::kShortest + milliseconds{300});
  TEST_ASSERT_EQUAL_STRING("ready", name_of(drive.readiness()));  // it is held for a moment
  TEST_ASSERT_EQUAL_STRING("collision", name_of(drive.level()));
  TEST_ASSERT_TRUE(drive.amber.on());
  TEST_ASSERT_TRUE(drive.until([&] { return drive.readiness() == Readiness::no_speed; }));
  TEST_ASSERT_EQUAL_STRING("collision", name_of(drive.level()));
  TEST_ASSERT_TRUE(drive.until([&] { return drive.level() == WarningLevel::none; }, seconds{3}));
  TEST_ASSERT_FALSE(drive.lamp.on());
  TEST_ASSERT_FALSE(drive.tone.sounding().has_value());
  TEST_ASSERT_TRUE(drive.amber.on());
  drive.people = {{.x_m = 60}};
  drive.speed = 10;
  TEST_ASSERT_TRUE(drive.becomes_ready());
  TEST_ASSERT_TRUE(drive.until(warned, seconds{5}));
}

TEST(without_a_yaw_rate_it_warns_straight_ahead) {
  Drive drive;
  drive.speed = 10;
  drive.yaw_rate.reset();
  TEST_ASSERT_TRUE(drive.becomes_ready());
  drive.people = {{.x_m = 45}};
  TEST_ASSERT_TRUE(
      drive.until([&] { return drive.level() == WarningLevel::collision; }, seconds{4}));
  TEST_ASSERT_EQUAL_STRING("DEGRADED", name_of(drive.statuses.back().health.state));
}

TEST(an_impossible_speed_is_no_speed) {
  Drive drive;
  drive.speed = 300;
  TEST_ASSERT_TRUE(drive.until([&] { return drive.readiness() == Readiness::no_speed; }));
  TEST_ASSERT_TRUE(drive.until(
      [&] { return drive.statuses.back().health.cause == Cause::signals_implausible; }));
  drive.people = {{.x_m = kBumper + 3}};
  drive.run(milliseconds{100});
  assert_nobody_was_warned_of(drive);
}

TEST(fifty_people_at_once) {
  Drive drive;
  TEST_ASSERT_TRUE(drive.becomes_ready());
  for (int i = 0; i < 50; ++i) {  // ten abreast, each row looking between those before
    const int row = i / 10;
    const double aside = row % 2 == 0 ? 0 : 0.6;
    drive.people.push_back({.x_m = 16.0 + 4 * row, .y_m = 1.2 * (i % 10 - 4.5) + aside});
  }
  drive.run(seconds{2});
  TEST_ASSERT_EQUAL_INT(50, drive.shown());
  int followed = 0;
  const risk::PeopleReport& report = drive.pipeline().people();
  for (int i = 0; i < report.people.count; ++i) followed += report.people.items[i].confirmed;
  // Who stands right behind another, with boxes that are nearly one, is followed as one.
  TEST_ASSERT_INT_WITHIN(7, 43, followed);
  // The ten of the first row and five of the second, in order.
  const std::vector<can::ObjectMessage>& people = drive.lists.back().people;
  TEST_ASSERT_EQUAL_size_t(can::kMaxObjects, people.size());
  for (std::size_t i = 0; i < people.size(); ++i) {
    TEST_ASSERT_TRUE(i == 0 || *people[i].x_m >= *people[i - 1].x_m);
    TEST_ASSERT_DOUBLE_WITHIN(2.5, (i < 10 ? 16 : 20) - kBumper, *people[i].x_m);
  }
  assert_nobody_was_warned_of(drive);  // they are far from a car that stands

  drive.meter = test::allocations;
  const std::uint64_t frames = drive.pipeline().facts().processed;
  drive.run(seconds{2});
  TEST_ASSERT_EQUAL_UINT64(60, drive.pipeline().facts().processed - frames);
  TEST_ASSERT_EQUAL_UINT64(0, drive.metered);

  // Now it drives at them.
  for (Walker& w : drive.people) w.x_m += 40;
  for (*drive.speed = 0; *drive.speed < 8; *drive.speed += 0.08) drive.step();
  const auto warned = [&] { return drive.level() == WarningLevel::collision; };
  TEST_ASSERT_TRUE(drive.until(warned, seconds{8}));
  const double left = (drive.people[0].x_m - kBumper) / *drive.speed;
  TEST_ASSERT_TRUE(left >= 1.5 && left <= 3);
  drive.run(milliseconds{200});
  const auto id = drive.warnings.back().object_id;
  TEST_ASSERT_TRUE(id.has_value());
  const auto& list = drive.lists.back().people;
  const auto who = std::ranges::find_if(list, [&](const auto& p) { return p.id == *id; });
  TEST_ASSERT_TRUE(who != list.end());
  TEST_ASSERT_DOUBLE_WITHIN(1.6, 0, *who->y_m);  // of those on the car's way
  TEST_ASSERT_EQUAL_INT(0, drive.bad_frames + drive.stray_frames);
}

/// All that the logic remembers.
std::vector<std::byte> memory_of(const WarningLogic& logic) {
  std::vector<std::byte> bytes(std::size_t{64} << 10);
  FieldWriter out{bytes};
  logic.save(out);
  TEST_ASSERT_TRUE(out.ok());
  bytes.resize(out.size());
  return bytes;
}
std::size_t memory_of(const PeopleEstimator& watch) {
  std::vector<std::byte> bytes(std::size_t{192} << 10);
  FieldWriter out{bytes};
  watch.save(out);
  TEST_ASSERT_TRUE(out.ok());
  return out.size();
}

/// Thirty frames and a hundred rounds a second, in town: the car speeds up, turns, brakes, stands.
/// Nobody is ever there, and at the end it is as awake as at the beginning.
TEST(nobody_for_an_hour) {
  const std::unique_ptr<PeopleEstimator> watch = test::road_watch(CarSettings{});
  WarningLogic logic{WarningRules{}};
  ReadinessJudge judge;
  ReadinessFacts facts;
  facts.starting = false;
  facts.detector_present = true;
  const auto senses = std::make_unique<track::Senses>();
  const auto report = std::make_unique<risk::PeopleReport>();
  std::array<const risk::PeopleReport*, WarningLogic::kMostCameras> reports{report.get()};
  const auto nobody = std::make_unique<DetectionList>();
  const PreparedImage image;
  Nanos now = seconds{100}, frame_due = now;
  int frames = 0, rounds = 0;
  double speed = 0, target = 14;
  Walker somebody{.x_m = 45};
  bool in_town = true, there = false;
  const auto round = [&] {
    now += Controller::kTick;
    speed = speed < target ? std::min(speed + 0.02, target) : std::max(speed - 0.03, target);
    if (in_town && rounds % 1500 == 1499) target = target > 0 ? 0 : 14;
    somebody.x_m -= speed * 0.01;
    if (now >= frame_due) {
      frame_due += Drive::kFrame;
      nobody->count = 0;
      if (const auto box = test::box_of(test::road_camera(), somebody); there && box)
        nobody->items[nobody->count++] = *box;
      ego::VehicleMotion vehicle{speed, in_town && rounds / 700 % 5 == 0 ? 0.2 : 0.0};
      watch->sense(now, image, nobody.get(), nullptr, nullptr, vehicle, *senses);
      watch->step(*senses, *report);
      ++frames;
    }
    facts.speed_mps = speed;
    DriverSide side;
    side.readiness = judge.step(facts);
    side.speed_mps = speed;
    ++rounds;
    const WarningDecision told = logic.step(now, reports, side);
    return side.readiness == Readiness::ready ? told.level : WarningLevel::collision;
  };
  for (int i = 0; i < 3000; ++i) TEST_ASSERT_TRUE(round() == WarningLevel::none);
  const std::vector<std::byte> at_first = memory_of(logic);
  const std::size_t watched = memory_of(*watch);
  const std::uint64_t before = test::allocations();
  frames = 0;
  bool silent = true, empty = true;
  int all = 0;
  for (; all < hour_in_minutes * 6000; ++all) {
    silent = round() == WarningLevel::none && silent;
    empty = report->people.count == 0 && empty;
  }
  TEST_ASSERT_EQUAL_UINT64(before, test::allocations());
  TEST_ASSERT_TRUE(silent);
  TEST_ASSERT_TRUE(empty);
  TEST_ASSERT_INT_WITHIN(hour_in_minutes, hour_in_minutes * 1800, frames);
  const std::vector<std::byte> at_last = memory_of(logic);
  TEST_ASSERT_EQUAL_size_t(at_first.size(), at_last.size());
  TEST_ASSERT_EQUAL_MEMORY(at_first.data(), at_last.data(), at_first.size());
  TEST_ASSERT_EQUAL_size_t(watched, memory_of(*watch));

  in_town = false;
  target = 12;
  for (int i = 0; i < 1500; ++i) TEST_ASSERT_TRUE(round() == WarningLevel::none);
  somebody.x_m = 45;
  there = true;
  bool warned = false;
  for (int i = 0; i < 300 && !warned; ++i) warned = round() == WarningLevel::collision;
  TEST_ASSERT_TRUE(warned);
  TEST_ASSERT_TRUE(somebody.x_m - kBumper > 1.5 * speed);
  TEST_ASSERT_EQUAL_UINT32(1, report->people.items[0].id);  // the first there ever was
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  if (!words.empty()) hour_in_minutes = std::max(1, std::atoi(words[0].c_str()));
  return Start::run;
}
