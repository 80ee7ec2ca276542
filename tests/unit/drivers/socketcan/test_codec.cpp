// SPDX-License-Identifier: Apache-2.0
#include <linux/can/error.h>

#include <cerrno>
#include <cstring>

#include "drivers/socketcan/can_codec.hpp"
#include "drivers/socketcan/restart_backoff.hpp"
#include "tests/support/test.hpp"

namespace {

using namespace kerb;
using namespace kerb::socketcan;
using namespace std::chrono_literals;

TEST(a_frame_survives_the_kernels_form) {
  struct Case {
    const char* name;
    CanFrame frame;
    std::uint32_t can_id;
    std::size_t size;
  };
  const Case cases[] = {
      {"standard", {0x123, false, false, false, false, 3, {1, 2, 3}, {}}, 0x123, CAN_MTU},
      {"extended", {0x123, true, false, false, false, 1, {9}, {}}, 0x123 | CAN_EFF_FLAG, CAN_MTU},
      {"remote", {0x7FF, false, true, false, false, 8, {}, {}}, 0x7FF | CAN_RTR_FLAG, CAN_MTU},
      {"FD", {0x1, false, false, true, false, 64, {5}, {}}, 0x1, CANFD_MTU},
      {"FD, switched", {0x1, false, false, true, true, 12, {5, 6}, {}}, 0x1, CANFD_MTU},
  };
  for (const Case& c : cases) {
    const WireFrame wire = encode(c.frame);
    TEST_ASSERT_EQUAL_HEX32_MESSAGE(c.can_id, wire.frame.can_id, c.name);
    TEST_ASSERT_EQUAL_MESSAGE(c.size, wire.size, c.name);
    const std::optional<CanFrame> back = decode(wire.frame, wire.size);
    TEST_ASSERT_TRUE_MESSAGE(back.has_value(), c.name);
    TEST_ASSERT_EQUAL_HEX32_MESSAGE(c.frame.id, back->id, c.name);
    TEST_ASSERT_EQUAL_MESSAGE(c.frame.extended, back->extended, c.name);
    TEST_ASSERT_EQUAL_MESSAGE(c.frame.remote, back->remote, c.name);
    TEST_ASSERT_EQUAL_MESSAGE(c.frame.fd, back->fd, c.name);
    TEST_ASSERT_EQUAL_MESSAGE(c.frame.bit_rate_switch, back->bit_rate_switch, c.name);
    TEST_ASSERT_EQUAL_MESSAGE(c.frame.size, back->size, c.name);
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(c.frame.data.data(), back->data.data(), 64, c.name);
  }
}

TEST(what_is_no_frame_is_not_decoded) {
  canfd_frame frame{};
  frame.can_id = 0x10;
  frame.len = 8;
  TEST_ASSERT_TRUE(decode(frame, CAN_MTU).has_value());
  TEST_ASSERT_FALSE_MESSAGE(decode(frame, 0).has_value(), "empty");
  TEST_ASSERT_FALSE_MESSAGE(decode(frame, CAN_MTU - 1).has_value(), "cut short");
  frame.len = 9;
  TEST_ASSERT_FALSE_MESSAGE(decode(frame, CAN_MTU).has_value(), "nine bytes");
  frame.len = 255;
  TEST_ASSERT_FALSE_MESSAGE(decode(frame, CANFD_MTU).has_value(), "255 bytes");
  frame.len = 8;
  frame.can_id = CAN_ERR_FLAG | CAN_ERR_BUSOFF;
  TEST_ASSERT_FALSE_MESSAGE(decode(frame, CAN_MTU).has_value(), "an error frame");
}

TEST(error_frames_tell_the_controllers_state) {
  struct Case {
    const char* name;
    std::uint32_t classes;
    int control;  // data[1]
    std::optional<CanState> state;
    bool restarted, overflow;
  };
  const Case cases[] = {
      {"bus-off", CAN_ERR_BUSOFF, 0, CanState::bus_off, false, false},
      {"restarted", CAN_ERR_RESTARTED, 0, CanState::active, true, false},
      {"receive warning", CAN_ERR_CRTL, CAN_ERR_CRTL_RX_WARNING, CanState::warning, false, false},
      {"send warning", CAN_ERR_CRTL, CAN_ERR_CRTL_TX_WARNING, CanState::warning, false, false},
      {"receive passive", CAN_ERR_CRTL, CAN_ERR_CRTL_RX_PASSIVE, CanState::passive, false, false},
      {"send passive, receive warning", CAN_ERR_CRTL,
       CAN_ERR_CRTL_TX_PASSIVE | CAN_ERR_CRTL_RX_WARNING, CanState::passive, false, false},
      {"active again", CAN_ERR_CRTL, CAN_ERR_CRTL_ACTIVE, CanState::active, false, false},
      {"controller overflow", CAN_ERR_CRTL, CAN_ERR_CRTL_RX_OVERFLOW, std::nullopt, false, true},
      {"bus-off wins", CAN_ERR_BUSOFF | CAN_ERR_CRTL, CAN_ERR_CRTL_TX_PASSIVE, CanState::bus_off,
       false, false},
      {"a bit error", CAN_ERR_PROT | CAN_ERR_BUSERROR, 0, std::nullopt, false, false},
      {"no acknowledgement", CAN_ERR_ACK, 0, std::nullopt, false, false},
      {"lost arbitration", CAN_ERR_LOSTARB, CAN_ERR_CRTL_RX_PASSIVE, std::nullopt, false, false},
  };
  for (const Case& c : cases) {
    canfd_frame frame{};
    frame.can_id = CAN_ERR_FLAG | c.classes;
    frame.len = CAN_ERR_DLC;
    frame.data[1] = static_cast<std::uint8_t>(c.control);
    TEST_ASSERT_TRUE_MESSAGE(is_error_frame(frame), c.name);
    const ErrorReport report = decode_error(frame);
    TEST_ASSERT_TRUE_MESSAGE(report.state == c.state, c.name);
    TEST_ASSERT_EQUAL_MESSAGE(c.restarted, report.restarted, c.name);
    TEST_ASSERT_EQUAL_MESSAGE(c.overflow, report.receive_overflow, c.name);
  }
}

TEST(failed_sends_are_told_apart) {
  struct Case {
    int err;
    Errc code;
    bool down;
  };
  for (const Case& c :
       {Case{ENOBUFS, Errc::would_block, false}, Case{EAGAIN, Errc::would_block, false},
        Case{ENOMEM, Errc::would_block, false}, Case{ENETDOWN, Errc::gone, true},
        Case{ENODEV, Errc::gone, true}, Case{ENXIO, Errc::gone, true},
        Case{EMSGSIZE, Errc::unsupported, false}, Case{EINVAL, Errc::unsupported, false},
        Case{EPERM, Errc::io, false}, Case{EIO, Errc::io, false}}) {
    TEST_ASSERT_EQUAL_STRING_MESSAGE(name_of(c.code), name_of(send_failure(c.err)),
                                     strerror(c.err));
    TEST_ASSERT_EQUAL_MESSAGE(c.down, means_down(c.err), strerror(c.err));
  }
}

TEST(filters_are_bound_to_their_kind_of_id) {
  const can_filter standard = encode(CanFilter{0x120, 0x7F0, false});
  TEST_ASSERT_EQUAL_HEX32(0x120, standard.can_id);
  TEST_ASSERT_EQUAL_HEX32(0x7F0 | CAN_EFF_FLAG, standard.can_mask);
  const can_filter whole = encode(CanFilter{0x120});
  TEST_ASSERT_EQUAL_HEX32(0x7FF | CAN_EFF_FLAG, whole.can_mask);
  const can_filter extended = encode(CanFilter{0x18FF0000, 0x1FFF0000, true});
  TEST_ASSERT_EQUAL_HEX32(0x18FF0000 | CAN_EFF_FLAG, extended.can_id);
  TEST_ASSERT_EQUAL_HEX32(0x1FFF0000 | CAN_EFF_FLAG, extended.can_mask);
}

TEST(a_stamp_is_carried_over_unless_the_wall_clock_was_set) {
  const auto ms = [](Nanos t) { return static_cast<int>(t / 1ms); };
  TEST_ASSERT_EQUAL(4900, ms(arrival(99'900ms, 100'000ms, 5000ms)));
  TEST_ASSERT_EQUAL(5000, ms(arrival(100'000ms, 100'000ms, 5000ms)));
  TEST_ASSERT_EQUAL_MESSAGE(5000, ms(arrival(100'001ms, 100'000ms, 5000ms)), "in the future");
  TEST_ASSERT_EQUAL_MESSAGE(5000, ms(arrival(10'000ms, 100'000ms, 5000ms)), "long ago");
}

TEST(restarts_back_off_and_start_again_once_the_bus_has_worked) {
  RestartBackoff backoff{100ms, 400ms};
  TEST_ASSERT_FALSE_MESSAGE(backoff.take_due(10s), "not bus-off");
  backoff.bus_off(10s);
  TEST_ASSERT_FALSE(backoff.take_due(10s + 99ms));
  TEST_ASSERT_TRUE(backoff.take_due(10s + 100ms));
  TEST_ASSERT_FALSE(backoff.take_due(10s + 100ms));
  backoff.bus_off(10s + 150ms);  // told again: no change
  TEST_ASSERT_FALSE(backoff.take_due(10s + 299ms));
  TEST_ASSERT_TRUE(backoff.take_due(10s + 300ms));
  TEST_ASSERT_FALSE(backoff.take_due(10s + 699ms));
  TEST_ASSERT_TRUE(backoff.take_due(10s + 700ms));
  TEST_ASSERT_TRUE_MESSAGE(backoff.take_due(10s + 1100ms), "never longer than the longest");
  backoff.back(20s);
  TEST_ASSERT_FALSE(backoff.take_due(21s));
  backoff.bus_off(20s + 10ms);  // back only for a moment: still as patient
  TEST_ASSERT_FALSE(backoff.take_due(20s + 409ms));
  TEST_ASSERT_TRUE(backoff.take_due(20s + 410ms));
  backoff.back(30s);
  backoff.bus_off(31s);  // it had worked
  TEST_ASSERT_TRUE(backoff.take_due(31s + 100ms));
}

}  // namespace
