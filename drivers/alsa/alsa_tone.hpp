// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>

#include "hal/tone.hpp"

namespace kerb {

struct AlsaToneOptions {
  std::string device = "default";  ///< an ALSA PCM: "default", "hw:0,0", "plughw:CARD=Device"
  unsigned rate_hz = 48000;        ///< the nearest the device has is used
};

/// A loudspeaker through ALSA. A thread feeds the device, also with silence, so that the amplifier
/// does not pop and an unplugged device is noticed while nothing sounds. The device holds 40 ms at
/// most. play() and stop() hand over under a mutex that is held for a few instructions. Under-runs
/// are recovered and counted. The thread has real-time priority where the process may set it
/// (CAP_SYS_NICE). play() of the present pattern does not interrupt it.
class AlsaTone final : public Tone {
 public:
  /// Fails: not_found (no such device), unsupported (not 16 bit, or no buffer as short as 40 ms),
  /// io (busy, not permitted). libasound's own messages on the error stream are silenced, for the
  /// whole process.
  static Result<std::unique_ptr<AlsaTone>> open(const AlsaToneOptions& options);
  ~AlsaTone() override;  ///< Ends the sound and the thread; takes up to 100 ms.
  AlsaTone(const AlsaTone&) = delete;
  AlsaTone& operator=(const AlsaTone&) = delete;

  /// gone is permanent: close and open again. io ends when the device plays again.
  Status play(const TonePattern& pattern) override;
  Status stop() override;

  [[nodiscard]] unsigned rate_hz() const noexcept;
  [[nodiscard]] unsigned channels() const noexcept;
  [[nodiscard]] unsigned buffer_ms() const noexcept;  ///< what the device holds at most
  [[nodiscard]] unsigned underruns() const noexcept;

 private:
  struct Player;
  explicit AlsaTone(std::unique_ptr<Player> player);
  std::unique_ptr<Player> player_;
};

}  // namespace kerb
