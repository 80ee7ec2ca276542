// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hal/base/result.hpp"

namespace kerb {

/// The brightness of the lamps that are lit. Starts at full brightness, and returns to it when
/// destroyed: lamps that nobody dims any more are seen by day, too. One thread at a time.
class Dimmer {
 public:
  virtual ~Dimmer() = default;
  /// `share` of the full brightness, 0..1. Fails: invalid_argument, io, gone (the device was
  /// removed); the brightness is then unchanged.
  virtual Status set(double share) = 0;
};

}  // namespace kerb
