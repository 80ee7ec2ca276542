// SPDX-License-Identifier: Apache-2.0
#include "firmware/can/vehicle_signals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "firmware/can/codec.hpp"

namespace kerb::can {
namespace {

constexpr Nanos kMotionPeriod = std::chrono::milliseconds{20};
constexpr Nanos kBodyPeriod = std::chrono::milliseconds{100};
constexpr Nanos kLate = std::chrono::milliseconds{50};  // more than may be stale
constexpr double kSpeedSlack = 0.3;       // m/s: steps and noise of wheel-speed sensors
constexpr double kYawRateSlack = 0.05;    // rad/s
constexpr double kSteeringSlack = 0.02;   // rad
constexpr double kUntoldChange_mps2 = 2;  // of a speed that is held: its standard deviation
constexpr double kAnyStep = std::numeric_limits<double>::infinity();  // as slack

double seconds(Nanos time) { return std::chrono::duration<double>{time}.count(); }
double milliseconds(Nanos time) { return std::chrono::duration<double, std::milli>{time}.count(); }

template <typename Enum>
std::optional<double> number_of(Enum value) {
  if (value == Enum::not_available) return std::nullopt;
  return static_cast<double>(value);
}

}  // namespace

const char* name_of(Validity validity) noexcept {
  constexpr const char* kNames[] = {"valid",   "missing",  "stale", "implausible",
                                    "corrupt", "repeated", "late"};
  return kNames[static_cast<int>(validity)];
}

VehicleSignals::VehicleSignals(const VehicleLimits& limits, Nanos start) noexcept
    : limits_{limits},
      motion_{kMotionPeriod, limits.motion_stale, limits.motion_stale + kLate},
      body_{kBodyPeriod, limits.body_stale, limits.motion_stale + kLate} {
  for (Track* track : {&speed_, &yaw_rate_, &turn_signal_, &gear_, &steering_})
    track->heard = start;
}

bool VehicleSignals::feed(const CanFrame& frame, Nanos now) noexcept {
  if (frame.extended) return false;
  if (frame.id == kVehicleMotionId) {
    const Result<VehicleMotion> message = decode_vehicle_motion(frame);
    if (!message) {
      refuse_corrupt(motion_);
      return true;
    }
    const std::optional<double> speed = message->speed_mps, yaw = message->yaw_rate_radps;
    const double period = seconds(kMotionPeriod);
    const bool next =
        follows(speed_, speed, limits_.acceleration_max_mps2 * period + kSpeedSlack) &&
        follows(yaw_rate_, yaw, limits_.yaw_acceleration_max_radps2 * period + kYawRateSlack);
    if (const std::optional<Nanos> dt = accept(motion_, message->counter, next, now)) {
      take(speed_, speed, speed >= limits_.speed_min_mps && speed <= limits_.speed_max_mps,
           {limits_.acceleration_max_mps2, kSpeedSlack}, *dt, now);
      take(yaw_rate_, yaw, std::abs(yaw.value_or(0)) <= limits_.yaw_rate_max_radps,
           {limits_.yaw_acceleration_max_radps2, kYawRateSlack}, *dt, now);
      const std::optional<double> steering = message->steering_rad;
      take(steering_, steering, std::abs(steering.value_or(0)) <= limits_.steering_max_rad,
           {limits_.steering_rate_max_radps, kSteeringSlack}, *dt, now);
    }
    return true;
  }
  if (frame.id == kVehicleBodyId) {
    const Result<VehicleBody> message = decode_vehicle_body(frame);
    if (!message) {
      refuse_corrupt(body_);
    } else if (accept(body_, message->counter, true, now)) {
      take(turn_signal_, number_of(message->turn_signal), is_defined(message->turn_signal),
           {0, kAnyStep}, Nanos::zero(), now);
      take(gear_, number_of(message->gear), is_defined(message->gear), {0, kAnyStep}, Nanos::zero(),
           now);
    }
    return true;
  }
  return false;
}

void VehicleSignals::refuse_corrupt(Stream& stream) noexcept {
  ++counters_.corrupt;
  ++stream.corrupt_in_row;
}

/// The time since the last fresh message, as far as changes go; nothing for a message that is not
/// fresh.
std::optional<Nanos> VehicleSignals::accept(Stream& stream, std::uint8_t counter, bool follows,
                                            Nanos now) noexcept {
  // After a silence the same counter may be chance; while messages come, it is not.
  const bool repeated = stream.counter == counter && now - stream.seen <= stream.stale;
  stream.seen = now;
  if (repeated) {
    ++counters_.repeated;
    ++stream.repeated_in_row;
    return std::nullopt;
  }
  Nanos dt = std::max(now - stream.last, Nanos::zero());
  if (stream.counter && stream.repeated_in_row == 0) {  // a sender that stuck held nothing up
    const int steps = ((counter - *stream.counter - 1) & 0xF) + 1;
    stream.lateness.heard(dt, steps, dt > stream.stale, follows);
    compare_streams();
  }
  if (stream.counter && dt > stream.stale) {
    // The silence was a fault: what comes now must prove itself, and has nothing to be compared
    // with.
    Track* const motion[] = {&speed_, &yaw_rate_, &steering_};
    Track* const body[] = {&turn_signal_, &gear_};
    const bool moves = &stream == &motion_;
    for (Track* track : moves ? std::span<Track* const>{motion} : std::span<Track* const>{body}) {
      track->fault = Track::Fault::stale;
      track->last.reset();
      track->good_in_row = 0;
    }
  } else if (stream.counter) {
    const int steps = (counter - *stream.counter) & 0xF;
    counters_.lost += static_cast<std::uint64_t>(std::max(steps - 1 - stream.corrupt_in_row, 0));
    dt = std::max(dt, stream.period * steps);
  }
  stream.counter = counter;
  stream.last = now;
  stream.corrupt_in_row = stream.repeated_in_row = 0;
  ++counters_.accepted;
  return dt;
}

/// Whether a value may have been sent one message after the last.
bool VehicleSignals::follows(const Track& track, std::optional<double> value,
                             double step_max) noexcept {
  return !track.last || !value || std::abs(*value - *track.last) <= step_max;
}

/// Where the counter of one cannot tell whether its messages were lost or are late, that of the
/// other can: its round is five times as long.
void VehicleSignals::compare_streams() noexcept {
  const Nanos could_be = motion_.lateness.could_be(), body = body_.lateness.lag();
  if (could_be > Nanos::zero() && body > Nanos::zero() &&
      std::chrono::abs(could_be - body) <= 2 * kBodyPeriod)
    motion_.lateness.set(could_be);
}

void VehicleSignals::take(Track& track, std::optional<double> value, bool in_range,
                          const Change& most, Nanos dt, Nanos now) noexcept {
  if (!value) {
    track.fault = Track::Fault::missing;
    track.last.reset();
    track.good_in_row = 0;
    return;
  }
  const bool plausible =
      in_range && (!track.last || std::abs(*value - *track.last) <= most.in(seconds(dt)));
  track.last = in_range ? value : std::nullopt;
  if (!plausible) {
    ++counters_.implausible;
    track.fault = Track::Fault::implausible;
    track.refused = *value;
    track.good_in_row = 0;
    return;
  }
  if (track.fault != Track::Fault::none && ++track.good_in_row < limits_.recover_messages) return;
  const double since = seconds(std::max(now - track.heard, Nanos::zero()));
  if (track.fault == Track::Fault::implausible && track.known &&
      std::abs(*value - track.value) > most.in(since)) {
    track.refused = *value;
    return;
  }
  track.fault = Track::Fault::none;
  track.value = *value;
  track.known = true;
  track.heard = now;
}

template <typename T>
Reading<T> VehicleSignals::read(const Track& track, const Stream& stream, Nanos now) noexcept {
  using Fault = Track::Fault;
  Reading<T> out;
  out.age = std::max(now - track.heard, Nanos::zero());
  const bool silent = !stream.counter || now - stream.last > stream.stale;
  const auto fault = [&](Validity validity, double number) {
    out.validity = validity;
    out.number = number;
    return out;
  };
  if (silent && stream.corrupt_in_row > 0) return fault(Validity::corrupt, stream.corrupt_in_row);
  if (silent && stream.repeated_in_row > 0)
    return fault(Validity::repeated, stream.repeated_in_row);
  if (!stream.counter) return fault(Validity::missing, milliseconds(out.age));
  if (silent || track.fault == Fault::stale) return fault(Validity::stale, milliseconds(out.age));
  if (track.fault == Fault::missing) return fault(Validity::missing, milliseconds(out.age));
  if (track.fault == Fault::implausible) return fault(Validity::implausible, track.refused);
  // A turn signal or a gear is of use even late.
  if (const Nanos lag = stream.lateness.lag(); !std::is_enum_v<T> && lag > Nanos::zero())
    return fault(Validity::late, milliseconds(lag));
  out.validity = Validity::valid;
  if constexpr (std::is_enum_v<T>) {
    out.value = static_cast<T>(static_cast<std::uint8_t>(track.value));
  } else {
    out.value = track.value;
  }
  return out;
}

HeldSpeed VehicleSignals::held_speed(const Reading<double>& speed) const noexcept {
  if (speed.value) return {speed.value, 0};
  // Of late messages it is not known how old their values are.
  if (!speed_.known || speed.validity == Validity::late || speed.age > kHoldsSpeed) return {};
  return {speed_.value, kUntoldChange_mps2 * seconds(speed.age)};
}

VehicleState VehicleSignals::at(Nanos now) const noexcept {
  VehicleState out{
      read<double>(speed_, motion_, now),         read<double>(yaw_rate_, motion_, now),
      read<TurnSignal>(turn_signal_, body_, now), read<Gear>(gear_, body_, now),
      read<double>(steering_, motion_, now),      {}};
  out.held_speed = held_speed(out.speed_mps);
  return out;
}

std::optional<HealthFault> VehicleSignals::fault(Nanos now) const noexcept {
  for (const Track* track : {&speed_, &yaw_rate_}) {
    const Reading<double> reading = read<double>(*track, motion_, now);
    if (reading.validity == Validity::implausible)
      return HealthFault{Cause::signals_implausible, reading.number};
    if (reading.validity == Validity::late) return HealthFault{Cause::signals_late, reading.number};
    if (reading.validity != Validity::valid)
      return HealthFault{Cause::signals_missing, milliseconds(reading.age)};
  }
  return std::nullopt;
}

}  // namespace kerb::can
