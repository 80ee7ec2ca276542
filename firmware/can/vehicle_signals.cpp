// SPDX-License-Identifier: Apache-2.0
#include "firmware/can/vehicle_signals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kerb::can {
namespace {

constexpr Nanos kLate = std::chrono::milliseconds{50};  // more than may be stale
constexpr double kSpeedSlack = 0.3;       // m/s: steps and noise of wheel-speed sensors
constexpr double kYawRateSlack = 0.05;    // rad/s
constexpr double kSteeringSlack = 0.02;   // rad
constexpr double kUntoldChange_mps2 = 2;  // of a speed that is held: its standard deviation
constexpr double kAnyStep = std::numeric_limits<double>::infinity();  // as slack

double seconds(Nanos time) { return std::chrono::duration<double>{time}.count(); }
double milliseconds(Nanos time) { return std::chrono::duration<double, std::milli>{time}.count(); }

}  // namespace

const char* name_of(Validity validity) noexcept {
  constexpr const char* kNames[] = {"valid",   "missing",  "stale", "implausible",
                                    "corrupt", "repeated", "late"};
  return kNames[static_cast<int>(validity)];
}

VehicleSignals::VehicleSignals(const VehicleLimits& limits, Nanos start,
                               const VehicleLayout& layout)
    : limits_{limits}, layout_{layout} {
  const auto count = static_cast<std::size_t>(layout.message_count);
  const auto place = [&](Track& track, int message) {
    track.stream = message < 0 ? count : static_cast<std::size_t>(message);
    track.heard = start;
  };
  place(speed_, layout.speed.message);
  place(yaw_rate_, layout.yaw_rate.message);
  place(steering_, layout.steering.message);
  place(turn_signal_, message_of_turn_signal(layout));
  place(gear_, layout.gear.message);
  place(lamp_brightness_, layout.lamp_brightness.message);
  place(sound_volume_, layout.sound_volume.message);
  const auto stale_of = [&](std::size_t i) {
    const VehicleMessage& message = layout.messages[i];
    if (message.stale > Nanos::zero()) return message.stale;
    const bool moves = is_in(speed_, i) || is_in(yaw_rate_, i) || is_in(steering_, i);
    return moves ? limits.motion_stale : limits.body_stale;
  };
  const Nanos late = kLate + (speed_.stream < count ? stale_of(speed_.stream) : Nanos::zero());
  streams_.reserve(count + 1);
  for (std::size_t i = 0; i < count; ++i)
    streams_.emplace_back(layout.messages[i], stale_of(i), late);
  streams_.emplace_back(VehicleMessage{.cycle = kLate}, kLate, late);
}

bool VehicleSignals::feed(const CanFrame& frame, Nanos now) noexcept {
  const std::optional<std::size_t> index = message_of(layout_, frame);
  if (!index) return false;
  const auto is_here = [&](const Track* track) { return is_in(*track, *index); };
  if (!std::ranges::any_of(tracks(), is_here)) return false;
  const VehicleMessage& message = layout_.messages[*index];
  const Result<VehiclePayload> payload = open(message, frame);
  if (!payload) {
    refuse_corrupt(streams_[*index]);
    return true;
  }
  const double period = seconds(message.cycle);
  const auto next = [&](const Track& track, const NumberSignal& signal, double rate, double slack) {
    return !is_in(track, *index) || follows(track, read(signal, *payload), rate * period + slack);
  };
  const bool follows_last =
      next(speed_, layout_.speed, limits_.acceleration_max_mps2, kSpeedSlack) &&
      next(yaw_rate_, layout_.yaw_rate, limits_.yaw_acceleration_max_radps2, kYawRateSlack);
  if (const std::optional<Nanos> dt =
          accept(*index, counter_of(message, *payload), follows_last, now))
    take_all(*index, *payload, *dt, now);
  return true;
}

/// Takes every signal that is in this message.
void VehicleSignals::take_all(std::size_t index, const VehiclePayload& payload, Nanos dt,
                              Nanos now) noexcept {
  if (is_in(speed_, index)) {
    const std::optional<double> speed = read(layout_.speed, payload);
    take(speed_, speed, speed >= limits_.speed_min_mps && speed <= limits_.speed_max_mps,
         {limits_.acceleration_max_mps2, kSpeedSlack}, dt, now);
  }
  const auto either_way = [&](Track& track, const NumberSignal& signal, double most,
                              const Change& change) {
    if (!is_in(track, index)) return;
    const std::optional<double> value = read(signal, payload);
    take(track, value, std::abs(value.value_or(0)) <= most, change, dt, now);
  };
  either_way(yaw_rate_, layout_.yaw_rate, limits_.yaw_rate_max_radps,
             {limits_.yaw_acceleration_max_radps2, kYawRateSlack});
  either_way(steering_, layout_.steering, limits_.steering_max_rad,
             {limits_.steering_rate_max_radps, kSteeringSlack});
  const auto dial = [&](Track& track, const NumberSignal& signal) {
    if (!is_in(track, index)) return;
    take(track, read(signal, payload), true, {0, kAnyStep}, Nanos::zero(), now);
  };
  dial(lamp_brightness_, layout_.lamp_brightness);
  dial(sound_volume_, layout_.sound_volume);
  const auto choice = [&](Track& track, const Choice& read) {
    take(track, read.number, read.is_defined, {0, kAnyStep}, Nanos::zero(), now);
  };
  if (is_in(turn_signal_, index)) choice(turn_signal_, read_turn_signal(layout_, payload));
  if (is_in(gear_, index))
    choice(gear_, read(layout_.gear, payload, static_cast<std::uint8_t>(Gear::not_available)));
}

void VehicleSignals::refuse_corrupt(Stream& stream) noexcept {
  ++counters_.corrupt;
  ++stream.corrupt_in_row;
}

/// The time since the last fresh message, as far as changes go; nothing for a message that is not
/// fresh.
std::optional<Nanos> VehicleSignals::accept(std::size_t index, std::optional<std::uint8_t> counter,
                                            bool follows, Nanos now) noexcept {
  Stream& stream = streams_[index];
  // After a silence the same counter may be chance; while messages come, it is not.
  const bool repeated = stream.is_heard && counter == stream.counter && stream.counts &&
                        now - stream.seen <= stream.stale;
  stream.seen = now;
  if (repeated) {
    ++counters_.repeated;
    ++stream.repeated_in_row;
    return std::nullopt;
  }
  Nanos dt = std::max(now - stream.last, Nanos::zero());
  const int steps = stream.is_heard && counter ? stream.steps_to(*counter) : 0;
  if (steps > 0 && stream.repeated_in_row == 0) {  // a sender that stuck held nothing up
    stream.lateness.heard(dt, steps, dt > stream.stale, follows);
    compare_streams();
  }
  if (stream.is_heard && dt > stream.stale) {
    // The silence was a fault: what comes now must prove itself, and has nothing to be compared
    // with.
    for (Track* track : tracks()) {
      if (!is_in(*track, index)) continue;
      track->fault = Track::Fault::stale;
      track->last.reset();
      track->good_in_row = 0;
    }
  } else if (steps > 0) {
    const int more = steps % stream.counter_values;  // the same counter again: none in between
    counters_.lost += static_cast<std::uint64_t>(std::max(more - 1 - stream.corrupt_in_row, 0));
    dt = std::max(dt, stream.period * more);
  }
  stream.is_heard = true;
  stream.counter = counter.value_or(0);
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

/// Where the counter of one cannot tell whether its messages were lost or are late, that of another
/// can whose round is longer (that of VEH_Body is five times as long as that of VEH_Motion).
void VehicleSignals::compare_streams() noexcept {
  for (Stream& doubtful : streams_) {
    const Nanos could_be = doubtful.lateness.could_be();
    if (could_be == Nanos::zero()) continue;
    const Nanos round = doubtful.period * doubtful.counter_values;
    for (const Stream& other : streams_) {
      const Nanos lag = other.lateness.lag();
      if (lag > Nanos::zero() && other.period * other.counter_values > round &&
          std::chrono::abs(could_be - lag) <= 2 * other.period) {
        doubtful.lateness.set(could_be);
        break;
      }
    }
  }
}

void VehicleSignals::are_timely() noexcept {
  const Nanos lag = this->lag();
  for (const Track* track : {&yaw_rate_, &speed_, &steering_}) {
    Stream& stream = streams_[track->stream];
    const Nanos off = std::chrono::abs(stream.lateness.lag() - lag);
    if (is_in(yaw_rate_, track->stream) || off <= 2 * stream.period) stream.lateness.clear();
  }
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
Reading<T> VehicleSignals::reading(const Track& track, Nanos now) const noexcept {
  const Stream& stream = stream_of(track);
  using Fault = Track::Fault;
  Reading<T> out;
  out.age = std::max(now - track.heard, Nanos::zero());
  const bool silent = !stream.is_heard || now - stream.last > stream.stale;
  const auto fault = [&](Validity validity, double number) {
    out.validity = validity;
    out.number = number;
    return out;
  };
  if (silent && stream.corrupt_in_row > 0) return fault(Validity::corrupt, stream.corrupt_in_row);
  if (silent && stream.repeated_in_row > 0)
    return fault(Validity::repeated, stream.repeated_in_row);
  if (!stream.is_heard) return fault(Validity::missing, milliseconds(out.age));
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
  VehicleState out{reading<double>(speed_, now),           reading<double>(yaw_rate_, now),
                   reading<TurnSignal>(turn_signal_, now), reading<Gear>(gear_, now),
                   reading<double>(steering_, now),        reading<double>(lamp_brightness_, now),
                   reading<double>(sound_volume_, now),    {}};
  out.held_speed = held_speed(out.speed_mps);
  return out;
}

std::optional<HealthFault> VehicleSignals::fault(Nanos now) const noexcept {
  for (const Track* track : {&speed_, &yaw_rate_}) {
    const Reading<double> now_is = reading<double>(*track, now);
    if (now_is.validity == Validity::implausible)
      return HealthFault{Cause::signals_implausible, now_is.number};
    if (now_is.validity == Validity::late) return HealthFault{Cause::signals_late, now_is.number};
    if (now_is.validity != Validity::valid)
      return HealthFault{Cause::signals_missing, milliseconds(now_is.age)};
  }
  return std::nullopt;
}

}  // namespace kerb::can
