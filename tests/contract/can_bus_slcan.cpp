// SPDX-License-Identifier: Apache-2.0
// Bus-off on a real kernel without a real bus. A pseudo terminal plays a serial CAN adapter for the
// kernel's slcan driver, and reports what states it likes. Needs root and the slcan module.
#include <fcntl.h>
#include <linux/if.h>
#include <linux/tty.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "drivers/base/unique_fd.hpp"
#include "drivers/socketcan/socketcan_bus.hpp"
#include "tests/support/test.hpp"

#ifndef N_SLCAN
#define N_SLCAN 17
#endif
#ifndef SIOCGIFNAME
#define SIOCGIFNAME 0x8910
#endif

namespace {

using namespace kerb;
using namespace std::chrono_literals;

// The adapter at the other end of the line.
class Adapter {
 public:
  bool open() {
    terminal_.reset(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
    if (!terminal_ || ::grantpt(terminal_.get()) < 0 || ::unlockpt(terminal_.get()) < 0)
      return false;
    line_.reset(::open(::ptsname(terminal_.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
    termios raw{};
    ::tcgetattr(line_.get(), &raw);
    ::cfmakeraw(&raw);
    ::tcsetattr(line_.get(), TCSANOW, &raw);
    int discipline = N_SLCAN;
    if (::ioctl(line_.get(), TIOCSETD, &discipline) < 0) return false;
    char name[IFNAMSIZ] = {};
    if (::ioctl(line_.get(), SIOCGIFNAME, name) < 0) return false;
    interface = name;
    return set_up(true);
  }
  [[nodiscard]] bool set_up(bool up) const {
    const UniqueFd control{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    ifreq request{};
    interface.copy(request.ifr_name, IFNAMSIZ - 1);
    request.ifr_flags = static_cast<short>(up ? IFF_UP | IFF_NOARP : IFF_NOARP);
    return ::ioctl(control.get(), SIOCSIFFLAGS, &request) == 0;
  }
  // A line of the adapter's language: t123411223344 is a frame, sb256256 "bus-off", sa000000
  // "active".
  void say(const std::string& words) const {
    TEST_ASSERT_EQUAL(words.size() + 1,
                      ::write(terminal_.get(), (words + "\r").c_str(), words.size() + 1));
  }
  // What the kernel has sent to the adapter since.
  [[nodiscard]] std::string hear() const {
    std::string heard;
    char buffer[256];
    for (ssize_t n; (n = ::read(terminal_.get(), buffer, sizeof buffer)) > 0;)
      heard.append(buffer, static_cast<std::size_t>(n));
    return heard;
  }
  void unplug() {
    line_.reset();
    terminal_.reset();
  }
  std::string interface;

 private:
  UniqueFd terminal_, line_;
};

Adapter adapter;
const SystemClock clock_of_life;

std::unique_ptr<SocketCanBus> open_bus() {
  SocketCanOptions options;
  options.interface = adapter.interface;
  auto bus = SocketCanBus::open(options, clock_of_life);
  TEST_ASSERT_OK(bus);
  return std::move(*bus);
}

// Asks until the bus is in that state, as a loop in the product does; false after two seconds.
bool reaches(SocketCanBus& bus, CanState state) {
  for (int i = 0; i < 100 && bus.state() != state; ++i) static_cast<void>(bus.receive(20ms));
  return bus.state() == state;
}

CanFrame some_frame() {
  CanFrame frame;
  frame.id = 0x123;
  frame.size = 2;
  frame.data[0] = 0xAB;
  frame.data[1] = 0xCD;
  return frame;
}

TEST(frames_pass_both_ways) {
  const auto bus = open_bus();
  TEST_ASSERT_TRUE(bus->state() == CanState::active);
  TEST_ASSERT_OK(bus->send(some_frame()));
  for (int i = 0; i < 50; ++i) {
    if (adapter.hear().find("t1232ABCD\r") != std::string::npos) break;
    TEST_ASSERT_TRUE_MESSAGE(i < 49, "the adapter did not hear the frame");
    ::usleep(20'000);
  }
  adapter.say("t3214DEADBEEF");
  const Result<CanFrame> got = bus->receive(1s);
  TEST_ASSERT_OK(got);
  TEST_ASSERT_EQUAL_HEX32(0x321, got->id);
  TEST_ASSERT_EQUAL_HEX8(0xBE, got->data[2]);
}

TEST(a_controllers_troubles_show_and_pass) {
  const auto bus = open_bus();
  adapter.say("sw100000");
  TEST_ASSERT_TRUE(reaches(*bus, CanState::warning));
  adapter.say("sp130000");
  TEST_ASSERT_TRUE(reaches(*bus, CanState::passive));
  adapter.say("sa000000");
  TEST_ASSERT_TRUE(reaches(*bus, CanState::active));
  TEST_ASSERT_EQUAL(3, bus->counters().error_frames);
  TEST_ASSERT_EQUAL(0, bus->counters().bus_offs);
}

TEST(a_state_from_before_open_is_known) {
  adapter.say("sp130000");
  ::usleep(100'000);
  const auto bus = open_bus();
  TEST_ASSERT_TRUE(bus->state() == CanState::passive);
  adapter.say("sa000000");
  TEST_ASSERT_TRUE(reaches(*bus, CanState::active));
}

TEST(bus_off_stops_sending_until_the_controller_is_back) {
  const auto bus = open_bus();
  adapter.say("sb256256");
  TEST_ASSERT_TRUE(reaches(*bus, CanState::bus_off));
  TEST_ASSERT_EQUAL(1, bus->counters().bus_offs);
  TEST_ASSERT_ERROR(Errc::gone, bus->send(some_frame()));
  // This driver cannot be restarted from outside: asked several times, it stays off and we stay
  // well.
  for (int i = 0; i < 40; ++i) TEST_ASSERT_ERROR(Errc::timeout, bus->receive(20ms));
  TEST_ASSERT_TRUE(bus->state() == CanState::bus_off);
  TEST_ASSERT_EQUAL(1, bus->counters().bus_offs);
  adapter.say("sa000000");
  TEST_ASSERT_TRUE(reaches(*bus, CanState::active));
  TEST_ASSERT_OK(bus->send(some_frame()));
}

TEST(down_and_up_clears_bus_off) {
  const auto bus = open_bus();
  adapter.say("sb256256");
  TEST_ASSERT_TRUE(reaches(*bus, CanState::bus_off));
  TEST_ASSERT_TRUE(adapter.set_up(false));
  TEST_ASSERT_TRUE(reaches(*bus, CanState::down));
  TEST_ASSERT_TRUE(adapter.set_up(true));
  TEST_ASSERT_TRUE(reaches(*bus, CanState::active));
}

TEST(an_adapter_that_is_unplugged_is_found_again) {
  const auto bus = open_bus();
  const std::string name = adapter.interface;
  adapter.unplug();
  TEST_ASSERT_TRUE(reaches(*bus, CanState::down));
  TEST_ASSERT_ERROR(Errc::gone, bus->receive(50ms));
  TEST_ASSERT_ERROR(Errc::gone, bus->send(some_frame()));
  TEST_ASSERT_TRUE(adapter.open());
  TEST_ASSERT_EQUAL_STRING(name.c_str(), adapter.interface.c_str());
  TEST_ASSERT_TRUE(reaches(*bus, CanState::active));
  adapter.say("t00111F");
  TEST_ASSERT_OK(bus->receive(1s));
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  if (!adapter.open()) {
    std::puts("no slcan on this machine, or not permitted");
    return Start::skip;
  }
  return Start::run;
}
