// SPDX-License-Identifier: Apache-2.0
// The counters of the product's life, and that a power cut costs a minute of them at most.
#include "firmware/diagnostics/life.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <span>
#include <string>
#include <thread>

#include "firmware/diagnostics/life_book.hpp"
#include "hal/fake/log.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using namespace kerb::diagnostics;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

LifeImage sample() {
  LifeImage image;
  image.sequence = 41;
  image.running = true;
  image.off_switch = {true, 7};
  image.counters.distance_mm = 123'456'789'012;
  image.counters.run_ms = 3'600'000'000;
  image.counters.active_ms = 3'000'000'000;
  image.counters.ready_ms = 2'000'000'000;
  image.counters.starts = 812;
  image.counters.interrupted = 3;
  image.counters.informations = 55;
  image.counters.collisions = 2;
  image.counters.faults[1] = 9;
  image.counters.faults[63] = 0xFFFFFFFF;
  return image;
}

void spit(const fs::path& path, std::span<const std::byte> bytes) {
  std::ofstream out{path, std::ios::binary};
  for (const std::byte b : bytes) out.put(static_cast<char>(b));
}

TEST(what_is_kept_is_read_again) {
  const Result<LifeImage> read = decode_life(encode(sample()));
  TEST_ASSERT_TRUE(read && *read == sample());
}

TEST(any_torn_or_changed_copy_is_refused) {
  const std::vector<std::byte> whole = encode(sample());
  for (std::size_t size = 0; size < whole.size(); ++size)
    TEST_ASSERT_FALSE(decode_life(std::span{whole}.first(size)));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::vector<std::byte> changed = whole;
    changed[at] ^= std::byte{0x01};
    TEST_ASSERT_FALSE(decode_life(changed));
  }
}

TEST(a_power_cut_at_any_byte_of_a_write_leaves_the_copy_before) {
  const test::TempFolder folder;
  const std::string path = (folder.path() / "life").string();
  LifeImage before = sample(), next = sample();
  next.sequence = before.sequence + 1;
  next.counters.collisions = 3;
  TEST_ASSERT_OK(save_life(path, before));
  const std::vector<std::byte> bytes = encode(next);
  const fs::path copy = path + ".a";  // of an even sequence
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    spit(path + ".a.new", std::span{bytes}.first(cut));  // the power went before the renaming
    const Result<LifeImage> read = load_life(path);
    TEST_ASSERT_TRUE(read && *read == before);
    spit(copy, std::span{bytes}.first(cut));  // a file system that keeps no order
    const Result<LifeImage> torn = load_life(path);
    TEST_ASSERT_TRUE(torn && *torn == before);
    fs::remove(copy);
  }
  TEST_ASSERT_OK(save_life(path, next));
  const Result<LifeImage> read = load_life(path);
  TEST_ASSERT_TRUE(read && *read == next);
}

TEST(copies_are_written_in_turn_and_either_may_be_lost) {
  const test::TempFolder folder;
  const std::string path = (folder.path() / "life").string();
  Result<LifeImage> none = load_life(path);
  TEST_ASSERT_TRUE(!none && none.error().code == Errc::not_found);
  LifeImage image;
  for (image.sequence = 1; image.sequence <= 5; ++image.sequence) {
    image.counters.starts = static_cast<std::uint32_t>(image.sequence);
    TEST_ASSERT_OK(save_life(path, image));
    TEST_ASSERT_EQUAL_UINT32(image.counters.starts, load_life(path)->counters.starts);
  }
  fs::remove(path + ".b");  // the fifth
  TEST_ASSERT_EQUAL_UINT32(4, load_life(path)->counters.starts);
  spit(path + ".a", {});
  const Result<LifeImage> lost = load_life(path);
  TEST_ASSERT_TRUE(!lost && lost.error().code == Errc::damaged);
}

TEST(distance_and_hours_are_what_the_rounds_add_up_to) {
  HealthMonitor monitor{0ns, 0ns};
  LifeTally tally{LifeImage{}};
  // An hour at 10 m/s, half of it ACTIVE, a quarter ready; rounds of 10 ms.
  LifeRound round;
  for (int i = 0; i <= 360'000; ++i) {
    round.now = 5s + i * 10ms;
    round.speed_mps = i % 2 == 0 ? 10.0 : -10.0;
    round.state = i <= 180'000 ? HealthState::active : HealthState::degraded;
    round.readiness = i <= 90'000 ? Readiness::ready : Readiness::no_speed;
    tally.round(round, monitor);
  }
  const LifeCounters& c = tally.image().counters;
  TEST_ASSERT_INT64_WITHIN(1, 36'000'000, static_cast<std::int64_t>(c.distance_mm));
  TEST_ASSERT_EQUAL_UINT64(3'600'000, c.run_ms);
  TEST_ASSERT_EQUAL_UINT64(1'800'000, c.active_ms);
  TEST_ASSERT_EQUAL_UINT64(900'000, c.ready_ms);
  TEST_ASSERT_EQUAL_UINT32(1, c.starts);
  TEST_ASSERT_EQUAL_UINT32(0, c.interrupted);
}

TEST(a_clock_that_jumps_adds_a_second_at_most_and_goes_never_back) {
  HealthMonitor monitor{0ns, 0ns};
  LifeTally tally{LifeImage{}};
  LifeRound round;
  round.speed_mps = 20;
  for (const Nanos now : {Nanos{10s}, Nanos{24h}, Nanos{3s}, Nanos{3s + 10ms}}) {
    round.now = now;
    tally.round(round, monitor);
  }
  TEST_ASSERT_EQUAL_UINT64(1010, tally.image().counters.run_ms);
  TEST_ASSERT_EQUAL_UINT64(20'200, tally.image().counters.distance_mm);
}

TEST(a_speed_that_is_not_known_or_not_a_number_adds_nothing) {
  HealthMonitor monitor{0ns, 0ns};
  LifeTally tally{LifeImage{}};
  LifeRound round;
  for (int i = 0; i < 100; ++i) {
    round.now += 10ms;
    round.speed_mps = i % 2 == 0 ? std::optional<double>{} : std::nan("");
    tally.round(round, monitor);
  }
  TEST_ASSERT_EQUAL_UINT64(0, tally.image().counters.distance_mm);
}

TEST(counters_that_are_full_stay_full) {
  LifeImage full;
  full.counters.distance_mm = full.counters.run_ms = std::numeric_limits<std::uint64_t>::max() - 5;
  full.counters.starts = full.counters.informations = 0xFFFFFFFF;
  full.counters.faults[static_cast<std::size_t>(Cause::bus_lost)] = 0xFFFFFFFF;
  HealthMonitor monitor{0ns, 0ns};
  LifeTally tally{full};
  monitor.report(Cause::bus_lost, PartState::degraded, 1, 1s);
  LifeRound round;
  round.speed_mps = 30;
  round.informations = 7;
  for (round.now = 1s; round.now < 3s; round.now += 500ms) tally.round(round, monitor);
  const LifeCounters& c = tally.image().counters;
  TEST_ASSERT_TRUE(c.distance_mm == std::numeric_limits<std::uint64_t>::max());
  TEST_ASSERT_TRUE(c.run_ms == std::numeric_limits<std::uint64_t>::max());
  TEST_ASSERT_EQUAL_UINT32(0xFFFFFFFF, c.starts);
  TEST_ASSERT_EQUAL_UINT32(0xFFFFFFFF, c.informations);
  TEST_ASSERT_EQUAL_UINT32(0xFFFFFFFF, c.faults[static_cast<std::size_t>(Cause::bus_lost)]);
}

TEST(warnings_and_faults_are_counted_once_each) {
  HealthMonitor monitor{0ns, 0ns};
  LifeTally tally{LifeImage{}};
  LifeRound round;
  const auto at = [](Cause cause) { return static_cast<std::size_t>(cause); };
  for (int i = 0; i < 100; ++i) {
    round.now += 10ms;
    round.collisions = i < 50 ? 1 : 2;
    const bool silent = i % 20 < 10;
    for (const int camera : {0, 2})
      monitor.report(Cause::camera_silent, silent ? PartState::degraded : PartState::fine, 300,
                     round.now, camera);
    tally.round(round, monitor);
  }
  TEST_ASSERT_EQUAL_UINT32(2, tally.image().counters.collisions);
  TEST_ASSERT_EQUAL_UINT32(10, tally.image().counters.faults[at(Cause::camera_silent)]);
  TEST_ASSERT_EQUAL_UINT32(0, tally.image().counters.faults[at(Cause::camera_dark)]);
}

TEST(a_run_that_was_cut_off_is_known_at_the_next_start) {
  const test::TempFolder folder;
  FakeLog log;
  HealthMonitor monitor{0ns, 0ns};
  const LifeBookOptions options{(folder.path() / "life").string(), 60s, 10s, 10s};
  {
    Result<std::unique_ptr<LifeBook>> book = LifeBook::open(options, log);
    TEST_ASSERT_OK(book);
    TEST_ASSERT_FALSE((*book)->was_interrupted());
    TEST_ASSERT_TRUE(test::comes_to_be([&] { return (*book)->written() == 1; }));
    LifeRound round;
    round.speed_mps = 10;
    for (round.now = 1s; round.now < 61s; round.now += 500ms) (*book)->round(round, monitor);
    TEST_ASSERT_EQUAL_UINT64(1, (*book)->written());  // not before its time
    (*book)->round(round, monitor);
    TEST_ASSERT_TRUE(test::comes_to_be([&] { return (*book)->written() == 2; }));
    TEST_ASSERT_EQUAL_UINT64(600'000, load_life(options.path)->counters.distance_mm);
    for (; round.now < 90s; round.now += 500ms) (*book)->round(round, monitor);
    // The power goes here: what the object does at its end happens elsewhere.
    fs::copy(options.path + ".a", folder.path() / "cut.a");
    fs::copy(options.path + ".b", folder.path() / "cut.b");
    (*book)->finish();
  }
  TEST_ASSERT_FALSE(load_life(options.path)->running);
  const LifeBookOptions cut{(folder.path() / "cut").string(), 60s, 10s, 10s};
  Result<std::unique_ptr<LifeBook>> book = LifeBook::open(cut, log);
  TEST_ASSERT_OK(book);
  TEST_ASSERT_TRUE((*book)->was_interrupted());
  TEST_ASSERT_EQUAL_UINT32(2, (*book)->counters().starts);
  TEST_ASSERT_EQUAL_UINT32(1, (*book)->counters().interrupted);
  TEST_ASSERT_EQUAL_UINT64(600'000, (*book)->counters().distance_mm);
}

TEST(the_off_switch_is_written_at_once) {
  const test::TempFolder folder;
  FakeLog log;
  const LifeBookOptions options{(folder.path() / "life").string(), 1h, 10s, 10s};
  const KeptSwitch off{true, 3};
  Result<std::unique_ptr<LifeBook>> book = LifeBook::open(options, log);
  TEST_ASSERT_OK(book);
  TEST_ASSERT_TRUE(test::comes_to_be([&] { return (*book)->written() == 1; }));
  (*book)->keep(off);
  TEST_ASSERT_TRUE(test::comes_to_be([&] { return (*book)->written() == 2; }));
  (*book)->keep(off);  // nothing new
  TEST_ASSERT_TRUE(load_life(options.path)->off_switch == off);
  TEST_ASSERT_EQUAL_UINT64(2, (*book)->written());
}

TEST(files_that_are_damaged_are_told_and_counting_begins_anew) {
  const test::TempFolder folder;
  FakeLog log;
  const LifeBookOptions options{(folder.path() / "life").string(), 60s, 10s, 10s};
  spit(options.path + ".a", encode(sample()));
  spit(options.path + ".b", {});
  fs::resize_file(options.path + ".a", 100);
  Result<std::unique_ptr<LifeBook>> book = LifeBook::open(options, log);
  TEST_ASSERT_OK(book);
  TEST_ASSERT_EQUAL_UINT32(1, (*book)->counters().starts);
  TEST_ASSERT_TRUE(log.has("counters begin anew"));
}

TEST(a_disk_that_refuses_is_told) {
  const test::TempFolder folder;
  FakeLog log;
  const fs::path file = folder.path() / "file";
  spit(file, {});
  Result<std::unique_ptr<LifeBook>> book =
      LifeBook::open({(file / "life").string(), 60s, 10s, 10s}, log);
  TEST_ASSERT_OK(book);
  TEST_ASSERT_TRUE(test::comes_to_be([&] { return (*book)->error() != 0; }));
  TEST_ASSERT_EQUAL_UINT64(0, (*book)->written());
}

TEST(people_and_machines_read_the_same_numbers) {
  const std::string text = render_life(sample()), json = render_life_json(sample());
  TEST_ASSERT_TRUE(text.find("distance_km") != std::string::npos);
  TEST_ASSERT_TRUE(text.find("123456.8") != std::string::npos);
  TEST_ASSERT_TRUE(text.find("camera_silent") != std::string::npos);
  TEST_ASSERT_TRUE(json.find("\"hours_active\": 833.333333") != std::string::npos);
  TEST_ASSERT_TRUE(json.find("\"faults\": {\"camera_silent\": 9}") != std::string::npos);
}

}  // namespace
