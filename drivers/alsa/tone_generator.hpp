// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "hal/tone.hpp"

namespace kerb {

/// The samples of a pulsed sine. Pure arithmetic: no device, no thread, no clock; allocates
/// nothing.
///
/// The sine continues through the pauses, so that its phase never jumps. Every pulse rises and
/// falls along half a cosine of 5 ms (less where a pulse or a pause is shorter), and is `duty` of
/// its period long, measured at half height. The old pattern fades out in 5 ms before the new one
/// starts with a pulse. So there are no clicks: neighbouring samples differ by what sine, edge and
/// fade give together, and no more.
///
/// A pulse lasts 2 ms at least; a pause under 1 ms is none.
class ToneGenerator {
 public:
  explicit ToneGenerator(double sample_rate_hz) noexcept;

  /// `pattern` must be valid. The present pattern is not interrupted.
  void play(const TonePattern& pattern) noexcept;
  void stop() noexcept;
  /// The next samples, at 32767 for full scale.
  void fill(std::span<std::int16_t> mono) noexcept;
  /// Whether there is nothing to hear and nothing to come.
  [[nodiscard]] bool silent() const noexcept { return !now_ && !next_; }

 private:
  [[nodiscard]] double envelope() const noexcept;
  void start_next() noexcept;
  [[nodiscard]] std::int16_t next_sample() noexcept;

  double rate_;
  std::optional<TonePattern> now_, next_;
  bool leaving_ = false;                         // now_ is being faded out
  double fade_ = 1;                              // 1: full, 0: faded out
  double sine_phase_ = 0;                        // in turns, 0..1
  double pulse_time_s_ = 0;                      // since the pulse began
  double period_s_ = 0, on_s_ = 0, edge_s_ = 0;  // of now_; edge 0: a steady tone
};

}  // namespace kerb
