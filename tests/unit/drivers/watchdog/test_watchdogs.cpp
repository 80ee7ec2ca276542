// SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include "drivers/base/unique_fd.hpp"
#include "drivers/watchdog/hardware_watchdog.hpp"
#include "drivers/watchdog/systemd_watchdog.hpp"
#include "drivers/watchdog/watchdog_group.hpp"
#include "hal/fake/clock.hpp"
#include "hal/fake/watchdog.hpp"
#include "tests/support/real_kernel.hpp"
#include "tests/support/test.hpp"

SET_UP() {
  for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) ::unsetenv(name);
}

namespace {

using namespace kerb;
using namespace std::chrono_literals;

// A socket that notifications come to, named in NOTIFY_SOCKET.
UniqueFd listen_for_notifications() {
  const std::string name = "@kerb-unit-notify-" + std::to_string(::getpid());
  UniqueFd socket{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path, sizeof address.sun_path - 1);
  address.sun_path[0] = '\0';
  TEST_ASSERT_EQUAL(0,
                    ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address),
                           static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size())));
  ::setenv("NOTIFY_SOCKET", name.c_str(), 1);
  return socket;
}
std::string next_message(const UniqueFd& socket) {
  char buffer[512];
  const ssize_t size = ::recv(socket.get(), buffer, sizeof buffer, 0);
  return size < 0 ? "nothing" : std::string{buffer, static_cast<std::size_t>(size)};
}

TEST(what_is_no_watchdog_is_told_apart_and_named) {
  if (!kerb::test::kernel_answers()) TEST_IGNORE_MESSAGE("needs a kernel, not an emulator");
  struct Case {
    const char* device;
    Errc code;
    const char* text;
  };
  for (const Case& c :
       {Case{"/dev/watchdog987", Errc::not_found,
             "open watchdog: /dev/watchdog987: No such file or directory"},
        Case{"/dev/null", Errc::unsupported,
             "open watchdog: not a watchdog: /dev/null: Inappropriate ioctl for device"},
        Case{"/proc/version", Errc::unsupported, "open watchdog: not a watchdog: /proc/version"},
        Case{"/tmp", Errc::unsupported, "open watchdog: not a watchdog: /tmp"}}) {
    HardwareWatchdogOptions options;
    options.device = c.device;
    const auto watchdog = HardwareWatchdog::open(options);
    TEST_ASSERT_ERROR(c.code, watchdog);
    TEST_ASSERT_EQUAL_STRING(c.text, describe(watchdog.error()).c_str());
  }
}

TEST(a_time_out_must_make_sense) {
  for (const Nanos timeout : {Nanos{0}, Nanos{-1s}, Nanos{999ms}, Nanos{25h}}) {
    HardwareWatchdogOptions options;
    options.device = "/dev/null";
    options.timeout = timeout;
    TEST_ASSERT_ERROR(Errc::invalid_argument, HardwareWatchdog::open(options));
  }
}

TEST(systemd_that_does_not_watch_is_not_found) {
  TEST_ASSERT_ERROR(Errc::not_found, SystemdWatchdog::open());
  ::setenv("WATCHDOG_USEC", "3000000", 1);
  TEST_ASSERT_ERROR(Errc::not_found, SystemdWatchdog::open());  // but no NOTIFY_SOCKET
  const UniqueFd socket = listen_for_notifications();
  TEST_ASSERT_OK(SystemdWatchdog::open());
  ::setenv("WATCHDOG_PID", "1", 1);  // meant for another process
  TEST_ASSERT_ERROR(Errc::not_found, SystemdWatchdog::open());
}

TEST(settings_of_systemd_that_make_no_sense_are_refused) {
  const UniqueFd socket = listen_for_notifications();
  for (const char* value : {"soon", "-1", "0", "3s"}) {
    ::setenv("WATCHDOG_USEC", value, 1);
    const auto watchdog = SystemdWatchdog::open();
    TEST_ASSERT_FALSE_MESSAGE(static_cast<bool>(watchdog), value);
  }
  ::setenv("WATCHDOG_USEC", "1000000", 1);
  for (const char* name : {"relative/path", "vsock:2:1234", "@", "/"}) {
    ::setenv("NOTIFY_SOCKET", name, 1);
    TEST_ASSERT_ERROR(Errc::unsupported, SystemdWatchdog::open());
  }
  ::setenv("NOTIFY_SOCKET", std::string(200, '/').c_str(), 1);
  TEST_ASSERT_ERROR(Errc::unsupported, SystemdWatchdog::open());
}

TEST(the_manager_hears_what_we_do) {
  const UniqueFd socket = listen_for_notifications();
  Result<ServiceNotifier> notifier = ServiceNotifier::open();
  TEST_ASSERT_OK(notifier);
  TEST_ASSERT_OK(notifier->send("READY=1\nSTATUS=ACTIVE, 30 frames a second"));
  TEST_ASSERT_EQUAL_STRING("READY=1\nSTATUS=ACTIVE, 30 frames a second",
                           next_message(socket).c_str());
  TEST_ASSERT_OK(notifier->stopping());
  TEST_ASSERT_EQUAL_STRING("STOPPING=1", next_message(socket).c_str());
}

TEST(a_manager_that_does_not_read_does_not_hold_us) {
  const UniqueFd socket = listen_for_notifications();
  ::setenv("WATCHDOG_USEC", "1000000", 1);
  auto watchdog = SystemdWatchdog::open();
  TEST_ASSERT_OK(watchdog);
  Status last = Done{};
  for (int i = 0; i < 100'000 && last; ++i) last = (*watchdog)->kick();
  TEST_ASSERT_ERROR(Errc::io, last);
}

TEST(a_manager_that_left_is_an_error) {
  auto socket = listen_for_notifications();
  Result<ServiceNotifier> notifier = ServiceNotifier::open();
  TEST_ASSERT_OK(notifier);
  socket.reset();
  TEST_ASSERT_ERROR(Errc::gone, notifier->alive());
}

TEST(a_group_kicks_all_and_has_the_shortest_time) {
  FakeClock clock;
  FakeWatchdogTimer one{clock, 10s}, two{clock, 3s};
  std::vector<std::unique_ptr<Watchdog>> members;
  auto first = std::make_unique<FakeWatchdog>(one);
  FakeWatchdog* faulty = first.get();
  members.push_back(std::move(first));
  members.push_back(std::make_unique<FakeWatchdog>(two));
  WatchdogGroup group{std::move(members)};
  TEST_ASSERT_TRUE(group.timeout() == 3s);
  clock.advance(2s);
  TEST_ASSERT_OK(group.kick());
  faulty->fail_next = Error{Errc::io, 5, "stuck"};
  clock.advance(2s);
  TEST_ASSERT_ERROR(Errc::io, group.kick());  // but the other was kicked
  clock.advance(2s);
  TEST_ASSERT_FALSE(two.expired());
  TEST_ASSERT_OK(group.disarm());
  TEST_ASSERT_FALSE(one.armed || two.armed);
  TEST_ASSERT_ERROR(Errc::gone, group.kick());
}

TEST(an_empty_group_never_bites) {
  WatchdogGroup group{{}};
  TEST_ASSERT_OK(group.kick());
  TEST_ASSERT_TRUE(group.timeout() == Nanos::max());
  TEST_ASSERT_OK(group.disarm());
}

}  // namespace
