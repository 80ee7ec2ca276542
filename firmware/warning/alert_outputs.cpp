// SPDX-License-Identifier: Apache-2.0
#include "firmware/warning/alert_outputs.hpp"

#include <cerrno>

namespace kerb {
namespace {

/// Sets a line and reads it back: a level that is not there is a short circuit, or another program.
Status set_and_read(OutputLine& line, bool on) noexcept {
  if (Status s = line.set(on); !s) return s;
  const Result<bool> level = line.get();
  if (level && *level != on)  // not every chip lets an output be read
    return Error{Errc::io, EIO, "set a lamp", "the line does not have the level that was set"};
  return Done{};
}

}  // namespace

void AlertOutputs::drive(AlertOutput output, OutputLine* line, std::optional<bool>& level,
                         bool on) noexcept {
  if (line != nullptr && level != on) tried(output, level, on, set_and_read(*line, on));
}

void AlertOutputs::tried(AlertOutput output, std::optional<bool>& level, bool on,
                         const Status& done) noexcept {
  Attempt& attempt = last_[static_cast<std::size_t>(output)].emplace();
  attempt.on = on;
  if (done) {
    level = on;
    return;
  }
  level.reset();  // its level is unknown: write it again next time
  attempt.refusal = done.error();
  if (!refusal_) refusal_ = done.error();
}

void AlertOutputs::show(WarningLevel lamp, bool sound, StatusLight status, Nanos now) noexcept {
  refusal_.reset();
  if (now >= repeat_at_) {  // a sound that plays already is not interrupted
    warning_on_.reset();
    status_on_.reset();
    sounding_.reset();
    brightness_.reset();
    repeat_at_ = now + kRepeat;
  }
  if (lamp != lamp_) {
    lamp_ = lamp;
    lamp_since_ = now;
  }
  if (status != status_) {
    status_ = status;
    status_since_ = now;
  }
  dim();
  const bool blink_on =
      ((now - lamp_since_) / kBlinkHalfPeriod) % 2 == 0;  // a new level starts lit
  drive(AlertOutput::warning_lamp, warning_lamp_, warning_on_,
        lamp == WarningLevel::collision || (lamp == WarningLevel::information && blink_on));
  const bool slow_on = ((now - status_since_) / kSlowHalfPeriod) % 2 == 0;
  drive(AlertOutput::status_lamp, status_lamp_, status_on_,
        status == StatusLight::on || (status == StatusLight::slow_blink && slow_on));
  this->sound(sound);
}

void AlertOutputs::dim() noexcept {
  if (dimmer_ == nullptr || brightness_ == level_.brightness) return;
  if (const Status done = dimmer_->set(level_.brightness); done) {
    brightness_ = level_.brightness;
  } else {
    brightness_.reset();
    if (!refusal_) refusal_ = done.error();
  }
}

void AlertOutputs::sound(bool on) noexcept {
  if (on && !sound_) volume_ = level_.volume;
  sound_ = on;
  if (tone_ == nullptr || sounding_ == on) return;
  TonePattern pattern = pattern_;
  pattern.volume *= volume_;
  tried(AlertOutput::sound, sounding_, on, on ? tone_->play(pattern) : tone_->stop());
}

}  // namespace kerb
