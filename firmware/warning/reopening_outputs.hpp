// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "hal/base/clock.hpp"
#include "hal/base/log.hpp"
#include "hal/output_line.hpp"
#include "hal/tone.hpp"

namespace kerb {

/// Opens an output; called again each time it was lost.
template <typename Output>
using OutputOpener = std::function<Result<std::unique_ptr<Output>>()>;

/// Holds an output that may be unplugged. When it fails with `gone` it is closed, and opened again
/// at its next use, 100 ms later at the earliest; the wait doubles with each failure, up to 5 s. It
/// stays long for an output that is lost again within 5 s of its opening.
///
/// Opening happens on the caller's thread, the control loop: the opener must not block. A GPIO line
/// takes a few system calls, ALSA opens in non-blocking mode within milliseconds, and a sound
/// device that is gone has ended its thread before it is closed. One thread.
template <typename Output>
class Reopening {
 public:
  /// `name` is for the log: "status lamp". `first` is not null.
  Reopening(std::unique_ptr<Output> first, OutputOpener<Output> open, std::string name,
            const Clock& clock, Log& log)
      : output_{std::move(first)},
        open_{std::move(open)},
        name_{std::move(name)},
        clock_{clock},
        log_{log},
        opened_at_{clock.now()} {}

  /// The result of `action(output)`; while there is no output, `gone` with the reason. The caller
  /// logs it.
  template <typename Action>
  Status use(const Action& action) {
    const Nanos now = clock_.now();
    if (!output_ && (now < retry_at_ || !try_open(now))) return why_;
    const Status done = action(*output_);
    if (!done && done.error().code == Errc::gone) lose(done.error(), now);
    return done;
  }
  /// The output; null while it is gone.
  [[nodiscard]] const Output* get() const noexcept { return output_.get(); }
  /// Why there is none.
  [[nodiscard]] const Error& why() const noexcept { return why_; }

 private:
  static constexpr Nanos kFirstWait = std::chrono::milliseconds{100};
  static constexpr Nanos kLongestWait = std::chrono::seconds{5};

  void lose(const Error& why, Nanos now) {
    why_ = why;
    output_.reset();
    if (now - opened_at_ >= kLongestWait) wait_ = kFirstWait;  // it had worked
    back_off(now);
  }
  bool try_open(Nanos now) {
    Result<std::unique_ptr<Output>> opened = open_();
    if (!opened) {
      why_ = opened.error();
      why_.code = Errc::gone;
      back_off(now);
      return false;
    }
    output_ = std::move(*opened);
    opened_at_ = now;
    log_.info("warning", name_ + " is back");
    return true;
  }
  void back_off(Nanos now) noexcept {
    retry_at_ = now + wait_;
    wait_ = std::min(wait_ * 2, kLongestWait);
  }

  std::unique_ptr<Output> output_;
  OutputOpener<Output> open_;
  std::string name_;
  const Clock& clock_;
  Log& log_;
  Error why_{Errc::gone, 0, "open output"};
  Nanos opened_at_, retry_at_{}, wait_ = kFirstWait;
};

/// An OutputLine that is reopened after a loss. set() reopens it, and so drives the new line to the
/// present level; get() never reopens.
class ReopeningLine final : public OutputLine {
 public:
  ReopeningLine(std::unique_ptr<OutputLine> first, OutputOpener<OutputLine> open, std::string name,
                const Clock& clock, Log& log)
      : line_{std::move(first), std::move(open), std::move(name), clock, log} {}
  Status set(bool on) override {
    return line_.use([on](OutputLine& line) { return line.set(on); });
  }
  [[nodiscard]] Result<bool> get() const override {
    return line_.get() != nullptr ? line_.get()->get() : line_.why();
  }

 private:
  Reopening<OutputLine> line_;
};

/// A Tone that is reopened after a loss, by play() and stop(), and so follows the present command.
class ReopeningTone final : public Tone {
 public:
  ReopeningTone(std::unique_ptr<Tone> first, OutputOpener<Tone> open, std::string name,
                const Clock& clock, Log& log)
      : tone_{std::move(first), std::move(open), std::move(name), clock, log} {}
  Status play(const TonePattern& pattern) override {
    return tone_.use([&](Tone& tone) { return tone.play(pattern); });
  }
  Status stop() override {
    return tone_.use([](Tone& tone) { return tone.stop(); });
  }

 private:
  Reopening<Tone> tone_;
};

}  // namespace kerb
