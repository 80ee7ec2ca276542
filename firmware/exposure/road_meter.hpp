// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "firmware/types/camera.hpp"
#include "hal/base/view.hpp"

namespace kerb {

/// How bright the road is in a picture. Shares are of the meter's weight, 0..1.
struct MeterReading {
  double level = 0;  ///< weighted median grey value of what is not clipped, 0..255, with fractions;
                     ///< 255 where half of the weight or more is clipped
  double clipped = 0;  ///< share at or above kClipped
  double dark = 0;     ///< share at or below kDark
  static constexpr int kClipped = 250, kDark = 8;
};

/// Meters a grey picture where people on the road appear, and never above the horizon: each place
/// on the road from 5 to 40 m ahead and up to 5 m to the side counts the same, over the height of a
/// person. Headlights and lamps are small and clipped, so that they hardly move a median of the
/// rest. A grid of about 96 x 54 pixels is read, with fixed weights: the same reading for the
/// same picture on every machine. One thread; allocates only when constructed.
class RoadMeter {
 public:
  /// By the camera's lens and mounting. Where these show no road, as the other constructor.
  explicit RoadMeter(const Camera& camera);
  /// The lower middle of the picture, for a camera whose mounting is not known.
  RoadMeter(int width, int height);

  /// `grey` has the size the meter was made for; another size reads as level 0 with no weight.
  [[nodiscard]] MeterReading measure(
      const ImageView<Space::host, const std::uint8_t>& grey) noexcept;

  struct Sample {
    std::int16_t x, y;
    std::uint32_t weight;
  };
  [[nodiscard]] const std::vector<Sample>& samples() const noexcept { return samples_; }
  /// Whether it meters by the camera's mounting.
  [[nodiscard]] bool by_mounting() const noexcept { return by_mounting_; }

 private:
  void use_lower_middle();

  int width_, height_;
  bool by_mounting_ = false;
  std::vector<Sample> samples_;                 // row by row
  std::array<std::uint32_t, 256> histogram_{};  // weight of each grey value
};

}  // namespace kerb
