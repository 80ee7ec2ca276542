// SPDX-License-Identifier: Apache-2.0
#include "hal/tone.hpp"

namespace kerb {

bool is_valid(const TonePattern& p) noexcept {
  // Written so that a NaN fails every line.
  return p.frequency_hz >= 100 && p.frequency_hz <= 8000 &&  //
         p.pulses_per_s >= 0.5 && p.pulses_per_s <= 50 &&    //
         p.duty > 0 && p.duty <= 1 && p.volume > 0 && p.volume <= 1;
}

}  // namespace kerb
