// SPDX-License-Identifier: Apache-2.0
// With --time as its argument it prints what the taps cost the threads of the product.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

#include "firmware/records/picture.hpp"
#include "firmware/threads/byte_lane.hpp"
#include "firmware/threads/chunk_ring.hpp"
#include "hal/base/crc32.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/random.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/records/toy_drive.hpp"

using namespace kerb;
using namespace kerb::records;
using namespace kerb::records::test;

namespace {

TEST(a_lane_keeps_order_and_loses_only_what_it_says) {
  ByteLane lane{4096};
  constexpr std::uint32_t kPieces = 3000;
  std::atomic<bool> over{false};
  std::uint32_t lost = 0;
  std::thread pusher{[&] {
    kerb::test::Random random{3};
    for (std::uint32_t i = 0; i < kPieces; ++i) {
      const std::size_t size = 4 + random.next() % 500;
      const std::span<std::byte> room = lane.claim(size + random.next() % 100);
      if (room.empty()) {
        ++lost;
        std::this_thread::yield();
        continue;
      }
      std::memset(room.data(), static_cast<int>(i & 0x7F), size);
      std::memcpy(room.data(), &i, sizeof i);
      lane.push(size);
    }
    over = true;
  }};
  std::uint32_t got = 0, before = 0;
  bool good = true;
  for (bool last = false; !last;) {
    last = over;
    const std::uint64_t until = lane.pushed();
    for (std::span<std::byte> piece; !(piece = lane.front(until)).empty(); lane.drop_front()) {
      std::uint32_t number = 0;
      std::memcpy(&number, piece.data(), sizeof number);
      good = good && piece.size() >= 4 && (got == 0 || number > before);
      for (std::size_t k = 4; k < piece.size(); ++k)
        good = good && piece[k] == static_cast<std::byte>(number & 0x7F);
      before = number;
      ++got;
    }
  }
  pusher.join();
  TEST_ASSERT_TRUE(good);
  TEST_ASSERT_EQUAL_UINT32(kPieces, got + lost);
  TEST_ASSERT_GREATER_THAN_UINT32(10, got);
}

TEST(a_lane_refuses_what_is_longer_than_half_of_it) {
  ByteLane lane{1024};
  TEST_ASSERT_TRUE(lane.claim(600).empty());
  TEST_ASSERT_FALSE(lane.claim(500).empty());
  lane.push(500);
  TEST_ASSERT_FALSE(lane.claim(400).empty());
  lane.push(400);
  TEST_ASSERT_TRUE(lane.claim(200).empty());  // full
  const std::uint64_t until = lane.pushed();
  TEST_ASSERT_EQUAL_size_t(500, lane.front(until).size());
  lane.drop_front();
  TEST_ASSERT_EQUAL_size_t(400, lane.front(until).size());
  TEST_ASSERT_FALSE(lane.claim(300).empty());  // at the ring's begin again
  lane.push(300);
  lane.drop_front();
  TEST_ASSERT_TRUE(lane.front(until).empty());  // pushed later
  TEST_ASSERT_EQUAL_size_t(300, lane.front(lane.pushed()).size());
}

TEST(a_ring_keeps_the_newest) {
  ChunkRing ring{2000};
  kerb::test::Random random{4};
  std::vector<std::vector<std::byte>> pushed;
  for (int i = 0; i < 500; ++i) {
    std::vector<std::byte> chunk(1 + random.next() % 300, static_cast<std::byte>(i));
    ring.push(chunk);
    pushed.push_back(std::move(chunk));
    std::size_t count = 0, bytes = 0;
    ring.for_each([&](std::uint64_t, std::span<const std::byte> c) {
      ++count;
      bytes += c.size();
    });
    TEST_ASSERT_GREATER_THAN_size_t(0, count);
    std::size_t at = pushed.size() - count;
    ring.for_each([&](std::uint64_t, std::span<const std::byte> c) {
      TEST_ASSERT_EQUAL_size_t(pushed[at].size(), c.size());
      TEST_ASSERT_EQUAL_MEMORY(pushed[at].data(), c.data(), c.size());
      ++at;
    });
    if (i > 50) TEST_ASSERT_GREATER_THAN_size_t(1000, bytes);
  }
  ring.push(std::vector<std::byte>(3000));  // too long: nothing changes
  std::size_t longest = 0;
  ring.for_each(
      [&](std::uint64_t, std::span<const std::byte> c) { longest = std::max(longest, c.size()); });
  TEST_ASSERT_LESS_OR_EQUAL_size_t(300, longest);
}

TEST(the_crc_is_that_of_zip) {
  const char text[] = "123456789";
  const std::span<const std::byte> bytes = std::as_bytes(std::span{text}.first(9));
  TEST_ASSERT_EQUAL_HEX32(0xCBF43926, crc32(bytes.data(), 9));
  TEST_ASSERT_EQUAL_HEX32(0xCBF43926, crc32(bytes.data() + 4, 5, crc32(bytes.data(), 4)));
}

TEST(shrinking_takes_the_mean_of_each_square) {
  TEST_ASSERT_EQUAL_INT(1, shrink_for(960));
  TEST_ASSERT_EQUAL_INT(2, shrink_for(1280));
  TEST_ASSERT_EQUAL_INT(2, shrink_for(1920));
  TEST_ASSERT_EQUAL_INT(4, shrink_for(3840));
  kerb::test::Random random{5};
  struct Size {
    int width, height, stride;
  };
  for (const Size& size : {Size{1, 1, 1}, Size{2, 2, 2}, Size{17, 9, 20}, Size{64, 32, 64},
                           Size{31, 33, 40}, Size{8, 8, 8}}) {
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(size.stride * size.height));
    for (std::uint8_t& pixel : pixels) pixel = static_cast<std::uint8_t>(random.next());
    const GreyView grey{pixels.data(), size.width, size.height, size.stride};
    for (const int by : {1, 2, 4, 8}) {
      const int width = size.width / by, height = size.height / by;
      std::vector<std::uint8_t> out(static_cast<std::size_t>(width * height) + 1, 0xA5);
      shrink(grey, by, out.data());
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
          int sum = by * by / 2;
          for (int k = 0; k < by * by; ++k)
            sum +=
                pixels[static_cast<std::size_t>((y * by + k / by) * size.stride + x * by + k % by)];
          TEST_ASSERT_EQUAL_INT(sum / (by * by), out[static_cast<std::size_t>(y * width + x)]);
        }
      TEST_ASSERT_EQUAL_HEX8(0xA5, out.back());
    }
  }
}

TEST(writing_down_allocates_nothing) {
  const kerb::test::TempFolder folder;
  FakeLog log;
  RecorderOptions options;
  options.path = folder.at("records");
  const auto recorder = open_recorder(options, log);
  auto drive = toy_drive(recorder.get());
  std::vector<std::uint8_t> pixels(1280 * 720, 77);
  drive.picture = {pixels.data(), 1280, 720, 1280};
  drive.pace = milliseconds{500};
  const Sight sight = somebody(kFar);
  drive.run_until(seconds{102}, sight, 10);
  const std::uint64_t before = kerb::test::allocations();
  drive.run_until(seconds{105}, sight, 10);
  TEST_ASSERT_EQUAL_UINT64(0, kerb::test::allocations() - before);
  TEST_ASSERT_EQUAL_UINT64(0, recorder->status().lost);
}

/// Microseconds of each of `action`: the median of many, and the longest.
template <typename Action, typename Between>
void print_time(const char* name, const Action& action, const Between& between) {
  using Steady = std::chrono::steady_clock;
  std::vector<double> us;
  for (int i = 0; i < 300; ++i) {
    const auto start = Steady::now();
    action(i);
    us.push_back(std::chrono::duration<double, std::micro>(Steady::now() - start).count());
    between();
  }
  std::sort(us.begin(), us.end());
  std::printf("%-34s median %7.1f us, worst of %zu %7.1f us\n", name, us[us.size() / 2], us.size(),
              us.back());
}

void print_times() {
  const kerb::test::TempFolder folder;
  FakeLog log;
  RecorderOptions options;
  options.path = folder.at("records");
  const auto recorder = open_recorder(options, log);
  const auto senses = std::make_unique<track::Senses>();
  const auto report = std::make_unique<risk::PeopleReport>();
  const ToyEstimator estimator;
  const ToyLogic logic;
  std::vector<std::uint8_t> pixels(1280 * 720, 77), out(640 * 360);
  const GreyView grey{pixels.data(), 1280, 720, 1280};
  const auto at = [](int i) { return seconds{1} + i * milliseconds{200}; };
  const auto write = [&] { recorder->flush(seconds{1}); };
  for (const int people : {5, 64}) {
    senses->count = senses->followed = report->people.count = people;
    for (track::Signature& look : senses->looks) look.known = true;
    std::printf("%d people\n", people);
    print_time(
        "  a frame's senses and report",
        [&](int i) {
          recorder->camera(0).before_step(at(i), *senses, estimator);
          recorder->camera(0).after_step(at(i), *report);
        },
        write);
  }
  print_time(
      "1280 x 720 to 640 x 360", [&](int) { shrink(grey, 2, out.data()); }, [] {});
  print_time(
      "a picture", [&](int i) { recorder->camera(0).picture(at(i), at(i), grey); }, write);
  Reports reports{};
  reports[0] = report.get();
  report->people.count = 5;
  print_time(
      "a round",
      [&](int i) {
        recorder->control().before_round(at(i), reports, logic);
        recorder->control().after_round(at(i), reports, DriverSide{}, WarningDecision{});
      },
      [] {});
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  if (!words.empty() && words[0] == "--time") {
    print_times();
    return Start::done;
  }
  return Start::run;
}
