// SPDX-License-Identifier: Apache-2.0
// What goes wrong at open(); needs no CAN in the kernel.
#include "drivers/socketcan/can_link.hpp"

#include <fstream>
#include <optional>
#include <string>

#include "drivers/socketcan/socketcan_bus.hpp"
#include "hal/fake/clock.hpp"
#include "tests/support/test.hpp"

namespace {

using namespace kerb;

Result<std::unique_ptr<SocketCanBus>> open(const SocketCanOptions& options) {
  static const FakeClock clock;
  return SocketCanBus::open(options, clock);
}

TEST(a_missing_interface_is_not_found_and_named) {
  SocketCanOptions options;
  options.interface = "kerbnone7";
  const auto bus = open(options);
  TEST_ASSERT_ERROR(Errc::not_found, bus);
  TEST_ASSERT_EQUAL_STRING("open CAN interface: kerbnone7: No such device",
                           describe(bus.error()).c_str());
}

TEST(an_interface_of_another_kind_is_unsupported_and_named) {
  SocketCanOptions options;
  options.interface = "lo";
  const auto bus = open(options);
  TEST_ASSERT_ERROR(Errc::unsupported, bus);
  TEST_ASSERT_EQUAL_STRING("open CAN interface: not a CAN interface: lo",
                           describe(bus.error()).c_str());
}

TEST(options_that_make_no_sense_are_refused) {
  SocketCanOptions nameless, long_name, wide_filter, many_filters, no_wait;
  nameless.interface = "";
  long_name.interface = "sixteen_letters_";
  wide_filter.filters = {{0x800, 0x7FF, false}};
  many_filters.filters.resize(513);
  no_wait.first_restart = Nanos::zero();
  for (const SocketCanOptions& options : {nameless, long_name, wide_filter, many_filters, no_wait})
    TEST_ASSERT_ERROR(Errc::invalid_argument, open(options));
}

TEST(netlink_is_understood_for_interfaces_that_are_not_can) {
  Result<socketcan::CanLink> link = socketcan::CanLink::open("lo");
  TEST_ASSERT_OK(link);
  const socketcan::LinkFacts facts = link->read();
  TEST_ASSERT_TRUE(facts.index > 0);
  TEST_ASSERT_FALSE(facts.is_can);
  TEST_ASSERT_TRUE(facts.mtu > 0);
  for (int i = 0; i < 3; ++i) TEST_ASSERT_FALSE(link->controller_state(facts.index).has_value());
  TEST_ASSERT_FALSE(link->controller_state(123456).has_value());
  TEST_ASSERT_ERROR(Errc::unsupported, link->restart(facts.index));
  TEST_ASSERT_FALSE(link->restart_ms(facts.index).has_value());
  TEST_ASSERT_FALSE(link->restart_ms(123456).has_value());
}

TEST(whether_this_process_may_restart_is_what_the_kernel_says) {
  // CapEff of /proc/self/status, in hexadecimal; CAP_NET_ADMIN is bit 12.
  std::ifstream status{"/proc/self/status"};
  std::optional<bool> may;
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("CapEff:"))
      may = (std::stoull(line.substr(7), nullptr, 16) >> 12 & 1) != 0;
  TEST_ASSERT_TRUE(may.has_value());
  TEST_ASSERT_EQUAL(*may, socketcan::CanLink::may_restart());
}

}  // namespace
