// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/types/contact.hpp"
#include "firmware/types/person.hpp"
#include "firmware/types/turn_outlook.hpp"
#include "firmware/types/view.hpp"
#include "hal/base/clock.hpp"

namespace kerb::risk {

/// All tracked people and their predicted contacts, as of one frame.
struct PeopleReport {
  Nanos at{};  ///< when the frame was taken; zero: there was none
  /// When people were last searched for in a picture; zero: never. Earlier than `at` where no
  /// picture came, or none that shows people: they are then carried on without.
  Nanos looked_at{};
  bool path_known = false, yaw_rate_known = false;
  double speed_mps = 0, acceleration_mps2 = 0, yaw_rate_radps = 0;  ///< of the car, where known
  double yaw_acceleration_radps2 = 0;                               ///< likewise
  double yaw_sigma_radps = 0;                                       ///< of its path; 0: usual
  double speed_sigma_mps = 0;                                       ///< of a speed that is held
  TurnOutlook turn;                                                 ///< that it may take
  ViewReport view;                                                  ///< how far people are seen
  track::PersonList people;
  Contact contacts[track::PersonList::kCapacity];  ///< of them, in their order
};

/// Whether its people are carried on without a picture.
[[nodiscard]] constexpr bool is_carried(const PeopleReport& report) noexcept {
  return report.looked_at != Nanos::zero() && report.looked_at < report.at;
}

}  // namespace kerb::risk
