// SPDX-License-Identifier: Apache-2.0
// Convolutions compiled for AVX2: nothing of this may run before a check of the CPU.
#include <cstring>

#include "gpu/net/convolve.hpp"
#include "gpu/net/convolve_blocks.hpp"
#include "gpu/net/network.hpp"

namespace kerb::net {
namespace {

struct Avx2Lanes {
  using Sums = __m256i;

  static __m256i load(const void* from) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(from));
  }

  /// Values are up to 127 and weights within -127..127: two products fit the 16 bits that maddubs
  /// adds them up in.
  template <int kCount>
  static KERB_INLINE void sum(const PackedLayer& layer, int group, const std::uint8_t* const* from,
                              Sums* out) {
    const __m256i ones = _mm256_set1_epi16(1);
    const std::uint8_t* at[kCount];
    Sums sums[kCount];
    for (int i = 0; i < kCount; ++i) {
      at[i] = from[i];
      sums[i] = load(layer.bias + group * kGroup);
    }
    const std::int8_t* weights = layer.weights + group * layer.group_bytes;
    for (int row = 0; row < layer.kernel_height; ++row) {
      for (std::ptrdiff_t quad = 0; quad < layer.quads; ++quad, weights += kGroup * kQuad) {
        const __m256i w = load(weights);
        for (int i = 0; i < kCount; ++i) {
          std::int32_t four = 0;
          std::memcpy(&four, at[i] + quad * kQuad, sizeof four);
          const __m256i pairs = _mm256_maddubs_epi16(_mm256_set1_epi32(four), w);
          sums[i] = _mm256_add_epi32(sums[i], _mm256_madd_epi16(pairs, ones));
        }
      }
      for (int i = 0; i < kCount; ++i) at[i] += layer.in_row;
    }
    for (int i = 0; i < kCount; ++i) out[i] = sums[i];
  }

  static KERB_INLINE __m256 products(Sums sums, const float* factor) {
    return _mm256_mul_ps(_mm256_loadu_ps(factor), _mm256_cvtepi32_ps(sums));
  }
  static KERB_INLINE void put_values(Sums sums, const float* factor, std::uint8_t* to, bool whole) {
    const __m256 most = _mm256_set1_ps(static_cast<float>(kLevels));
    const __m256 cut =
        _mm256_min_ps(_mm256_max_ps(products(sums, factor), _mm256_setzero_ps()), most);
    const __m256i words = _mm256_cvtps_epi32(cut);
    const __m128i shorts =
        _mm_packs_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    const __m128i bytes = _mm_packus_epi16(shorts, shorts);
    std::memcpy(to, &bytes, whole ? kGroup : kQuad);
  }
  static void put_products(Sums sums, const float* factor, float* to, int count) {
    float all[kGroup];
    _mm256_storeu_ps(all, products(sums, factor));
    std::memcpy(to, all, sizeof(float) * static_cast<std::size_t>(count));
  }
};

}  // namespace

ConvolutionLanes avx2::convolution_lanes() noexcept {
  return {"avx2", convolve<Avx2Lanes>, finish<Avx2Lanes>};
}

}  // namespace kerb::net
