// SPDX-License-Identifier: Apache-2.0
#include "firmware/warning/alert_outputs.hpp"

namespace kerb {

void AlertOutputs::drive(OutputLine* line, std::optional<bool>& last, bool on) noexcept {
  if (line == nullptr || last == on) return;
  const Status done = line->set(on);
  if (done) {
    last = on;
    return;
  }
  last.reset();  // its level is unknown: write it again next time
  if (!refusal_) refusal_ = done.error();
}

void AlertOutputs::show(WarningLevel lamp, bool sound, StatusLight status, Nanos now) noexcept {
  refusal_.reset();
  if (now >= repeat_at_) {  // a sound that plays already is not interrupted
    warning_on_.reset();
    status_on_.reset();
    sounding_.reset();
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
  drive(warning_lamp_, warning_on_,
        lamp == WarningLevel::collision || (lamp == WarningLevel::information && blink_on));
  const bool slow_on = ((now - status_since_) / kSlowHalfPeriod) % 2 == 0;
  drive(status_lamp_, status_on_,
        status == StatusLight::on || (status == StatusLight::slow_blink && slow_on));

  if (tone_ == nullptr || sounding_ == sound) return;
  if (const Status done = sound ? tone_->play(pattern_) : tone_->stop(); done) {
    sounding_ = sound;
  } else {
    sounding_.reset();
    if (!refusal_) refusal_ = done.error();
  }
}

}  // namespace kerb
