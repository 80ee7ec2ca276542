// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/emd/targets.hpp"
#include "hal/base/view.hpp"
#include "hal/vision.hpp"

namespace kerb::spectral {

/// What BandFollower is compared with: three colours. A histogram of the upper body against one of
/// what is beside it, both of the first picture, and mean shift on how likely each pixel's colour
/// is by them. One thread at a time.
class ColourFollower {
 public:
  /// The next picture, R, G and B a byte each without gaps; borrowed until the next one.
  void show(const std::uint8_t* rgb, int width, int height) noexcept;
  /// Learns the upper body of a person of this height, and its surroundings.
  void begin(const Detection& body, float tall);
  /// Moves the body across the picture; where nothing has its colours, it stays.
  void follow(Detection& body);

 private:
  [[nodiscard]] emd::Box pixels_of(const Detection& box) const noexcept;
  [[nodiscard]] std::size_t bin_at(int x, int y) const noexcept;

  const std::uint8_t* rgb_ = nullptr;
  int width_ = 0, height_ = 0;
  float tall_ = 0;
  std::vector<float> ratios_;  // of each bin of colours: how much it is theirs
  std::vector<std::uint8_t> likely_;
};

}  // namespace kerb::spectral
