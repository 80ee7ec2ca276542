// SPDX-License-Identifier: Apache-2.0
#include "drivers/guard/process_guard.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "drivers/base/unique_fd.hpp"
#include "drivers/guard/guard_link.hpp"
#include "drivers/guard/lamp_guard.hpp"

namespace kerb {
namespace {

constexpr Nanos kRepeat = std::chrono::seconds{1};  // a lamp that was lost is noticed

Nanos now() {
  return std::chrono::duration_cast<Nanos>(std::chrono::steady_clock::now().time_since_epoch());
}

sigset_t our_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2})
    sigaddset(&signals, signal);
  return signals;
}

std::string in_words(int status) {
  if (WIFSIGNALED(status)) return "was killed by signal " + std::to_string(WTERMSIG(status));
  return "ended with " + std::to_string(WEXITSTATUS(status));
}

class Guard {
 public:
  Guard(const ProcessGuardOptions& options, OutputLine* status, OutputLine* warning, Log& log)
      : options_{options}, lines_{status, warning}, log_{log}, lamps_{options.patience} {}

  int run() {
    const sigset_t ours = our_signals();
    sigprocmask(SIG_BLOCK, &ours, nullptr);
    // Who is told of a lamp may just have died. Found by write()'s result.
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, &pipe_action_);
    signals_.reset(::signalfd(-1, &ours, SFD_CLOEXEC | SFD_NONBLOCK));
    wait_ = options_.first_wait;
    drive();
    while (!ended_) {
      if (child_ < 0 && !stopping_ && now() >= start_at_) start();
      listen();
      if (child_ > 0) judge();
      drive();
    }
    lamps_.forget();
    drive();
    return killed_ ? 1 : 0;
  }

 private:
  void start() {
    lamps_.forget();
    std::array<UniqueFd, 3> ends;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const bool answers = i == pipes_.size();
      int fds[2];
      if (::pipe2(fds, O_CLOEXEC | O_NONBLOCK) < 0) return retry(errno);
      (answers ? answers_ : pipes_[i]).reset(fds[answers ? 1 : 0]);
      ends[i].reset(fds[answers ? 0 : 1]);
    }
    // Made before the fork: the child only makes system calls until it is another program.
    std::vector<std::string> words;
    for (char** word = environ; *word != nullptr; ++word)
      if (const std::string_view text{*word};
          !text.starts_with("WATCHDOG_PID=") && !text.starts_with(kGuardVariable))
        words.emplace_back(text);  // systemd's watchdog is the child's, whatever its number
    words.push_back(std::string{kGuardVariable} + "=" + std::to_string(ends[0].get()) + "," +
                    std::to_string(ends[1].get()) + "," + std::to_string(ends[2].get()));
    std::vector<char*> environment, arguments;
    for (std::string& word : words) environment.push_back(word.data());
    std::vector<std::string> command = options_.command;
    for (std::string& word : command) arguments.push_back(word.data());
    environment.push_back(nullptr);
    arguments.push_back(nullptr);
    const pid_t child = ::fork();
    if (child < 0) return retry(errno);
    if (child == 0) {
      for (const UniqueFd& end : ends) ::fcntl(end.get(), F_SETFD, 0);
      sigset_t none;
      sigemptyset(&none);
      sigprocmask(SIG_SETMASK, &none, nullptr);
      sigaction(SIGPIPE, &pipe_action_, nullptr);
      ::execve(arguments[0], arguments.data(), environment.data());
      ::_exit(127);
    }
    child_ = child;
    started_ = now();
    answered_.fill(std::nullopt);
    repeat_at_ = started_;  // a lamp that does not work is told at once
  }

  void retry(int error) {
    answers_.reset();
    log_.error("guard", std::string{"cannot start the program: "} + std::strerror(error));
    back_off();
  }
  void back_off() {
    start_at_ = now() + wait_;
    wait_ = std::min(wait_ * 2, options_.longest_wait);
  }

  /// Waits until something is said, or time has passed.
  void listen() {
    std::array<pollfd, 3> sources{pollfd{signals_.get(), POLLIN, 0},
                                  pollfd{pipes_[0].get(), POLLIN, 0},
                                  pollfd{pipes_[1].get(), POLLIN, 0}};
    const Nanos left = std::max(deadline() - now(), Nanos::zero());
    const timespec timeout{static_cast<time_t>(left / std::chrono::seconds{1}),
                           static_cast<long>((left % std::chrono::seconds{1}).count())};
    if (::ppoll(sources.data(), sources.size(), &timeout, nullptr) < 0) return;
    for (const GuardedLamp lamp : kGuardedLamps)
      if (sources[static_cast<std::size_t>(lamp) + 1].revents != 0) hear(lamp);
    if (sources[0].revents != 0) take_signals();
  }
  [[nodiscard]] Nanos deadline() const {
    Nanos next = repeat_at_;
    if (child_ < 0 && !stopping_) next = std::min(next, start_at_);
    if (const std::optional<Nanos> dark_until = lamps_.deadline();
        dark_until && *dark_until > now())
      next = std::min(next, *dark_until);
    if (killed_) return next;  // SIGCHLD comes when the kernel lets go of it
    if (child_ > 0 && !stopping_) next = std::min(next, silent_since() + options_.hang);
    if (stopping_) next = std::min(next, *stopping_ + options_.ending);
    return next;
  }
  [[nodiscard]] Nanos silent_since() const { return lamps_.heard_at().value_or(started_); }

  void hear(GuardedLamp lamp) {
    UniqueFd& pipe = pipes_[static_cast<std::size_t>(lamp)];
    char levels[256];
    for (;;) {
      const ssize_t n = ::read(pipe.get(), levels, sizeof levels);
      if (n > 0) {
        lamps_.heard(lamp, levels[n - 1] != '0', now());
        continue;
      }
      if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
      pipe.reset();  // the program has closed it: it is dead, or not ours any more
      answers_.reset();
      lamps_.forget();
      return;
    }
  }

  void take_signals() {
    signalfd_siginfo info{};
    while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
      if (info.ssi_signo == SIGCHLD) continue;  // judge() looks
      if (!stopping_) stopping_ = now();
      if (child_ > 0)
        ::kill(child_, static_cast<int>(info.ssi_signo));
      else
        ended_ = true;
    }
  }

  void judge() {
    int status = 0;
    if (::waitpid(child_, &status, WNOHANG) == child_) return bury(status);
    const bool hangs = !stopping_ && now() - silent_since() >= options_.hang;
    const bool stays = stopping_ && now() - *stopping_ >= options_.ending;
    if ((!hangs && !stays) || std::exchange(killed_, true)) return;
    log_.error("guard", hangs ? "the program hangs: killed" : "the program does not end: killed");
    ::kill(child_, SIGKILL);
  }

  void bury(int status) {
    child_ = -1;
    for (UniqueFd& pipe : pipes_) pipe.reset();
    answers_.reset();
    lamps_.forget();
    drive();  // before the log, which may take a while
    const bool orderly = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (stopping_ || orderly) {
      ended_ = true;
      return;
    }
    killed_ = false;
    if (now() - started_ >= options_.worked) wait_ = options_.first_wait;
    log_.error("guard", "the program " + in_words(status) +
                            (lines_[0] != nullptr ? ": the status lamp is lit" : "") +
                            ", next start in " +
                            std::to_string(wait_ / std::chrono::milliseconds{1}) + " ms");
    back_off();
  }

  /// Writes the lamps that changed, and all of them once a second.
  void drive() {
    const Nanos at = now();
    const bool all = at >= repeat_at_;
    if (all) repeat_at_ = at + kRepeat;
    for (const GuardedLamp lamp : kGuardedLamps) {
      const auto i = static_cast<std::size_t>(lamp);
      const bool lit = lamps_.lit(lamp, at);
      if (lines_[i] == nullptr || (!all && shown_[i] == lit)) continue;
      const Status done = lines_[i]->set(lit);
      const Result<bool> level = lines_[i]->get();  // not every chip lets an output be read
      const bool works = done && (!level || *level == lit);
      shown_[i].reset();
      if (works) shown_[i] = lit;
      answer(lamp, works);
    }
  }
  /// Tells the program, where it is news.
  void answer(GuardedLamp lamp, bool works) {
    std::optional<bool>& told = answered_[static_cast<std::size_t>(lamp)];
    const char letter = answer_of(lamp, works);
    if (told == works || !answers_) return;
    if (::write(answers_.get(), &letter, 1) == 1) told = works;
  }

  const ProcessGuardOptions& options_;
  std::array<OutputLine*, kGuardedLamps.size()> lines_;
  Log& log_;
  LampGuard lamps_;
  struct sigaction pipe_action_ {};  ///< as it was, for the program
  UniqueFd signals_;
  std::array<UniqueFd, kGuardedLamps.size()> pipes_;
  UniqueFd answers_;
  std::array<std::optional<bool>, kGuardedLamps.size()> shown_, answered_;
  pid_t child_ = -1;
  Nanos started_{}, start_at_{}, repeat_at_{}, wait_{};
  std::optional<Nanos> stopping_;
  bool killed_ = false, ended_ = false;
};

}  // namespace

int guard_process(const ProcessGuardOptions& options, OutputLine* status_lamp,
                  OutputLine* warning_lamp, Log& log) {
  return Guard{options, status_lamp, warning_lamp, log}.run();
}

}  // namespace kerb
