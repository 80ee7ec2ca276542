// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "firmware/types/alert_levels.hpp"
#include "firmware/types/warning_level.hpp"
#include "hal/base/clock.hpp"
#include "hal/dimmer.hpp"
#include "hal/output_line.hpp"
#include "hal/tone.hpp"

namespace kerb {

/// What the status lamp shows.
enum class StatusLight : std::uint8_t { off, on, slow_blink };

enum class AlertOutput : std::uint8_t { warning_lamp, status_lamp, sound };
inline constexpr std::size_t kAlertOutputs = 3;

/// Drives what the driver sees and hears. The warning lamp (red) is steady for a collision and
/// blinks at 2 Hz for information; the status lamp (amber) is on whenever Kerbwatch is not ACTIVE
/// or no warning would be given, and may blink at 0.5 Hz during a limited view.
/// A dimmer sets how bright both lamps are where they are lit; a sound keeps its volume to its end.
/// Any of these outputs may be missing. Writes an output when it changes, at every show() while
/// it fails, and once a second in any case, so that a lost output is noticed before it is needed.
/// A lamp's line is read back at once and 50 ms later, where its chip can: one without its level
/// has failed. (Behind a guard it takes a moment until that is known.) A dimmer that fails is tried
/// again after a second, and comes last: no warning waits for it.
/// One thread.
class AlertOutputs {
 public:
  AlertOutputs(OutputLine* warning_lamp, OutputLine* status_lamp, Tone* tone,
               const TonePattern& pattern, Dimmer* dimmer = nullptr) noexcept
      : warning_lamp_{warning_lamp},
        status_lamp_{status_lamp},
        tone_{tone},
        dimmer_{dimmer},
        pattern_{pattern} {}

  /// How bright and how loud from the next show() on; full before the first call.
  void set_level(const AlertLevel& level) noexcept { level_ = level; }

  /// Sets the outputs. Call it every control round: it does the blinking and the retries.
  void show(WarningLevel lamp, bool sound, StatusLight status, Nanos now) noexcept;
  void show(WarningLevel lamp, bool sound, bool status_lamp_on, Nanos now) noexcept {
    show(lamp, sound, status_lamp_on ? StatusLight::on : StatusLight::off, now);
  }
  /// The error of the first output that failed in the last show(); nothing when all worked.
  [[nodiscard]] std::optional<Error> refusal() const noexcept { return refusal_; }

  /// The last attempt to give an output a level.
  struct Attempt {
    bool on = false;
    std::optional<Error> refusal{};  ///< nothing: it worked
    bool settled = false;            ///< and still did a moment later
  };
  /// Nothing: it was never tried, or there is no such output.
  [[nodiscard]] const std::optional<Attempt>& last(AlertOutput output) const noexcept {
    return last_[static_cast<std::size_t>(output)];
  }

 private:
  static constexpr Nanos kBlinkHalfPeriod = std::chrono::milliseconds{250};
  static constexpr Nanos kSlowHalfPeriod = std::chrono::seconds{1};
  static constexpr Nanos kRepeat = std::chrono::seconds{1};
  static constexpr Nanos kSettles = std::chrono::milliseconds{50};
  void drive(AlertOutput output, OutputLine* line, std::optional<bool>& level, bool on,
             Nanos now) noexcept;
  void dim(Nanos now) noexcept;
  void sound(bool on) noexcept;
  void tried(AlertOutput output, std::optional<bool>& level, bool on, const Status& done) noexcept;

  OutputLine* warning_lamp_;
  OutputLine* status_lamp_;
  Tone* tone_;
  Dimmer* dimmer_;
  TonePattern pattern_;  // at full volume
  AlertLevel level_;
  double volume_ = 1;                                      // of the sound that is on
  std::optional<bool> warning_on_, status_on_, sounding_;  // empty: unknown, so write it
  std::optional<double> brightness_;                       // likewise
  std::optional<Error> dim_refusal_;
  Nanos dim_again_{};
  std::array<Nanos, 2> set_at_{};  // of the lamps
  bool sound_ = false;
  WarningLevel lamp_ = WarningLevel::none;
  StatusLight status_ = StatusLight::off;
  Nanos lamp_since_{}, status_since_{}, repeat_at_{};
  std::optional<Error> refusal_;
  std::array<std::optional<Attempt>, kAlertOutputs> last_{};
};

}  // namespace kerb
