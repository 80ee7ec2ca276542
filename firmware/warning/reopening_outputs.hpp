// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/warning/reopening.hpp"
#include "hal/dimmer.hpp"
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

/// A Dimmer that is reopened after a loss, by set().
class ReopeningDimmer final : public Dimmer {
 public:
  ReopeningDimmer(DeviceOpener<Dimmer> open, const Clock& clock, Log& log)
      : dimmer_{nullptr, std::move(open), "dimmer", clock, log} {}
  Status set(double share) override {
    return dimmer_.use([&](Dimmer& dimmer) { return dimmer.set(share); });
  }

 private:
  Reopening<Dimmer> dimmer_;
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
