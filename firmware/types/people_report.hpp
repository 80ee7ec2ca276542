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
  bool path_known = false, yaw_rate_known = false;
  double speed_mps = 0, acceleration_mps2 = 0, yaw_rate_radps = 0;  ///< of the car, where known
  double yaw_acceleration_radps2 = 0;                               ///< likewise
  double yaw_sigma_radps = 0;                                       ///< of its path; 0: usual
  TurnOutlook turn;                                                 ///< that it may take
  ViewReport view;                                                  ///< how far people are seen
  track::PersonList people;
  Contact contacts[track::PersonList::kCapacity];  ///< of them, in their order
};

}  // namespace kerb::risk
