// SPDX-License-Identifier: Apache-2.0
// What may be sent, what may be played, and rules of settings.
#include <cmath>
#include <limits>
#include <string>

#include "hal/base/rules.hpp"
#include "hal/can_bus.hpp"
#include "hal/tone.hpp"
#include "tests/support/test.hpp"

namespace {

using namespace kerb;

TEST(can_frames_keep_to_the_standard) {
  struct Case {
    const char* name;
    std::uint32_t id;
    bool extended, remote, fd;
    int size;
    bool valid;
  };
  const Case cases[] = {
      {"empty", 0, false, false, false, 0, true},
      {"the largest standard id", 0x7FF, false, false, false, 8, true},
      {"a standard id too large", 0x800, false, false, false, 8, false},
      {"that id extended", 0x800, true, false, false, 8, true},
      {"the largest extended id", 0x1FFFFFFF, true, false, false, 8, true},
      {"an extended id too large", 0x20000000, true, false, false, 8, false},
      {"all bits", 0xFFFFFFFF, true, false, false, 8, false},
      {"nine bytes classic", 1, false, false, false, 9, false},
      {"twelve bytes classic", 1, false, false, false, 12, false},
      {"remote", 1, false, true, false, 4, true},
      {"remote and too long", 1, false, true, false, 12, false},
      {"remote FD", 1, false, true, true, 4, false},
      {"remote FD, long", 1, false, true, true, 12, false},
      {"FD up to eight", 1, false, false, true, 8, true},
  };
  for (const Case& c : cases) {
    CanFrame frame;
    frame.id = c.id;
    frame.extended = c.extended;
    frame.remote = c.remote;
    frame.fd = c.fd;
    frame.size = static_cast<std::uint8_t>(c.size);
    TEST_ASSERT_EQUAL_MESSAGE(c.valid, is_valid(frame), c.name);
  }
}

TEST(fd_frames_have_only_the_sizes_of_their_code) {
  const std::string sizes = " 0 1 2 3 4 5 6 7 8 12 16 20 24 32 48 64 ";
  for (int size = 0; size <= 255; ++size) {
    CanFrame frame;
    frame.fd = true;
    frame.size = static_cast<std::uint8_t>(size);
    const bool expected = sizes.find(" " + std::to_string(size) + " ") != std::string::npos;
    TEST_ASSERT_EQUAL_MESSAGE(expected, is_valid(frame), std::to_string(size).c_str());
  }
}

TEST(bus_states_have_names) {
  TEST_ASSERT_EQUAL_STRING("active", name_of(CanState::active));
  TEST_ASSERT_EQUAL_STRING("warning", name_of(CanState::warning));
  TEST_ASSERT_EQUAL_STRING("passive", name_of(CanState::passive));
  TEST_ASSERT_EQUAL_STRING("bus_off", name_of(CanState::bus_off));
  TEST_ASSERT_EQUAL_STRING("down", name_of(CanState::down));
}

TEST(tones_keep_to_their_ranges) {
  struct Range {
    const char* name;
    double TonePattern::*member;
    double low, high;
    bool low_included;
  };
  const Range ranges[] = {
      {"frequency_hz", &TonePattern::frequency_hz, 100, 8000, true},
      {"pulses_per_s", &TonePattern::pulses_per_s, 0.5, 50, true},
      {"duty", &TonePattern::duty, 0, 1, false},
      {"volume", &TonePattern::volume, 0, 1, false},
  };
  TEST_ASSERT_TRUE(is_valid(TonePattern{}));
  const double infinity = std::numeric_limits<double>::infinity();
  for (const Range& range : ranges) {
    const auto valid_with = [&range](double value) {
      TonePattern pattern;
      pattern.*range.member = value;
      return is_valid(pattern);
    };
    TEST_ASSERT_EQUAL_MESSAGE(range.low_included, valid_with(range.low), range.name);
    TEST_ASSERT_TRUE_MESSAGE(valid_with(std::nextafter(range.low, infinity)), range.name);
    TEST_ASSERT_TRUE_MESSAGE(valid_with(range.high), range.name);
    TEST_ASSERT_FALSE_MESSAGE(valid_with(std::nextafter(range.low, -infinity)), range.name);
    TEST_ASSERT_FALSE_MESSAGE(valid_with(std::nextafter(range.high, infinity)), range.name);
    for (const double bad : {-1.0, infinity, -infinity, std::nan("")})
      TEST_ASSERT_FALSE_MESSAGE(valid_with(bad), range.name);
  }
}

TEST(the_first_rule_that_does_not_hold_is_the_error) {
  TEST_ASSERT_TRUE(check_rules({}));
  TEST_ASSERT_TRUE(check_rules({{true, "a"}, {true, "b", "1..3"}}));
  const Status broken = check_rules({{true, "a"}, {false, "b", "1..3"}, {false, "c"}});
  TEST_ASSERT_FALSE(broken);
  TEST_ASSERT_TRUE(broken.error().code == Errc::invalid_argument);
  TEST_ASSERT_EQUAL_STRING("b", broken.error().where);
  TEST_ASSERT_EQUAL_STRING("1..3", broken.error().what.c_str());
}

}  // namespace
