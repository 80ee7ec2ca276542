// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>

#include "firmware/control/warner.hpp"
#include "firmware/types/people_report.hpp"

namespace kerb::lab {

/// What the driver would be told, from the people of a recording: the product's Warner in rounds of
/// 10 ms, all healthy, each frame's report there as soon as it is taken. One thread at a time.
class Decider {
 public:
  explicit Decider(Sensitivity sensitivity) : warner_{sensitivity} {}

  /// The loudest told from this report until `end`, when the next frame comes.
  const WarningDecision& step(int frame, const risk::PeopleReport& report,
                              const ego::VehicleMotion& vehicle, Nanos end);
  /// A line a warning, so far: kHeader's columns.
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
