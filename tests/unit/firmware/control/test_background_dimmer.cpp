// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/background_dimmer.hpp"

#include <atomic>
#include <memory>

#include "firmware/threads/bell.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using namespace std::chrono_literals;
using test::comes_to_be;

namespace {

/// What a chip is asked for, and whether it answers.
struct Chip {
  Bell answers;
  std::atomic<bool> hangs{false};
  std::atomic<int> refuses{0};  ///< with this errno
  std::atomic<double> share{-1};
  std::atomic<bool> closed{false};
};
class SlowDimmer final : public Dimmer {
 public:
  explicit SlowDimmer(std::shared_ptr<Chip> chip) : chip_{std::move(chip)} {}
  ~SlowDimmer() override { chip_->closed = true; }
  SlowDimmer(const SlowDimmer&) = delete;
  SlowDimmer& operator=(const SlowDimmer&) = delete;
  Status set(double share) override {
    if (chip_->hangs) chip_->answers.wait_until(SteadyClock::now() + 1min);
    if (const int err = chip_->refuses; err != 0) return Error{Errc::io, err, "set"};
    chip_->share = share;
    return Done{};
  }

 private:
  std::shared_ptr<Chip> chip_;
};

std::unique_ptr<BackgroundDimmer> open(const std::shared_ptr<Chip>& chip, Nanos patience) {
  auto dimmer = BackgroundDimmer::start(std::make_unique<SlowDimmer>(chip), patience);
  TEST_ASSERT_OK(dimmer);
  return std::move(*dimmer);
}

TEST(what_was_set_arrives_and_the_last_one_before_the_end) {
  const auto chip = std::make_shared<Chip>();
  auto dimmer = open(chip, 1h);
  TEST_ASSERT_OK(dimmer->set(0.3));
  TEST_ASSERT_TRUE(comes_to_be([&] { return chip->share == 0.3; }));
  TEST_ASSERT_OK(dimmer->set(0.7));
  dimmer.reset();
  TEST_ASSERT_EQUAL_DOUBLE(0.7, chip->share);
  TEST_ASSERT_TRUE(chip->closed);
}

TEST(a_chip_that_hangs_holds_nobody_and_is_told) {
  const auto chip = std::make_shared<Chip>();
  auto dimmer = open(chip, 20ms);
  chip->hangs = true;
  const auto before = SteadyClock::now();
  TEST_ASSERT_TRUE(comes_to_be([&] {
    const Status set = dimmer->set(0.5);
    return !set && set.error().native == ETIMEDOUT;
  }));
  TEST_ASSERT_TRUE_MESSAGE(SteadyClock::now() - before < 30s, "the chip would have held it");
  chip->hangs = false;
  chip->answers.ring();
  TEST_ASSERT_TRUE(comes_to_be([&] { return static_cast<bool>(dimmer->set(0.5)); }));
}

TEST(what_a_chip_refuses_is_told_by_the_next_call) {
  const auto chip = std::make_shared<Chip>();
  chip->refuses = EREMOTEIO;
  auto dimmer = open(chip, 1h);
  TEST_ASSERT_TRUE(comes_to_be([&] {
    const Status set = dimmer->set(0.5);
    return !set && set.error().native == EREMOTEIO;
  }));
  TEST_ASSERT_ERROR(Errc::invalid_argument, dimmer->set(2));
  chip->refuses = 0;
  TEST_ASSERT_TRUE(comes_to_be([&] { return static_cast<bool>(dimmer->set(0.5)); }));
}

}  // namespace
