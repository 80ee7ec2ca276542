// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/send_tally.hpp"

#include <cerrno>

#include "tests/support/test.hpp"

using namespace kerb;
using namespace std::chrono_literals;

namespace {

const Error kFull{Errc::would_block, ENOBUFS, "send"};

TEST(it_knows_the_share_of_the_last_half_second) {
  SendTally tally;
  TEST_ASSERT_EQUAL_DOUBLE(0, tally.share(1s).percent());
  TEST_ASSERT_FALSE(tally.why().has_value());
  for (Nanos now = 1s; now < 2s; now += 20ms) tally.accepted(now);
  TEST_ASSERT_EQUAL(25, tally.share(1999ms).tried);
  TEST_ASSERT_EQUAL(0, tally.share(1999ms).refused);
  for (Nanos now = 2s; now < 2200ms; now += 20ms) tally.refused(now, kFull);
  const SendTally::Share share = tally.share(2199ms);
  TEST_ASSERT_EQUAL(25, share.tried);
  TEST_ASSERT_EQUAL(10, share.refused);
  TEST_ASSERT_EQUAL_DOUBLE(40, share.percent());
  TEST_ASSERT_EQUAL(ENOBUFS, tally.why()->native);
}

TEST(what_is_older_does_not_count_also_after_a_long_pause) {
  SendTally tally;
  for (Nanos now = 1s; now < 2s; now += 20ms) tally.refused(now, kFull);
  TEST_ASSERT_EQUAL(25, tally.share(1999ms).refused);
  TEST_ASSERT_EQUAL(0, tally.share(2500ms).refused);
  TEST_ASSERT_EQUAL(0, tally.share(100s).tried);
  tally.accepted(100s);
  TEST_ASSERT_EQUAL(1, tally.share(100s).tried);
  TEST_ASSERT_EQUAL(0, tally.share(100s).refused);
}

}  // namespace
