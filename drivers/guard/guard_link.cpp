// SPDX-License-Identifier: Apache-2.0
#include "drivers/guard/guard_link.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace kerb {
namespace {

class GuardedLine final : public OutputLine {
 public:
  GuardedLine(GuardLink& link, GuardedLamp lamp) : link_{link}, lamp_{lamp} {}
  ~GuardedLine() override {  // as a line that is released: the amber one stays lit
    static_cast<void>(link_.say(lamp_, lamp_ == GuardedLamp::status));
  }
  GuardedLine(const GuardedLine&) = delete;
  GuardedLine& operator=(const GuardedLine&) = delete;
  Status set(bool on) override {
    const Status said = link_.say(lamp_, on);
    if (said) on_ = on;
    return said;
  }
  [[nodiscard]] Result<bool> get() const override { return link_.works(lamp_) ? on_ : !on_; }

 private:
  GuardLink& link_;
  GuardedLamp lamp_;
  bool on_ = false;
};

/// Whether this is the end of a pipe: the variable may be a stranger's.
bool is_pipe(int fd) {
  struct stat status {};
  return fd > 2 && ::fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
}

}  // namespace

std::unique_ptr<GuardLink> GuardLink::take() {
  const char* text = std::getenv(kGuardVariable);
  int status = -1, warning = -1, answers = -1;
  if (text == nullptr || std::sscanf(text, "%d,%d,%d", &status, &warning, &answers) != 3)
    return nullptr;
  ::unsetenv(kGuardVariable);
  if (!is_pipe(status) || !is_pipe(warning) || !is_pipe(answers)) return nullptr;
  for (const int fd : {status, warning, answers}) {
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    ::fcntl(fd, F_SETFL, O_NONBLOCK);
  }
  return std::unique_ptr<GuardLink>{
      new GuardLink{UniqueFd{status}, UniqueFd{warning}, UniqueFd{answers}}};
}

Result<std::unique_ptr<OutputLine>> GuardLink::line(GuardedLamp lamp) {
  pollfd reader{pipes_[static_cast<std::size_t>(lamp)].get(), POLLOUT, 0};
  if (::poll(&reader, 1, 0) < 0 || (reader.revents & POLLERR) != 0)  // nobody reads it any more
    return Error{Errc::gone, EPIPE, "reach the guard of the lamps"};
  return std::unique_ptr<OutputLine>{std::make_unique<GuardedLine>(*this, lamp)};
}

Status GuardLink::beat() noexcept { return say(GuardedLamp::status, status_on_); }

bool GuardLink::works(GuardedLamp lamp) noexcept {
  char answers[64];
  for (ssize_t n = 0; (n = ::read(answers_.get(), answers, sizeof answers)) > 0;)
    for (const char answer : std::string_view{answers, static_cast<std::size_t>(n)})
      for (const GuardedLamp of : kGuardedLamps)
        for (const bool works : {false, true})
          if (answer == answer_of(of, works)) works_[static_cast<std::size_t>(of)] = works;
  return works_[static_cast<std::size_t>(lamp)];
}

Status GuardLink::say(GuardedLamp lamp, bool on) noexcept {
  if (lamp == GuardedLamp::status) status_on_ = on;
  const char level = on ? '1' : '0';
  if (::write(pipes_[static_cast<std::size_t>(lamp)].get(), &level, 1) == 1 || errno == EAGAIN)
    return Done{};
  return Error{errno == EPIPE ? Errc::gone : Errc::io, errno, "tell the guard of the lamps"};
}

}  // namespace kerb
