// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "hal/base/view.hpp"

namespace kerb {

/// Noise of a grey value whose signal is proportional to light, at amplification g:
///   variance = read g^2 + shot g signal + 1/12
/// Read noise is amplified with the signal; shot noise is that of counted photons, of which a high
/// gain has fewer for the same signal; 1/12 is the rounding to whole grey values. The signal counts
/// from the grey value of black.
struct NoiseModel {
  double read = 0;     ///< at gain 1, squared grey values
  double shot = 0;     ///< at gain 1, squared grey values per grey value
  bool known = false;  ///< false: the figures mean nothing

  [[nodiscard]] double variance(double signal, double gain) const noexcept {
    return read * gain * gain + shot * gain * (signal > 0 ? signal : 0) + 1.0 / 12;
  }
};

/// Estimates a NoiseModel from successive pictures of a scene that stands still, at known gains.
/// The picture is divided into 16 x 9 parts. In each, half the variance of the difference of the
/// two pictures is noise, unless something moved there: parts far above the noise of others as
/// bright are left out, as are dark and clipped ones. Reads a grid of about 192 x 108 pixels. One
/// thread; allocates only when constructed.
class NoiseEstimator {
 public:
  NoiseEstimator(int width, int height);

  /// A picture at this gain. It is compared with the one before if that had the same gain and no
  /// forget() came between. Another size than the constructor's is ignored.
  void add(const ImageView<Space::host, const std::uint8_t>& grey, double gain) noexcept;
  /// The next picture is not compared with the last: the camera moved, or its exposure changed.
  void forget() noexcept { has_previous_ = false; }

  /// Known after kLeastPairs pairs, if these show how the noise depends on the signal.
  [[nodiscard]] NoiseModel model() const noexcept;
  [[nodiscard]] int pairs() const noexcept { return pairs_; }
  static constexpr int kLeastPairs = 16;

 private:
  static constexpr int kAcross = 16, kDown = 9, kParts = kAcross * kDown;
  struct Part {
    double signal = 0, variance = 0, samples = 0;
  };
  int compare(const ImageView<Space::host, const std::uint8_t>& grey,
              std::array<Part, kParts>& parts) noexcept;
  void fit(std::array<Part, kParts>& parts, int count, double gain) noexcept;

  struct Column {
    int x, part;
  };

  int width_, height_, step_y_;
  std::vector<Column> columns_;         // that are read
  std::vector<std::uint8_t> previous_;  // its samples
  double previous_gain_ = 0;
  bool has_previous_ = false;
  int pairs_ = 0;
  // Sums of the least squares: variance - 1/12 = read x + shot y with x = gain^2, y = gain signal.
  double xx_ = 0, xy_ = 0, yy_ = 0, xv_ = 0, yv_ = 0;
};

}  // namespace kerb
