// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>

#include "firmware/control/warner.hpp"
#include "firmware/types/people_report.hpp"

namespace kerb::lab {

/// The warnings the driver would get from the people of a recording: the product's Warner in rounds
/// of 10 ms, everything healthy, each frame's report available at its capture. One thread at a
/// time.
class Decider {
 public:
  explicit Decider(const WarningRules& rules) : warner_{rules} {}

  /// The highest level from this report until `end`, the time of the next frame.
  const WarningDecision& step(int frame, const risk::PeopleReport& report,
                              const ego::VehicleMotion& vehicle, Nanos end);
  /// One line per warning so far, with the columns of kHeader.
  [[nodiscard]] const std::string& lines() const noexcept { return lines_; }
  [[nodiscard]] int count(WarningLevel level) const noexcept {
    return level == WarningLevel::collision ? collisions_ : informations_;
  }
  /// Metres are from the bumper and from the car's side to the person's middle.
  static constexpr const char* kHeader =
      "frame,seconds,kind,person,ahead_m,beside_m,speed_kmh,contact_in_s,likelihood\n";

 private:
  void note(int frame, const risk::PeopleReport& report);

  Warner warner_;
  WarningDecision last_, loudest_;
  Nanos now_{}, first_{};
  std::string lines_;
  int collisions_ = 0, informations_ = 0;
};

}  // namespace kerb::lab
