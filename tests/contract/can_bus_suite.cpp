// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/can_bus_suite.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

#include "tests/support/unity.hpp"

namespace kerb {
namespace {

using namespace std::chrono_literals;

const CanBusFixture* fx = nullptr;
constexpr Nanos kSoon = 500ms;  // within which a frame on the bus must have come

CanFrame frame_of(std::uint32_t id, std::initializer_list<int> bytes = {}) {
  CanFrame frame;
  frame.id = id;
  for (const int byte : bytes) frame.data[frame.size++] = static_cast<std::uint8_t>(byte);
  return frame;
}

void assert_same(const CanFrame& sent, const CanFrame& got, const char* what) {
  TEST_ASSERT_EQUAL_HEX32_MESSAGE(sent.id, got.id, what);
  TEST_ASSERT_EQUAL_MESSAGE(sent.extended, got.extended, what);
  TEST_ASSERT_EQUAL_MESSAGE(sent.remote, got.remote, what);
  TEST_ASSERT_EQUAL_MESSAGE(sent.fd, got.fd, what);
  TEST_ASSERT_EQUAL_MESSAGE(sent.bit_rate_switch, got.bit_rate_switch, what);
  TEST_ASSERT_EQUAL_MESSAGE(sent.size, got.size, what);
  if (!sent.remote && sent.size > 0)
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(sent.data.data(), got.data.data(), sent.size, what);
}

void every_kind_of_frame_arrives_unchanged() {
  const auto a = fx->node(true, {}), b = fx->node(true, {});
  struct Case {
    const char* name;
    std::uint32_t id;
    bool extended, remote, fd, switched;
    std::uint8_t size;
  };
  for (const Case& c : {Case{"empty", 0x001, false, false, false, false, 0},
                        Case{"eight bytes", 0x7FF, false, false, false, false, 8},
                        Case{"extended, small id", 0x001, true, false, false, false, 3},
                        Case{"extended, largest id", 0x1FFFFFFF, true, false, false, false, 8},
                        Case{"remote", 0x123, false, true, false, false, 4},
                        Case{"FD of a classic size", 0x100, false, false, true, false, 5},
                        Case{"FD of 12 bytes", 0x101, false, false, true, true, 12},
                        Case{"FD of 64 bytes", 0x1ABCDEF0, true, false, true, true, 64}}) {
    if (c.fd && !fx->fd) continue;
    CanFrame sent{c.id, c.extended, c.remote, c.fd, c.switched, c.size, {}, {}};
    for (std::size_t i = 0; i < c.size; ++i) sent.data[i] = static_cast<std::uint8_t>(0xA5 ^ i);
    TEST_ASSERT_OK(a->send(sent));
    const Result<CanFrame> got = b->receive(kSoon);
    TEST_ASSERT_OK(got);
    assert_same(sent, *got, c.name);
  }
}

void a_node_does_not_hear_itself() {
  const auto a = fx->node(true, {}), b = fx->node(true, {});
  TEST_ASSERT_OK(a->send(frame_of(0x10, {1})));
  TEST_ASSERT_OK(b->receive(kSoon));
  TEST_ASSERT_ERROR(Errc::timeout, a->receive(0ns));
}

void frames_keep_their_order() {
  const auto a = fx->node(true, {}), b = fx->node(true, {});
  for (int i = 0; i < 100; ++i) TEST_ASSERT_OK(a->send(frame_of(0x20, {i})));
  for (int i = 0; i < 100; ++i) {
    const Result<CanFrame> got = b->receive(kSoon);
    TEST_ASSERT_OK(got);
    TEST_ASSERT_EQUAL(i, got->data[0]);
  }
}

void every_other_node_hears_a_frame() {
  const auto a = fx->node(true, {}), b = fx->node(true, {}), c = fx->node(true, {});
  TEST_ASSERT_OK(a->send(frame_of(0x30, {7})));
  TEST_ASSERT_OK(b->receive(kSoon));
  TEST_ASSERT_OK(c->receive(kSoon));
}

void filters_let_in_only_what_they_name() {
  const auto a = fx->node(true, {});
  const auto b = fx->node(true, {{0x120, 0x7F0, false}, {0x18FF0000, 0x1FFF0000, true}});
  CanFrame extended = frame_of(0x18FF1234, {2});
  extended.extended = true;
  CanFrame extended_with_a_standard_id = frame_of(0x125, {3});
  extended_with_a_standard_id.extended = true;
  for (const CanFrame& frame : {frame_of(0x11F), frame_of(0x130), extended_with_a_standard_id,
                                frame_of(0x12A, {1}), extended, frame_of(0x000)})
    TEST_ASSERT_OK(a->send(frame));
  const Result<CanFrame> first = b->receive(kSoon), second = b->receive(kSoon);
  TEST_ASSERT_OK(first);
  TEST_ASSERT_OK(second);
  TEST_ASSERT_EQUAL_HEX32(0x12A, first->id);
  TEST_ASSERT_EQUAL_HEX32(0x18FF1234, second->id);
  TEST_ASSERT_ERROR(Errc::timeout, b->receive(20ms));
}

void time_stamps_say_when_a_frame_came_and_never_go_back() {
  const auto a = fx->node(true, {}), b = fx->node(true, {});
  Nanos last{};
  for (int i = 0; i < 5; ++i) {
    const Nanos before = fx->clock->now();
    TEST_ASSERT_OK(a->send(frame_of(0x40, {i})));
    const Nanos sent = fx->clock->now();
    fx->clock->sleep_until(sent + 100ms);  // read late: the stamp must not be young
    const Result<CanFrame> got = b->receive(kSoon);
    TEST_ASSERT_OK(got);
    // The wall clock's steps and ours differ by a little.
    TEST_ASSERT_TRUE(got->received >= before - 2ms);
    TEST_ASSERT_TRUE(got->received <= sent + 50ms);
    TEST_ASSERT_TRUE(got->received <= fx->clock->now());
    TEST_ASSERT_TRUE(got->received >= last);
    last = got->received;
  }
}

void receive_waits_as_long_as_it_is_told_and_no_longer() {
  const auto a = fx->node(true, {});
  // The quickest of several, so that a machine that stands still for a while does not count.
  Nanos quickest_look = 10s, quickest_wait = 10s;
  for (int i = 0; i < 4; ++i) {
    const Nanos before = fx->clock->now();
    TEST_ASSERT_ERROR(Errc::timeout, a->receive(0ns));
    const Nanos looked = fx->clock->now();
    TEST_ASSERT_ERROR(Errc::timeout, a->receive(40ms));
    const Nanos waited = fx->clock->now() - looked;
    TEST_ASSERT_TRUE(waited >= 40ms);
    quickest_look = std::min(quickest_look, looked - before);
    quickest_wait = std::min(quickest_wait, waited);
  }
  TEST_ASSERT_TRUE(quickest_look < 30ms);
  TEST_ASSERT_TRUE(quickest_wait < 200ms);
}

void a_frame_ends_the_wait_for_it() {
  if (!fx->real) TEST_IGNORE_MESSAGE("needs a clock that runs by itself");
  const auto a = fx->node(true, {}), b = fx->node(true, {});
  const Nanos before = fx->clock->now();
  std::thread sender{[&] {
    fx->clock->sleep_until(before + 30ms);
    static_cast<void>(a->send(frame_of(0x50, {9})));
  }};
  const Result<CanFrame> got = b->receive(10s);
  sender.join();
  TEST_ASSERT_OK(got);
  TEST_ASSERT_TRUE(fx->clock->now() - before < 5s);
}

void what_iso_11898_does_not_allow_is_refused() {
  const auto a = fx->node(true, {});
  CanFrame long_id = frame_of(0x800);
  CanFrame longer_id = frame_of(0x20000000);
  longer_id.extended = true;
  CanFrame too_long = frame_of(0x1);
  too_long.size = 9;
  CanFrame odd_size = frame_of(0x1);
  odd_size.fd = true;
  odd_size.size = 13;
  CanFrame remote_fd = frame_of(0x1);
  remote_fd.fd = remote_fd.remote = true;
  for (const CanFrame& frame : {long_id, longer_id, too_long, odd_size, remote_fd})
    TEST_ASSERT_ERROR(Errc::invalid_argument, a->send(frame));
  TEST_ASSERT_EQUAL(0, a->counters().sent);
}

void a_classic_bus_refuses_fd() {
  const auto a = fx->node(false, {});
  CanFrame frame = frame_of(0x60, {1});
  frame.fd = true;
  TEST_ASSERT_ERROR(Errc::unsupported, a->send(frame));
  TEST_ASSERT_OK(a->send(frame_of(0x60, {1})));
}

void counters_count() {
  const auto a = fx->node(true, {}), b = fx->node(true, {});
  for (int i = 0; i < 3; ++i) TEST_ASSERT_OK(a->send(frame_of(0x70)));
  for (int i = 0; i < 3; ++i) TEST_ASSERT_OK(b->receive(kSoon));
  TEST_ASSERT_EQUAL(3, a->counters().sent);
  TEST_ASSERT_EQUAL(0, a->counters().received);
  TEST_ASSERT_EQUAL(3, b->counters().received);
  TEST_ASSERT_EQUAL(0, b->counters().overruns);
  TEST_ASSERT_EQUAL(0, b->counters().bus_offs);
  TEST_ASSERT_TRUE(a->state() == CanState::active);
}

void frames_that_nobody_reads_in_time_are_overruns_and_sending_goes_on() {
  const auto a = fx->node(true, {}), b = fx->node(true, {});
  std::uint64_t sent = 0;
  for (int i = 0; i < 5000; ++i) {
    const Status status = a->send(frame_of(0x80, {i & 0xFF}));
    if (status) {
      ++sent;
    } else {
      TEST_ASSERT_ERROR(Errc::would_block, status);
    }
  }
  while (b->receive(20ms)) {
  }
  TEST_ASSERT_OK(a->send(frame_of(0x81)));  // brings the count of what was lost before it
  TEST_ASSERT_OK(b->receive(kSoon));
  TEST_ASSERT_EQUAL(sent + 1, a->counters().sent);
  TEST_ASSERT_EQUAL(5000 - sent, a->counters().refused);
  TEST_ASSERT_TRUE(b->counters().overruns > 0);
  TEST_ASSERT_EQUAL(sent + 1, b->counters().received + b->counters().overruns);
}

void a_bus_that_is_down_says_so_and_comes_back() {
  if (!fx->down) TEST_IGNORE_MESSAGE("needs a bus that can be taken down");
  const auto a = fx->node(true, {}), b = fx->node(true, {{0x90, 0x7FF, false}});
  TEST_ASSERT_OK(a->send(frame_of(0x90, {1})));
  TEST_ASSERT_OK(b->receive(kSoon));
  fx->down();
  TEST_ASSERT_ERROR(Errc::gone, b->receive(kSoon));  // though nobody sent
  TEST_ASSERT_TRUE(b->state() == CanState::down);
  TEST_ASSERT_ERROR(Errc::gone, a->send(frame_of(0x90, {2})));
  TEST_ASSERT_TRUE(a->state() == CanState::down);
  TEST_ASSERT_EQUAL(1, a->counters().refused);
  const Nanos before = fx->clock->now();
  TEST_ASSERT_ERROR(Errc::gone, b->receive(50ms));
  const Nanos waited = fx->clock->now() - before;
  TEST_ASSERT_TRUE_MESSAGE(waited >= 40ms, "a loop around receive() would spin");
  TEST_ASSERT_TRUE(waited < 1s);
  fx->up();
  // A look is enough to notice.
  static_cast<void>(a->receive(0ns));
  static_cast<void>(b->receive(0ns));
  TEST_ASSERT_TRUE(a->state() == CanState::active);
  TEST_ASSERT_TRUE(b->state() == CanState::active);
  TEST_ASSERT_OK(a->send(frame_of(0x91, {3})));
  TEST_ASSERT_OK(a->send(frame_of(0x90, {4})));
  const Result<CanFrame> got = b->receive(kSoon);
  TEST_ASSERT_OK(got);
  TEST_ASSERT_EQUAL_HEX32_MESSAGE(0x90, got->id, "the filter must have survived");
  TEST_ASSERT_EQUAL(4, got->data[0]);
}

void a_bus_opened_while_down_comes_up() {
  if (!fx->down) TEST_IGNORE_MESSAGE("needs a bus that can be taken down");
  fx->down();
  const auto a = fx->node(true, {}), b = fx->node(true, {});
  fx->down();  // a fake's new node is up
  static_cast<void>(a->receive(0ns));
  TEST_ASSERT_TRUE(a->state() == CanState::down);
  TEST_ASSERT_ERROR(Errc::gone, a->send(frame_of(0x95)));
  fx->up();
  static_cast<void>(a->receive(0ns));
  static_cast<void>(b->receive(0ns));
  TEST_ASSERT_OK(a->send(frame_of(0x95)));
  TEST_ASSERT_OK(b->receive(kSoon));
}

void bus_off_is_noticed_counted_and_recovered() {
  if (!fx->go_bus_off) TEST_IGNORE_MESSAGE("needs a node that can be driven off the bus");
  const auto a = fx->node(true, {}), b = fx->node(true, {});
  fx->go_bus_off(*a);
  TEST_ASSERT_ERROR(Errc::timeout, a->receive(0ns));
  TEST_ASSERT_TRUE(a->state() == CanState::bus_off);
  TEST_ASSERT_EQUAL(1, a->counters().bus_offs);
  TEST_ASSERT_TRUE(a->counters().error_frames >= 1);
  TEST_ASSERT_ERROR(Errc::gone, a->send(frame_of(0xA0)));
  for (int i = 0; i < 100 && a->state() == CanState::bus_off; ++i)
    static_cast<void>(a->receive(20ms));
  TEST_ASSERT_TRUE(a->state() == CanState::active);
  TEST_ASSERT_OK(a->send(frame_of(0xA0, {1})));
  TEST_ASSERT_OK(b->receive(kSoon));
  TEST_ASSERT_EQUAL(1, a->counters().bus_offs);
}

void a_full_queue_refuses_and_takes_again() {
  if (!fx->fill_queue) TEST_IGNORE_MESSAGE("needs a queue that can be filled");
  const auto a = fx->node(true, {}), b = fx->node(true, {});
  fx->fill_queue(*a);
  TEST_ASSERT_ERROR(Errc::would_block, a->send(frame_of(0xB0)));
  TEST_ASSERT_TRUE(a->counters().refused >= 1);
  TEST_ASSERT_TRUE(a->state() == CanState::active);
  fx->empty_queue(*a);
  TEST_ASSERT_OK(a->send(frame_of(0xB1)));
}

}  // namespace

int run_can_bus_suite(const CanBusFixture& fixture) {
  fx = &fixture;
  UNITY_BEGIN();
  RUN_TEST(every_kind_of_frame_arrives_unchanged);
  RUN_TEST(a_node_does_not_hear_itself);
  RUN_TEST(frames_keep_their_order);
  RUN_TEST(every_other_node_hears_a_frame);
  RUN_TEST(filters_let_in_only_what_they_name);
  RUN_TEST(time_stamps_say_when_a_frame_came_and_never_go_back);
  RUN_TEST(receive_waits_as_long_as_it_is_told_and_no_longer);
  RUN_TEST(a_frame_ends_the_wait_for_it);
  RUN_TEST(what_iso_11898_does_not_allow_is_refused);
  RUN_TEST(a_classic_bus_refuses_fd);
  RUN_TEST(counters_count);
  RUN_TEST(frames_that_nobody_reads_in_time_are_overruns_and_sending_goes_on);
  RUN_TEST(a_bus_that_is_down_says_so_and_comes_back);
  RUN_TEST(a_bus_opened_while_down_comes_up);
  RUN_TEST(bus_off_is_noticed_counted_and_recovered);
  RUN_TEST(a_full_queue_refuses_and_takes_again);
  return UNITY_END();
}

}  // namespace kerb
