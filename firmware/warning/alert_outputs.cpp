// SPDX-License-Identifier: Apache-2.0
#include "firmware/warning/alert_outputs.hpp"

#include <cerrno>

namespace kerb {
namespace {

/// Whether a line has its level: one that is not there is a short circuit, or another program.
Status read_back(const OutputLine& line, bool on) noexcept {
  const Result<bool> level = line.get();
  if (level && *level != on)  // not every chip lets an output be read
    return Error{Errc::io, EIO, "set a lamp", "the line does not have the level that was set"};
  return Done{};
}
Status set_and_read(OutputLine& line, bool on) noexcept {
  if (Status s = line.set(on); !s) return s;
  return read_back(line, on);
}

}  // namespace

void AlertOutputs::drive(AlertOutput output, OutputLine* line, std::optional<bool>& level, bool on,
                         Nanos now) noexcept {
  if (line == nullptr) return;
  Nanos& set_at = set_at_[static_cast<std::size_t>(output)];
  if (level != on) {
    set_at = now;
    return tried(output, level, on, set_and_read(*line, on));
  }
  std::optional<Attempt>& last = last_[static_cast<std::size_t>(output)];
  if (!last || last->settled || now - set_at < kSettles) return;
  last->settled = true;
  if (const Status still = read_back(*line, on); !still) tried(output, level, on, still);
}

void AlertOutputs::tried(AlertOutput output, std::optional<bool>& level, bool on,
                         const Status& done) noexcept {
  std::optional<Attempt>& last = last_[static_cast<std::size_t>(output)];
  last = Attempt{.on = on, .refusal = {}, .settled = output == AlertOutput::sound};  // no reading
  if (done) {
    level = on;
    return;
  }
  level.reset();  // its level is unknown: write it again next time
  last->refusal = done.error();
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
  const bool blink_on =
      ((now - lamp_since_) / kBlinkHalfPeriod) % 2 == 0;  // a new level starts lit
  drive(AlertOutput::warning_lamp, warning_lamp_, warning_on_,
        lamp == WarningLevel::collision || (lamp == WarningLevel::information && blink_on), now);
  const bool slow_on = ((now - status_since_) / kSlowHalfPeriod) % 2 == 0;
  drive(AlertOutput::status_lamp, status_lamp_, status_on_,
        status == StatusLight::on || (status == StatusLight::slow_blink && slow_on), now);
  this->sound(sound);
  dim(now);
}

void AlertOutputs::dim(Nanos now) noexcept {
  if (dimmer_ == nullptr || brightness_ == level_.brightness) return;
  if (!dim_refusal_ || now >= dim_again_) {
    const Status done = dimmer_->set(level_.brightness);
    dim_refusal_ = done ? std::nullopt : std::optional{done.error()};
    dim_again_ = now + kRepeat;
    if (done) brightness_ = level_.brightness;
  }
  if (!dim_refusal_) return;
  brightness_.reset();
  if (!refusal_) refusal_ = dim_refusal_;
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
