// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "hal/frame_source.hpp"
#include "hal/vision.hpp"
#include "tests/support/random.hpp"

/// Pictures of a mosaic camera for the tests of gpu/emd, unit and gpu: cloth before a wall that is
/// as bright.
namespace kerb::test {

inline constexpr int kWidth = 960, kHeight = 540, kMosaic = 3, kBands = kMosaic * kMosaic;
inline const std::vector<double> kNm = {460, 520, 580, 640, 690, 760, 810, 900, 960};

using Cloth = std::vector<double>;  ///< of each band
// As bright as the wall, which has 90 in each, in all bands together.
inline const Cloth kRed = {90, 90, 90, 90, 90, 160, 160, 20, 20};
inline const Cloth kFar = {90, 90, 90, 90, 90, 20, 20, 160, 160};

inline FrameSourceInfo band_camera(int mosaic = kMosaic) {
  FrameSourceInfo info;
  info.width = kWidth;
  info.height = kHeight;
  info.mosaic = mosaic;
  return info;
}

/// Planes of a wall with patches on it, and noise.
class BandPicture {
 public:
  explicit BandPicture(int mosaic = kMosaic, std::uint64_t seed = 1, int noise = 4)
      : bands_{mosaic * mosaic},
        mosaic_{mosaic},
        noise_{noise},
        w_{kWidth / mosaic},
        h_{kHeight / mosaic},
        samples_(static_cast<std::size_t>(bands_ * w_ * h_)),
        random_{seed} {
    fill({0, 0, kWidth, kHeight, 0}, Cloth(static_cast<std::size_t>(bands_), 90));
    image.bands = {samples_.data(), bands_, w_, h_, w_, std::ptrdiff_t{w_} * h_};
  }
  BandPicture(BandPicture&&) = default;  // the samples stay where they are
  BandPicture& operator=(BandPicture&&) = default;
  void fill(const Detection& box, const Cloth& cloth, double light = 1) {
    const auto n = static_cast<float>(mosaic_);
    for (int y = 0; y < h_; ++y)
      for (int x = 0; x < w_; ++x) {
        const float px = (static_cast<float>(x) + 0.5F) * n,
                    py = (static_cast<float>(y) + 0.5F) * n;
        if (px < box.x || px >= box.x + box.w || py < box.y || py >= box.y + box.h) continue;
        for (int b = 0; b < bands_; ++b) {
          const double noise =
              static_cast<double>(random_.next() % (2 * static_cast<std::uint64_t>(noise_) + 1)) -
              noise_;
          samples_[static_cast<std::size_t>((b * h_ + y) * w_ + x)] = static_cast<std::uint16_t>(
              std::lround(std::max(0.0, light * cloth[static_cast<std::size_t>(b)] + noise)));
        }
      }
  }
  PreparedImage image;

 private:
  int bands_, mosaic_, noise_, w_, h_;
  std::vector<std::uint16_t> samples_;
  Random random_;
};

/// Somebody's upper body in the picture, and where to look for it.
inline constexpr Detection kBody{300, 200, 60, 90, 0};
inline constexpr Detection kRegion{180, 150, 320, 200, 0};

inline Detection moved(const Detection& box, float dx) {
  return {box.x + dx, box.y, box.w, box.h, box.score};
}
/// The wall with the body before it.
inline BandPicture dressed(const Cloth& cloth, std::uint64_t seed = 1, double light = 1) {
  BandPicture out{kMosaic, seed};
  out.fill(kBody, cloth, light);
  return out;
}

}  // namespace kerb::test
