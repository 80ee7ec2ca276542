// SPDX-License-Identifier: Apache-2.0
// Plays the service manager: a socket that notifications come to.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "drivers/base/unique_fd.hpp"
#include "drivers/watchdog/systemd_watchdog.hpp"
#include "tests/contract/watchdog_suite.hpp"
#include "tests/support/test.hpp"

namespace {

using namespace kerb;

class Manager {
 public:
  // `name` as NOTIFY_SOCKET has it: a path, or @ and a name.
  explicit Manager(const std::string& name)
      : socket_{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)} {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    name.copy(address.sun_path, sizeof address.sun_path - 1);
    if (name[0] == '@') {
      address.sun_path[0] = '\0';
    } else {
      ::unlink(name.c_str());
    }
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), size) < 0) {
      std::perror(name.c_str());
      std::exit(1);
    }
    ::setenv("NOTIFY_SOCKET", name.c_str(), 1);
    ::setenv("WATCHDOG_USEC", "3000000", 1);
    ::setenv("WATCHDOG_PID", std::to_string(::getpid()).c_str(), 1);
  }
  void read() {
    char buffer[256];
    for (ssize_t size; (size = ::recv(socket_.get(), buffer, sizeof buffer, 0)) > 0;) {
      const std::string message{buffer, static_cast<std::size_t>(size)};
      if (message == "WATCHDOG=1") ++kicks, watching = true;
      if (message == "STOPPING=1") watching = false;
    }
  }
  int kicks = 0;
  bool watching = true;

 private:
  UniqueFd socket_;
};

int run(const std::string& name) {
  Manager manager{name};
  WatchdogFixture fixture;
  fixture.timeout = std::chrono::seconds{3};
  fixture.open = []() -> std::unique_ptr<Watchdog> {
    auto watchdog = SystemdWatchdog::open();
    if (watchdog) return std::move(*watchdog);
    std::printf("%s\n", describe(watchdog.error()).c_str());
    std::exit(1);
  };
  fixture.kicks = [&] {
    manager.read();
    return manager.kicks;
  };
  fixture.armed = [&] {
    manager.read();
    return manager.watching;
  };
  return run_watchdog_suite(fixture);
}

}  // namespace

SUITE_MAIN(words) {
  const std::string unique = "kerb-test-notify-" + std::to_string(::getpid());
  const std::string path = "/tmp/" + unique;
  const int failed = run("@" + unique) + run(path);
  ::unlink(path.c_str());
  return failed;
}
