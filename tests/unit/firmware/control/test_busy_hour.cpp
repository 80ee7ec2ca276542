// SPDX-License-Identifier: Apache-2.0
// An hour of driving among people: does the product's memory stay as it is? Pipeline, controller
// and recorder run as in a car, on the test's clock; what is printed stands in
// docs/results/warning.md.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "tests/support/allocations.hpp"
#include "tests/support/process_memory.hpp"
#include "tests/support/random.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/control/drive.hpp"

using namespace kerb;
using std::chrono::seconds;
using test::Drive;
using Memory = test::ProcessMemory;
using test::Walker;

namespace {

int hour_in_minutes = 60;  // CI drives for less
constexpr int kRoundsPerMinute = 6000;

/// Hands everything on to the recorder, and counts what the pipeline's thread allocates from the
/// end of one frame to the end of the next.
class MeteredSink final : public PeopleSink {
 public:
  explicit MeteredSink(PeopleSink& inner) : inner_{inner} {}
  void before(Nanos now, const track::Senses& senses,
              const PeopleEstimator& watch) noexcept override {
    inner_.before(now, senses, watch);
  }
  void after(Nanos now, const risk::PeopleReport& report,
             const PreparedImage& image) noexcept override {
    inner_.after(now, report, image);
    for (int i = 0; i < report.people.count; ++i)
      newest = std::max(newest, report.people.items[i].id);
    most = std::max(most, report.people.count);
    const std::uint64_t count = test::thread_allocations();
    if (frames++ > 0) allocated += count - last_;
    last_ = count;
  }
  // The pipeline's thread writes them; the test reads them when a frame is done.
  std::uint64_t frames = 0, allocated = 0;
  std::uint32_t newest = 0;  ///< numbers are given in order: so many were followed
  int most = 0;

 private:
  PeopleSink& inner_;
  std::uint64_t last_ = 0;
};

/// People come and go, five of them in view, each for half a second or so. Most stay beside the
/// car's way; now and then one walks into it, or stands before the bumper of a car that stands. The
/// car's speed is anything up to 80 km/h.
class Town {
 public:
  void step(Drive& drive) {
    drive.people.resize(kPeople);
    for (std::size_t i = 0; i < kPeople; ++i) {
      const Walker& w = drive.people[i];
      if (round_ >= until_[i] || w.x_m < 5 || w.x_m > 60) replace(drive.people[i], until_[i]);
    }
    if (round_ % 1500 == 0) {
      constexpr double kSpeeds[] = {0, 2, 8, 14, 22.2};
      target_ = kSpeeds[random_.next() % std::size(kSpeeds)];
      drive.yaw_rate = target_ < 10 && random_.next() % 2 == 0 ? 0.15 : 0.0;
    }
    speed_ =
        speed_ < target_ ? std::min(speed_ + 0.02, target_) : std::max(speed_ - 0.035, target_);
    drive.speed = speed_;
    ++round_;
  }

 private:
  static constexpr std::size_t kPeople = 5;

  double between(double least, double most) {
    return least + (most - least) * static_cast<double>(random_.next() >> 11) * 0x1p-53;
  }
  void replace(Walker& w, int& until) {
    const double side = random_.next() % 2 == 0 ? 1 : -1;
    w = {.x_m = between(10, 45),
         .y_m = side * between(3, 8),
         .vx_mps = between(-1.5, 1.5),
         .vy_mps = 0,
         .height_m = between(1.1, 1.95)};
    until = round_ + static_cast<int>(between(30, 90));
    switch (random_.next() % 200) {
      case 0:
        w.x_m = between(20, 45);
        w.y_m = side * 2;
        w.vx_mps = 0;
        w.vy_mps = -side * 1.2;
        until = round_ + 400;
        break;
      case 1:
        w = {.x_m = 7, .y_m = side * 0.5};
        until = round_ + 300;
        break;
      default:
        break;
    }
  }

  test::Random random_{7};
  int round_ = 0;
  int until_[kPeople] = {};
  double speed_ = 0, target_ = 0;
};

std::uintmax_t size_of(const std::filesystem::path& folder) {
  std::uintmax_t total = 0;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) total += entry.file_size();
  return total;
}

TEST(an_hour_among_people_leaves_the_memory_as_it_was) {
  const test::TempFolder folder;
  FakeLog log;
  records::RecordedSettings settings;
  settings.cameras.push_back(
      {.name = "camera 0", .model = test::road_camera(), .tracker = {}, .car = {}, .contact = {}});
  records::RecorderOptions options;
  options.path = folder.at("records");
  options.max_bytes = std::uint64_t{16} << 20;
  options.pictures = false;  // test_allocations.cpp has them
  options.shutdown_limit = seconds{60};
  const auto recorder = records::WarningRecorder::open(options, settings, nullptr, log);
  TEST_ASSERT_OK(recorder);
  MeteredSink sink{(*recorder)->camera(0)};
  Drive drive{{.recorder = recorder->get(), .sink = &sink}};
  TEST_ASSERT_TRUE(drive.becomes_ready());

  drive.round_meter = test::thread_allocations;
  std::uint64_t untold = 0;  // in rounds that told nothing in the log, with words that take memory
  std::size_t told = drive.log.size();
  Town town;
  Memory first, last;
  const int from = std::max(1, hour_in_minutes / 6);
  std::uintmax_t on_disk = 0;
  for (int minute = 1; minute <= hour_in_minutes; ++minute) {
    for (int i = 0; i < kRoundsPerMinute; ++i) {
      town.step(drive);
      drive.step();
      const std::size_t lines = drive.log.size();
      if (lines == std::exchange(told, lines)) untold += drive.last_round;
      // The writer gets its share of this faster time.
      if (i % 500 == 499) TEST_ASSERT_TRUE((*recorder)->flush(seconds{60}));
    }
    // What the fakes remember is not the product's.
    drive.statuses = {};
    drive.warnings = {};
    drive.readies = {};
    drive.lists = {};
    drive.lamp.history.clear();
    drive.amber.history.clear();
    drive.tone.history.clear();
    drive.log.clear();
    log.clear();
    told = 0;
    on_disk = std::max(on_disk, size_of(options.path));
    if (minute == from) first = Memory::now();
  }
  last = Memory::now();

  const records::RecorderStatus records = (*recorder)->status();
  const ControlTotals& totals = drive.controller->totals();
  std::printf(
      "%d minutes, %llu frames: %u people followed, %d at once; %llu collision warnings, "
      "%llu informations, %llu records\n",
      hour_in_minutes, static_cast<unsigned long long>(sink.frames), sink.newest, sink.most,
      static_cast<unsigned long long>(totals.collisions),
      static_cast<unsigned long long>(totals.informations),
      static_cast<unsigned long long>(records.written));
  std::printf("allocations: %llu in the frame thread, %llu in the controller's rounds\n",
              static_cast<unsigned long long>(sink.allocated),
              static_cast<unsigned long long>(untold));
  std::printf(
      "minute %d: %zu kB resident, %zu bytes of heap in use; minute %d: %zu kB, %zu bytes\n", from,
      first.resident / 1024, first.in_use, hour_in_minutes, last.resident / 1024, last.in_use);
  std::printf("records on disk: %.1f MB at most\n", static_cast<double>(on_disk) * 1e-6);

  TEST_ASSERT_INT_WITHIN(60, hour_in_minutes * 1800, static_cast<int>(sink.frames));
  TEST_ASSERT_GREATER_THAN_UINT32(hour_in_minutes * 150, sink.newest);
  TEST_ASSERT_GREATER_THAN_UINT64(hour_in_minutes / 3, totals.collisions);
  TEST_ASSERT_GREATER_THAN_UINT64(0, totals.informations);
  TEST_ASSERT_GREATER_THAN_UINT64(hour_in_minutes / 3, records.written);
  TEST_ASSERT_EQUAL_UINT64(0, records.refused + records.lost);
  TEST_ASSERT_FALSE(records.state_too_big);
  TEST_ASSERT_LESS_OR_EQUAL_UINT64(options.max_bytes, on_disk);
  TEST_ASSERT_EQUAL_UINT64(0, sink.allocated);
  TEST_ASSERT_EQUAL_UINT64(0, untold);
  if (Memory::kOwnAllocator) return;
  // What a thread keeps for its next allocation counts as in use: a few kB, and no more later.
  TEST_ASSERT_LESS_OR_EQUAL_size_t(first.in_use + 64 * 1024, last.in_use);
  TEST_ASSERT_LESS_OR_EQUAL_size_t(first.resident + 512 * 1024, last.resident);
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  if (!words.empty()) hour_in_minutes = std::max(1, std::atoi(words[0].c_str()));
  return Start::run;
}
