// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "gpu/net/network.hpp"
#include "hal/base/view.hpp"
#include "hal/vision.hpp"

/// Crops around candidates, as a network sees them. Integer arithmetic: the same on every backend,
/// bit for bit.
namespace kerb::net {

/// Where a crop lies in the picture, in 65536ths of a pixel: its top left corner, and the picture's
/// pixels to one of the crop's.
struct CropPlace {
  std::int64_t left = 0, top = 0;
  std::int32_t step = 65536;
  std::int32_t taps = 1;  ///< samples to a pixel of the crop, each way: step in whole pixels,
                          ///< rounded up, 1..kMaxTaps
};
inline constexpr int kMaxTaps = 16;

/// The crop around a person's box: with its middle, and scaled by its height alone.
///   step = rint(h / person_height * 65536), at least 1024 and at most 2^24
///   left = rint((x + w / 2) * 65536) - step * width / 2,  top likewise (of doubles; the halves are
///          exact, since width and height are even)
[[nodiscard]] CropPlace place_crop(const CropShape& shape, const Detection& person) noexcept;

/// The crop, plane by plane, `width` samples a row. A pixel is the mean of taps x taps samples; in
/// column i, sample j of `taps` is at
///   p = left + ((2 (i taps + j) + 1) step) / (2 taps) - 32768     (integers; division rounds down)
/// and takes from the picture's columns p >> 16 and the next one the weights 256 - f and f, where f
/// is (p >> 8) & 255. Rows likewise. Beyond the picture its last pixels are repeated. A pixel is
///   (sum of weight_x * weight_y * sample + half) / (256 taps)^2,  half = (256 taps)^2 / 2
/// On the CPU; the CUDA engine cuts its crops itself.
///   out  planes * width * height bytes
void cut_crop(const PlanesView<Space::host, const std::uint8_t>& picture, const CropShape& shape,
              const CropPlace& place, std::uint8_t* out) noexcept;

/// A crop brought to a mean and a spread of its own, 0..kLevels, as the first layer gets it. With
/// g the sum of a pixel's planes, n the number of pixels and P of planes (float arithmetic, each
/// operation rounded, no fused ones; the variance is of whole numbers and exact before its
/// conversion):
///   mean   = float(sum of g) / float(n)
///   spread = max(sqrt(float(n * sum of g^2 - (sum of g)^2) / float(n * n)), kLeastSpread * P)
///   value  = rint((float(P * sample) - mean) * (kSpread / spread)) + 64, cut to 0..kLevels
/// n * n and both sums are 64-bit integers.
void normalise_crop(const CropShape& shape, const std::uint8_t* crop, std::uint8_t* out) noexcept;
inline constexpr float kLeastSpread = 3;  ///< grey levels: flatter crops stay flat
inline constexpr float kSpread = 24;      ///< levels of the result

}  // namespace kerb::net
