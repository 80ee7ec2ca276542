// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace kerb {

/// How bright and how loud a warning is, as shares of what is configured, 0..1.
struct AlertLevel {
  double brightness = 1, volume = 1;
  bool operator==(const AlertLevel&) const = default;
};

/// How far the vehicle and the light may turn both down. Neither ever reaches 0: who wants no
/// warnings switches them off, which the amber lamp shows.
struct AlertLevelSettings {
  double darkest = 0.3;       ///< brightness in the dark, or where the dashboard is darkest
  double quietest = 0.4;      ///< volume where the vehicle's is lowest
  double night_volume = 1.0;  ///< volume in the dark, where the vehicle does not tell one
};

}  // namespace kerb
