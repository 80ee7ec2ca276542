// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "firmware/can/messages.hpp"
#include "tools/simulator/judge/trace.hpp"

namespace kerb::sim {

inline constexpr double kTimeSlack = 1e-6;  ///< of times that were sums

/// What a trace says, in seconds of the scenario: the bus decoded as a car would, lamp and sound as
/// stretches of time.
struct Sent {
  struct Stretch {
    double begin = 0, end = 0;
  };
  /// A warning of one level without a break; the workshop's tests are left out.
  struct Warning {
    WarningLevel level = WarningLevel::none;
    double begin = 0, end = 0;
    bool lasts = false;                        ///< it was active at the end of the run
    std::optional<double> ttc;                 ///< as it was first sent
    std::optional<int> first_of{}, last_of{};  ///< the person it was of, by KW_ObjectID
  };
  struct State {
    double at = 0;
    HealthReport health;  ///< from then on
  };
  struct People {
    double at = 0;
    int count = 0;
    std::optional<double> nearest_m;  ///< the least KW_ObjectX of the list
    struct Object {
      int id = 0;
      double ahead = 0, left = 0;
    };
    std::vector<Object> objects;  ///< those whose place was sent
  };
  std::vector<Warning> warnings;
  std::vector<State> states;  ///< changes of state or cause
  std::vector<People> people;
  std::vector<Stretch> lamp, status_lamp, tone;
  /// While the driver was told of a limited view: KW_Ready's limited_view.
  std::vector<Stretch> limited_view;
  std::vector<Stretch> not_ready;     ///< while KW_Ready said that no warning would be given
  std::vector<TonePattern> patterns;  ///< every one that was played
  int frames = 0;
  int undecodable = 0;         ///< of our identifiers, with a wrong CRC or length
  int counter_faults = 0;      ///< a message counter that did not increase by one
  double status_gap = 0;       ///< the longest time without a KW_Status
  double warning_gap = 0;      ///< the longest time without a KW_Warning while there was one
  double warning_silence = 0;  ///< the longest time without a KW_Warning of any level
};

/// `seconds`: how long the run took.
[[nodiscard]] Sent decode_trace(const Trace& trace, double seconds);

/// Whether a time is in one of the stretches.
[[nodiscard]] bool within(const std::vector<Sent::Stretch>& stretches, double t) noexcept;

}  // namespace kerb::sim
