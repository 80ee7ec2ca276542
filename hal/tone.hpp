// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hal/base/result.hpp"

namespace kerb {

/// A pulsed sine: `duty` of each of `pulses_per_s` periods sounds.
struct TonePattern {
  double frequency_hz = 1000;  ///< 100..8000
  double pulses_per_s = 8;     ///< 0.5..50; with duty 1 a steady tone
  double duty = 0.5;           ///< over 0, up to 1
  double volume = 0.8;         ///< over 0, up to 1 of full scale
};
[[nodiscard]] bool is_valid(const TonePattern& pattern) noexcept;

/// A loudspeaker that repeats a pattern until stop(). Calls return at once; sound follows within
/// 50 ms. One thread at a time.
class Tone {
 public:
  virtual ~Tone() = default;
  /// Replaces the last pattern; the same pattern again is not interrupted. Fails: invalid_argument,
  /// io, gone.
  virtual Status play(const TonePattern& pattern) = 0;
  virtual Status stop() = 0;  ///< Silence. Fails: io, gone.
};

}  // namespace kerb
