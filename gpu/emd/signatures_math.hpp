// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "gpu/emd/signatures.hpp"
#include "gpu/image/both.hpp"

/// How mass is shared out, and what is refused. For gpu/emd alone.
namespace kerb::emd {

inline constexpr int kMaxGain = 16 * 256;

KERB_BOTH std::uint32_t lit(std::uint32_t sample, std::uint32_t black,
                            std::uint32_t gain) noexcept {
  return sample > black ? (sample - black) * gain / 256U : 0U;
}

/// bins[k] = values[k] * mass / their sum, by largest remainders. Values are below 2^20, `sum` is
/// theirs and not 0. All loops have constant bounds, so that arrays stay in registers.
KERB_BOTH void share_out(const std::uint32_t (&values)[kMaxBins], std::uint32_t sum, int count,
                         std::uint32_t mass, std::uint32_t (&bins)[kMaxBins]) noexcept {
  std::uint32_t rest[kMaxBins];
  std::uint32_t missing = mass;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (int k = 0; k < kMaxBins; ++k) {
    const std::uint32_t v = k < count ? values[k] * mass : 0U;
    bins[k] = v / sum;
    rest[k] = v - bins[k] * sum;
    missing -= bins[k];
  }
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (int k = 0; k < kMaxBins; ++k) {
    std::uint32_t before = 0;  // how many lost more
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int j = 0; j < kMaxBins; ++j)
      before += rest[j] > rest[k] || (rest[j] == rest[k] && j < k) ? 1U : 0U;
    bins[k] += before < missing ? 1U : 0U;
  }
}

inline Error bad_signatures(const char* what) {
  return Error{Errc::invalid_argument, 0, "signatures", what};
}

template <Space S, typename T>
Status check_signatures(const T* data, int width, int height, std::ptrdiff_t row_stride,
                        const ImageView<S, Signature>& out) {
  if (data == nullptr || width < 1 || height < 1 || row_stride < width)
    return bad_signatures("not a picture");
  if (out.data == nullptr || out.width != width || out.height != height || out.row_stride < width)
    return bad_signatures("there must be a signature for each pixel");
  return Done{};
}

inline Status check_window(const WindowSettings& settings) {
  if (settings.bins < kMinBins || settings.bins > kMaxBins) return bad_signatures("bins: 2..16");
  if (settings.window < 1 || settings.window > 15 || settings.window % 2 == 0)
    return bad_signatures("window: odd, 1..15");
  for (const std::uint8_t level : settings.levels)
    if (level >= settings.bins) return bad_signatures("a grey level beyond the bins");
  return Done{};
}

inline Status check_bands(const BandSettings& settings, int planes, int height,
                          std::ptrdiff_t row_stride, std::ptrdiff_t plane_stride) {
  if (settings.bands < kMinBins || settings.bands > kMaxBins) return bad_signatures("bands: 2..16");
  if (planes != settings.bands) return bad_signatures("there must be a plane for each band");
  if (plane_stride < row_stride * (height - 1)) return bad_signatures("planes overlap");
  if (settings.mass < 1 || settings.mass > kMaxMass) return bad_signatures("mass: 1..255");
  for (const std::uint16_t gain : settings.gain)
    if (gain > kMaxGain) return bad_signatures("gain: at most 16 times");
  return Done{};
}

}  // namespace kerb::emd
