// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hal/base/result.hpp"

namespace kerb::runtime {

inline constexpr unsigned kProbeAnswer = 0x6b657262;  // "kerb"
/// Puts a kernel that writes kProbeAnswer to `out` (device memory) on the default stream. It fails
/// where this program has no code for the device, which no attribute tells.
Status probe_launch(unsigned* out);

}  // namespace kerb::runtime
