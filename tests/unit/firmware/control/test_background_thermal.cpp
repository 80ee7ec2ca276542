// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/background_thermal.hpp"

#include <atomic>
#include <memory>

#include "firmware/threads/bell.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using namespace std::chrono_literals;
using test::comes_to_be;

namespace {

struct Board {
  Bell answers;
  std::atomic<bool> hangs{false}, stuck{false}, broken{false}, closed{false};
  std::atomic<int> read{0};
};
class SlowThermal final : public Thermal {
 public:
  explicit SlowThermal(std::shared_ptr<Board> board) : board_{std::move(board)} {}
  ~SlowThermal() override { board_->closed = true; }
  SlowThermal(const SlowThermal&) = delete;
  SlowThermal& operator=(const SlowThermal&) = delete;
  Result<ThermalReading> hottest() override {
    if (board_->hangs) {
      board_->stuck = true;
      board_->answers.wait_until(SteadyClock::now() + 1min);
    }
    if (board_->broken) return Error{Errc::io, EREMOTEIO, "read"};
    return ThermalReading{static_cast<double>(++board_->read), "cpu"};
  }

 private:
  std::shared_ptr<Board> board_;
};

std::unique_ptr<BackgroundThermal> open(const std::shared_ptr<Board>& board) {
  auto thermal = BackgroundThermal::start(std::make_unique<SlowThermal>(board), 1h);
  TEST_ASSERT_OK(thermal);
  return std::move(*thermal);
}

TEST(each_call_gives_what_was_read_since_the_one_before) {
  const auto board = std::make_shared<Board>();
  auto thermal = open(board);
  for (double before = 0, celsius = 0; before < 5; before = celsius) {
    TEST_ASSERT_TRUE(comes_to_be([&] {
      const Result<ThermalReading> reading = thermal->hottest();
      if (reading) celsius = reading->celsius;
      return static_cast<bool>(reading);
    }));
    TEST_ASSERT_TRUE_MESSAGE(celsius > before, "no reading is given twice");
  }
  thermal.reset();
  TEST_ASSERT_TRUE(board->closed);
}

TEST(a_sensor_that_hangs_holds_nobody_and_gives_nothing) {
  const auto board = std::make_shared<Board>();
  auto thermal = open(board);
  TEST_ASSERT_TRUE(comes_to_be([&] { return static_cast<bool>(thermal->hottest()); }));
  board->hangs = true;
  const auto before = SteadyClock::now();
  static_cast<void>(thermal->hottest());
  TEST_ASSERT_TRUE(comes_to_be([&] { return board->stuck.load(); }));
  static_cast<void>(thermal->hottest());  // what was on its way is given
  const int read = board->read;
  for (int i = 0; i < 20; ++i) TEST_ASSERT_ERROR(Errc::timeout, thermal->hottest());
  TEST_ASSERT_EQUAL_INT(read, board->read);
  TEST_ASSERT_TRUE_MESSAGE(SteadyClock::now() - before < 30s, "the sensor would have held it");
  board->hangs = false;
  board->answers.ring();
  TEST_ASSERT_TRUE(comes_to_be([&] { return static_cast<bool>(thermal->hottest()); }));
}

TEST(what_a_sensor_refuses_is_told) {
  const auto board = std::make_shared<Board>();
  board->broken = true;
  auto thermal = open(board);
  TEST_ASSERT_TRUE(comes_to_be([&] {
    const Result<ThermalReading> reading = thermal->hottest();
    return !reading && reading.error().native == EREMOTEIO;
  }));
}

}  // namespace
