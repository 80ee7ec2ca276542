// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/judge/identities.hpp"

#include "tests/support/test.hpp"

using namespace kerb::sim;

namespace {

constexpr double kSeconds = 4;

/// Two at 10 m who walk past each other at 2 s.
Truth passing() {
  Truth truth;
  truth.seconds = kSeconds;
  for (int i = 0; i <= 200; ++i) {
    const double t = 0.02 * i;
    truth.everybody.push_back({t, {{10, 1.5 * (2 - t), 1}, {10.5, -1.5 * (2 - t), 1}}});
  }
  return truth;
}

/// Lists ten times a second; `id(person, t)` below 0: not in the list.
template <typename Id>
Sent lists(const Truth& truth, Id id, double off = 0) {
  Sent sent;
  for (double t = 0.15; t < kSeconds; t += 0.1) {
    const auto& now = truth.everybody[static_cast<std::size_t>((t - 0.1) / 0.02)].people;
    Sent::People list{t, 0, std::nullopt, {}};
    for (int p = 0; p < static_cast<int>(now.size()); ++p) {
      const auto& place = now[static_cast<std::size_t>(p)];
      if (id(p, t) < 0) continue;
      list.objects.push_back({id(p, t), place.ahead, place.left + off});
      ++list.count;
    }
    sent.people.push_back(list);
  }
  return sent;
}

TEST(numbers_that_stay_are_kept) {
  const Truth truth = passing();
  const Identities found =
      find_identities(truth, lists(truth, [](int p, double) { return p + 7; }));
  TEST_ASSERT_EQUAL_INT(0, found.changes);
  TEST_ASSERT_TRUE(found.followed > 0.99);
  TEST_ASSERT_TRUE(found.due > 70);
}

TEST(numbers_swapped_where_they_meet_are_two_changes) {
  const Truth truth = passing();
  const Sent sent = lists(truth, [](int p, double t) { return t < 2 ? p : 1 - p; });
  const Identities found = find_identities(truth, sent);
  TEST_ASSERT_EQUAL_INT(2, found.changes);
  TEST_ASSERT_TRUE(found.first && *found.first > 1.9 && *found.first < 2.6);
}

TEST(somebody_lost_and_found_under_another_number_is_a_change) {
  const Truth truth = passing();
  const Sent sent = lists(truth, [](int p, double t) {
    if (p == 1) return 1;
    return t < 1 ? 0 : t < 3 ? -1 : 5;
  });
  const Identities found = find_identities(truth, sent);
  TEST_ASSERT_EQUAL_INT(1, found.changes);
  TEST_ASSERT_TRUE(found.followed > 0.7 && found.followed < 0.8);
}

TEST(somebody_else_s_place_is_not_theirs) {
  const Truth truth = passing();
  const Sent sent = lists(
      truth, [](int p, double) { return p; }, 8);
  TEST_ASSERT_EQUAL_INT(0, find_identities(truth, sent).due);
}

TEST(without_places_there_is_nothing_to_judge) {
  TEST_ASSERT_EQUAL_INT(0, find_identities(Truth{}, Sent{}).due);
  TEST_ASSERT_EQUAL_INT(0, find_identities(passing(), Sent{}).due);
}

}  // namespace
