// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/types/risk_settings.hpp"
#include "firmware/types/tracker_settings.hpp"
#include "firmware/types/warning_rules.hpp"

namespace kerb {

/// Everything that decides between a detection and a warning: whom to believe, where they are and
/// go, where the car goes, and when the driver is told. One set; the configuration's [decisions]
/// table documents each of them with its unit and limits, and `kerblab sim sweep` tries others.
struct DecisionSettings {
  track::TrackerSettings tracker;
  risk::ContactSettings contact;
  WarningRules warning;
};

}  // namespace kerb
