// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "hal/base/text.hpp"

namespace kerb::diagnostics {

/// Who answers: what a workshop reads to know which software, model and calibration it has before
/// it. Empty texts are identifiers that this car does not have.
struct Identity {
  Text<32> software;                  ///< version of the product
  Text<24> serial;                    ///< of the board
  Text<17> vin;                       ///< of the vehicle; 17 characters or none
  Text<32> model;                     ///< the detector's model: the name of its file
  std::uint32_t model_crc = 0;        ///< CRC-32 of that file
  std::uint32_t calibration_crc = 0;  ///< CRC-32 of lens and mounting of all cameras
  std::uint16_t decisions = 0;        ///< version of what decides about warnings
};

}  // namespace kerb::diagnostics
