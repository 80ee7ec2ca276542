// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "firmware/can/lateness.hpp"
#include "firmware/can/messages.hpp"
#include "firmware/can/vehicle_decoder.hpp"
#include "firmware/types/health_state.hpp"
#include "firmware/types/vehicle_layout.hpp"
#include "firmware/types/vehicle_limits.hpp"
#include "hal/base/clock.hpp"
#include "hal/can_bus.hpp"

namespace kerb::can {

/// Whether a signal may be used; if not, why, with the number that goes with it.
enum class Validity : std::uint8_t {
  valid,
  missing,      ///< never heard, or its sender says it has none; ms since it was last valid
  stale,        ///< nothing came for too long; ms since it was last valid
  implausible,  ///< out of range, changing too fast, or not a number the bus defines; the value
                ///< refused
  corrupt,      ///< only messages with a wrong CRC or length came for too long; how many in a row
  repeated,     ///< only messages with the same counter came for too long; how many in a row
  late          ///< its messages arrive late; ms
};
[[nodiscard]] const char* name_of(Validity validity) noexcept;

/// A signal now. Only a valid signal has a value, so that a fault is never taken for a zero.
template <typename T>
struct Reading {
  std::optional<T> value;
  Validity validity = Validity::missing;
  double number = 0;  ///< as Validity says; 0 when valid
  Nanos age{};  ///< since the message the value is from; of a fault, since it was last valid, or
                ///< the start
};

/// The speed for those who go on through a short fault: the last believed one, with a standard
/// deviation that grows with its age.
struct HeldSpeed {
  std::optional<double> mps;  ///< nothing once it is older than VehicleSignals::kHoldsSpeed
  double sigma_mps = 0;       ///< 0: it is not held, but valid
};

struct VehicleState {
  Reading<double> speed_mps;
  Reading<double> yaw_rate_radps;
  Reading<TurnSignal> turn_signal;
  Reading<Gear> gear;
  Reading<double> steering_rad;                   ///< optional: many vehicles do not send it
  Reading<double> lamp_brightness, sound_volume;  ///< optional: where two dials are, 0..1
  HeldSpeed held_speed;
};

struct HealthFault {
  Cause cause = Cause::none;
  double number = 0;
};

struct VehicleCounters {
  std::uint64_t accepted = 0;     ///< messages of the vehicle that were good
  std::uint64_t corrupt = 0;      ///< wrong CRC or length
  std::uint64_t repeated = 0;     ///< the counter stood still
  std::uint64_t lost = 0;         ///< gaps in the counter, in messages
  std::uint64_t implausible = 0;  ///< values refused
};

/// Follows the messages of the layout that have speed, yaw rate, steering, turn signal, gear or one
/// of the two dials; by default VEH_Motion and VEH_Body. A message that is corrupt or repeated
/// counts as none: the last good value holds until it is stale. An implausible or withdrawn value
/// is a fault at once. A fault ends, and the first value is believed, after `recover_messages` good
/// messages in a row. Of a message without a counter, repeating and coming late are not noticed, of
/// one without a checksum that it is corrupt. Speed and yaw rate that come late (Lateness) are a
/// fault until that is made up for: a car that brakes would seem to drive on. One thread at a time;
/// allocates nothing once made.
///
/// Too fast a change: more than acceleration_max * dt + 0.3 m/s (yaw: yaw_acceleration_max * dt +
/// 0.05 rad/s) from one message to the next, dt being the time between them or the counter's steps
/// of the message's cycle, whichever is longer, so that messages that queued up are no fault. It is
/// measured against the last value received, believed or not, and the fault ends only when the car
/// can have changed so much since the last believed value: a real step is a fault that ends by
/// itself, and a speed that drops from 50 km/h to 0 at once is not believed for more than a second.
class VehicleSignals {
 public:
  static constexpr Nanos kHoldsSpeed = std::chrono::seconds{1};

  /// `start`: what "missing for so long" counts from.
  VehicleSignals(const VehicleLimits& limits, Nanos start,
                 const VehicleLayout& layout = kerbwatch_layout());

  /// Takes a frame in. False: not one of the vehicle's messages, nothing happened.
  bool feed(const CanFrame& frame, Nanos now) noexcept;
  /// The signals as they stand at `now`.
  [[nodiscard]] VehicleState at(Nanos now) const noexcept;
  /// What the state of health says about them: the speed's fault, else the yaw rate's, else none.
  /// (The turn signal, the gear and the steering refine a warning; without them the state stays.)
  [[nodiscard]] std::optional<HealthFault> fault(Nanos now) const noexcept;
  [[nodiscard]] const VehicleCounters& counters() const noexcept { return counters_; }
  /// How late the yaw rate's messages are; zero: not late.
  [[nodiscard]] Nanos lag() const noexcept { return stream_of(yaw_rate_).lateness.lag(); }
  /// The yaw rate as last received, to check whether it is late; nothing where it was never in
  /// range.
  [[nodiscard]] std::optional<double> told_yaw_rate() const noexcept { return yaw_rate_.last; }
  /// Another source knows that they are not late; nor are others then that seem to be so by as
  /// much.
  void are_timely() noexcept;

 private:
  /// One signal. Enumerations are kept by their number.
  struct Track {
    std::size_t stream = 0;  ///< its message; that of none where it has none
    enum class Fault : std::uint8_t { none, missing, stale, implausible };
    Fault fault = Fault::missing;  ///< what the latest messages said; none: believed
    double value = 0;              ///< the last believed
    double refused = 0;            ///< the last implausible
    std::optional<double> last;    ///< the last in range, believed or not
    int good_in_row = 0;
    bool known = false;  ///< a value was believed
    Nanos heard{};       ///< when that was last, or the start
  };
  /// What the counter and the checksum of one message say; shared by its signals.
  struct Stream {
    Stream(const VehicleMessage& of, Nanos stale_after, Nanos late) noexcept
        : period{of.cycle},
          stale{stale_after},
          counter_values{of.counter_values},
          counts{of.counter.length > 0},
          lateness{period, late, counter_values} {}
    Nanos period{}, stale{};
    int counter_values;
    bool counts;  ///< it has a counter
    Lateness lateness;
    bool is_heard = false;
    std::uint8_t counter = 0;  ///< of the last fresh message
    Nanos last{};              ///< when that came
    Nanos seen{};              ///< when the last one came, fresh or repeated
    int corrupt_in_row = 0;
    int repeated_in_row = 0;
    /// From one counter to the next: 1..counter_values.
    [[nodiscard]] int steps_to(std::uint8_t next) const noexcept {
      return (next + 2 * counter_values - counter - 1) % counter_values + 1;
    }
  };

  [[nodiscard]] std::array<Track*, 7> tracks() noexcept {
    return {&speed_,    &yaw_rate_,        &turn_signal_, &gear_,
            &steering_, &lamp_brightness_, &sound_volume_};
  }
  void refuse_corrupt(Stream& stream) noexcept;
  std::optional<Nanos> accept(std::size_t index, std::optional<std::uint8_t> counter, bool follows,
                              Nanos now) noexcept;
  void take_all(std::size_t index, const VehiclePayload& payload, Nanos dt, Nanos now) noexcept;
  [[nodiscard]] const Stream& stream_of(const Track& track) const noexcept {
    return streams_[track.stream];
  }
  [[nodiscard]] bool is_in(const Track& track, std::size_t index) const noexcept {
    return track.stream == index;
  }
  [[nodiscard]] static bool follows(const Track& track, std::optional<double> value,
                                    double step_max) noexcept;
  void compare_streams() noexcept;
  [[nodiscard]] HeldSpeed held_speed(const Reading<double>& speed) const noexcept;
  /// The largest change of a value: `slack` and, for each second, `rate`.
  struct Change {
    double rate = 0, slack = 0;
    [[nodiscard]] double in(double seconds) const noexcept { return rate * seconds + slack; }
  };
  void take(Track& track, std::optional<double> value, bool in_range, const Change& most, Nanos dt,
            Nanos now) noexcept;
  template <typename T>
  [[nodiscard]] Reading<T> reading(const Track& track, Nanos now) const noexcept;

  VehicleLimits limits_;
  VehicleLayout layout_;
  std::vector<Stream> streams_;  ///< one for each message, and one that is never heard
  Track speed_, yaw_rate_, turn_signal_, gear_, steering_, lamp_brightness_, sound_volume_;
  VehicleCounters counters_;
};

}  // namespace kerb::can
