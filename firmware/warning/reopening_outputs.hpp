// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/warning/reopening.hpp"
#include "hal/output_line.hpp"
#include "hal/tone.hpp"

namespace kerb {

/// An OutputLine that is reopened after a loss. set() reopens it, and so drives the new line to the
/// present level; get() never reopens. Dark until the first set().
class ReopeningLine final : public OutputLine {
 public:
  ReopeningLine(std::unique_ptr<OutputLine> first, DeviceOpener<OutputLine> open, std::string name,
                const Clock& clock, Log& log)
      : line_{std::move(first), std::move(open), std::move(name), clock, log} {}
  Status set(bool on) override {
    on_ = on;
    return repeat();
  }
  /// Drives it to its level once more: for one who knows that it was lost.
  Status repeat() {
    return line_.use([this](OutputLine& line) { return line.set(on_); });
  }
  [[nodiscard]] Result<bool> get() const override {
    return line_.get() != nullptr ? line_.get()->get() : line_.why();
  }

 private:
  Reopening<OutputLine> line_;
  bool on_ = false;
};

/// A Tone that is reopened after a loss, by play() and stop(), and so follows the present command.
class ReopeningTone final : public Tone {
 public:
  ReopeningTone(std::unique_ptr<Tone> first, DeviceOpener<Tone> open, std::string name,
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
