// SPDX-License-Identifier: Apache-2.0
#include "drivers/alsa/playing.hpp"

#include "tests/support/test.hpp"

using namespace kerb;

namespace {

constexpr std::uint64_t kBuffer = 1440, kPeriod = 480;

/// The device takes samples for so long.
void take(Playing& playing, std::uint64_t frames) {
  for (std::uint64_t taken = 0; taken < frames; taken += kPeriod) playing.takes(kPeriod);
}
/// There is no room until it is found out.
int waits_until_found(Playing& playing) {
  for (int waits = 1; waits < 100; ++waits)
    if (playing.had_no_room()) return waits;
  return 100;
}

TEST(a_device_that_takes_samples_and_plays_none_stays_faulty_until_it_plays) {
  Playing playing{kBuffer};
  take(playing, 10 * kBuffer);
  TEST_ASSERT_EQUAL_INT(0, playing.error());
  for (int i = 0; i < 5; ++i) {
    TEST_ASSERT_EQUAL_INT(10, waits_until_found(playing));
    TEST_ASSERT_EQUAL_INT(EIO, playing.error());
    take(playing, kBuffer);  // prepared anew, it has room again
    TEST_ASSERT_EQUAL_INT(EIO, playing.error());
  }
  take(playing, 2 * kBuffer);  // what does not fit into a buffer was played
  TEST_ASSERT_EQUAL_INT(0, playing.error());
}

TEST(waits_that_samples_come_between_are_not_in_a_row) {
  Playing playing{kBuffer};
  for (int i = 0; i < 50; ++i) {
    for (int wait = 0; wait < 9; ++wait) TEST_ASSERT_FALSE(playing.had_no_room());
    playing.takes(kPeriod);
  }
  TEST_ASSERT_EQUAL_INT(0, playing.error());
}

TEST(a_device_is_recovered_at_once_ten_times_and_again_after_it_has_played) {
  Playing playing{kBuffer};
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 10; ++i) {
      TEST_ASSERT_TRUE(playing.may_recover());
      take(playing, kBuffer);
    }
    TEST_ASSERT_FALSE(playing.may_recover());
    playing.fail(EREMOTEIO);
    take(playing, 2 * kBuffer);
    TEST_ASSERT_EQUAL_INT(EREMOTEIO, playing.error());
    take(playing, kBuffer);
    TEST_ASSERT_EQUAL_INT(0, playing.error());
  }
}

}  // namespace
