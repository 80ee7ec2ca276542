// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/part_judges.hpp"

#include <cerrno>

namespace kerb {
namespace {

using std::chrono::seconds;

constexpr Nanos kSignalsGrace = seconds{1};  // the vehicle may start to send after Kerbwatch does
constexpr Nanos kThermalPeriod = std::chrono::milliseconds{500};  // a reading may be as old
constexpr Nanos kThermalLimit = seconds{5};                       // without a reading

// Of half a second. A refused warning is tried again every 10 ms, and so is a frame of a list: a
// queue that is full for two rounds is no fault, and one that stays full is told within 0.2 s.
constexpr int kLeastRefused = 8;
constexpr double kRefusedPercent = 20;

double to_ms(Nanos duration) { return static_cast<double>(duration.count()) * 1e-6; }

/// Never 0, which is no error.
int errno_of(const Error& error) { return error.native != 0 ? error.native : EIO; }

PartState degraded_when(bool bad) { return bad ? PartState::degraded : PartState::fine; }

}  // namespace

void BusJudge::judge(Nanos now, const BusInput& input, const SendTally& sends,
                     HealthMonitor& monitor, ChangeReporter& reporter) {
  if (bus_ == nullptr) {  // switched off: the speed, without which nobody is warned, never comes
    const bool missed = config_.can.required && now - start_ >= kSignalsGrace;
    monitor.report(Cause::signals_missing, degraded_when(missed), to_ms(now - start_), now);
    return;
  }
  const CanState state = bus_->state();
  reporter.bus(now, *bus_);
  if (state != CanState::down && state != CanState::bus_off) good_at_ = now;
  judge_sending(now, sends, monitor, reporter);
  if (!config_.can.required) return;
  const Nanos lost = now - good_at_;
  const bool is_lost = lost >= config_.health.bus_lost;
  monitor.report(Cause::bus_lost, degraded_when(is_lost), to_ms(lost), now);

  // One cause for one fault: a lost bus explains why the vehicle is silent.
  std::optional<can::HealthFault> fault;
  if (!is_lost && now - start_ >= kSignalsGrace) fault = input.fault(now);
  for (const Cause cause :
       {Cause::signals_missing, Cause::signals_implausible, Cause::signals_late}) {
    const bool it_is = fault && fault->cause == cause;
    monitor.report(cause, degraded_when(it_is), it_is ? fault->number : 0, now);
  }
}

void BusJudge::judge_sending(Nanos now, const SendTally& sends, HealthMonitor& monitor,
                             ChangeReporter& reporter) {
  const SendTally::Share share = sends.share(now);
  const bool refused = share.refused >= kLeastRefused && share.percent() >= kRefusedPercent;
  reporter.sending(now, refused, sends.why());
  const std::optional<Error> no_restart = bus_->restart_refusal();
  if (!config_.can.required) return;
  monitor.report(Cause::sending_refused, degraded_when(refused), share.percent(), now);
  monitor.report(Cause::bus_restart_refused, degraded_when(no_restart.has_value()),
                 no_restart ? no_restart->native : 0, now);
}

void BoardJudge::judge(Nanos now, HealthMonitor& monitor) {
  if (thermal_ == nullptr || now < next_) return;
  next_ = now + kThermalPeriod;
  if (const Result<ThermalReading> reading = thermal_->hottest()) {
    celsius_ = reading->celsius;
    read_at_ = now;
    // A limit is left only when the board is cooler than it by the hysteresis.
    const ThermalSettings& t = settings_;
    const double ease_failed = heat_ == PartState::failed ? t.hysteresis_c : 0;
    const double ease_degraded = heat_ != PartState::fine ? t.hysteresis_c : 0;
    heat_ = *celsius_ >= t.failed_c - ease_failed       ? PartState::failed
            : *celsius_ >= t.degraded_c - ease_degraded ? PartState::degraded
                                                        : PartState::fine;
    monitor.report(Cause::board_hot, heat_, *celsius_, now);
  } else if (now - read_at_ >= kThermalLimit) {
    celsius_.reset();
  }
  const Nanos unread = now - read_at_;
  monitor.report(Cause::thermal_unreadable, degraded_when(unread >= kThermalLimit),
                 to_ms(unread) * 1e-3, now);
}

void OutputJudge::judge(Nanos now, const AlertOutputs& outputs,
                        const std::optional<Error>& watchdog, HealthMonitor& monitor,
                        ChangeReporter& reporter) {
  const std::optional<Error> refusal = outputs.refusal();
  reporter.outputs(now, refusal);
  monitor.report(Cause::output_refused, degraded_when(refusal.has_value()),
                 refusal ? refusal->native : 0, now);
  const auto refused = [&](Cause cause, int error) {
    monitor.report(cause, degraded_when(error != 0), error, now);
  };
  if (events_ != nullptr) refused(Cause::event_log_refused, events_->status().error);
  if (recorder_ != nullptr) refused(Cause::records_refused, recorder_->status().error);
  if (gaps_.events) refused(Cause::event_log_refused, errno_of(*gaps_.events));
  if (gaps_.recorder) refused(Cause::records_refused, errno_of(*gaps_.recorder));
  refused(Cause::watchdog_refused, watchdog ? errno_of(*watchdog) : 0);
  if (gaps_.gpu)
    monitor.report(Cause::gpu_missing, PartState::degraded, static_cast<double>(gaps_.gpu->code),
                   now);
}

}  // namespace kerb
