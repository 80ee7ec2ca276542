// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

struct _snd_pcm;

namespace kerb::board {

/// What a pulsed tone turned out to be.
struct HeardTone {
  double frequency_hz = 0;  ///< from zero crossings inside the pulses
  double pulses_per_s = 0;  ///< 0 for silence and for a steady tone
  double duty = 0;          ///< part of the time that sounds, over whole pulses where there are any
  double peak = 0;          ///< of full scale
};

HeardTone analyse(std::span<const std::int16_t> samples, unsigned rate);

/// Sound through an ALSA device, 16 bit mono at 48 kHz. What is played on one end of the kernel's
/// loopback card is recorded on the other.
class Sound {
 public:
  static constexpr unsigned kRate = 48000;
  enum class Direction { record, play };

  Sound(const std::string& device, Direction direction);
  Sound(const Sound&) = delete;
  Sound& operator=(const Sound&) = delete;
  ~Sound();

  /// The next `seconds` of sound; shorter when the device goes quiet for a second.
  std::vector<std::int16_t> record(double seconds);
  void play(std::span<const std::int16_t> samples);

 private:
  _snd_pcm* pcm_ = nullptr;
};

}  // namespace kerb::board
