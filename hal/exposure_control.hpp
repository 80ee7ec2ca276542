// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "hal/base/clock.hpp"
#include "hal/base/result.hpp"
#include "hal/camera_settings.hpp"

namespace kerb {

/// How a picture was exposed.
struct Exposure {
  Nanos time{};     ///< zero: not known, because the camera's time cannot be set
  double gain = 1;  ///< amplification; 1: the camera's least
};

/// The steps of a camera's gain control, and the amplification each stands for.
///   linear    1 + (steps - minimum) / unit: `unit` steps add the least amplification once more
///   decibel   10^((steps - minimum) / unit / 20): `unit` steps are a decibel
struct GainScale {
  GainKind kind = GainKind::linear;
  double unit = 16;
  std::int64_t minimum = 0, maximum = 0, step = 1;  ///< maximum == minimum: there is no gain

  [[nodiscard]] bool adjustable() const noexcept { return maximum > minimum; }
  [[nodiscard]] double gain_of(std::int64_t steps) const noexcept;
  /// The step whose amplification is nearest, within the range.
  [[nodiscard]] std::int64_t steps_for(double gain) const noexcept;
  [[nodiscard]] double most() const noexcept { return gain_of(maximum); }
};

/// What a camera can be set to.
struct ExposureRange {
  Nanos shortest{}, longest{};  ///< both zero: the time cannot be set, only the gain
  Nanos step{1};
  GainScale gain;

  [[nodiscard]] bool has_time() const noexcept { return longest > Nanos::zero(); }
  /// The nearest time that can be set.
  [[nodiscard]] Nanos nearest(Nanos time) const noexcept;
  /// The longest that can be set and is not above `time`; `shortest` where there is none.
  [[nodiscard]] Nanos at_most(Nanos time) const noexcept;
};

/// Exposure time and gain of a camera, where it lets them be set. Belongs to its FrameSource: for
/// the thread that calls next(), and only as long as the source lives.
class ExposureControl {
 public:
  virtual ~ExposureControl() = default;
  [[nodiscard]] virtual ExposureRange range() const noexcept = 0;
  /// What the camera says it uses. In its automatic mode a camera may say what it was last told.
  /// Fails: io, gone.
  virtual Result<Exposure> read() = 0;
  /// Turns the camera's automatic mode off and sets both, each to the nearest step of its range.
  /// Gives what was set; pictures show it some frames later. Fails: io (one of the two may have
  /// been set), gone.
  virtual Result<Exposure> set(const Exposure& wanted) = 0;
  /// Gives both back to the camera. Fails: unsupported (it has no automatic mode), io, gone.
  virtual Status set_automatic() = 0;
};

}  // namespace kerb
