// SPDX-License-Identifier: Apache-2.0
#include "gpu/net/convolve.hpp"

#include <algorithm>

#include "gpu/net/convolve_blocks.hpp"
#include "gpu/net/crop_math.hpp"

#if defined(KERB_NET_DOT)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace kerb::net {
namespace {

/// Plain C++: the definition.
struct PlainLanes {
  struct Sums {
    std::int32_t of[kGroup];
  };

  template <int kCount>
  static void sum(const PackedLayer& layer, int group, const std::uint8_t* const* from,
                  Sums* sums) {
    const std::int32_t* bias = layer.bias + group * kGroup;
    for (int i = 0; i < kCount; ++i) std::copy(bias, bias + kGroup, sums[i].of);
    const std::int8_t* weights = layer.weights + group * layer.group_bytes;
    for (int row = 0; row < layer.kernel_height; ++row)
      for (int quad = 0; quad < layer.quads; ++quad, weights += kGroup * kQuad)
        for (int i = 0; i < kCount; ++i) {
          const std::uint8_t* values = from[i] + row * layer.in_row + quad * kQuad;
          for (int o = 0; o < kGroup; ++o)
            for (int c = 0; c < kQuad; ++c) sums[i].of[o] += values[c] * weights[o * kQuad + c];
        }
  }

  static void put_values(const Sums& sums, const float* factor, std::uint8_t* to, bool whole) {
    const int count = whole ? kGroup : kQuad;
    for (int o = 0; o < count; ++o) to[o] = math::value_of(sums.of[o], factor[o]);
  }
  static void put_products(const Sums& sums, const float* factor, float* to, int count) {
    for (int o = 0; o < count; ++o) to[o] = math::product_of(sums.of[o], factor[o]);
  }
};

}  // namespace

ConvolutionLanes base::convolution_lanes() noexcept {
  return {"plain", convolve<PlainLanes>, finish<PlainLanes>};
}

bool has_avx2() noexcept {
#if defined(KERB_AVX2)
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

bool has_dot() noexcept {
#if defined(KERB_NET_DOT)
  return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
#else
  return false;
#endif
}

ConvolutionLanes convolution_lanes() noexcept {
#if defined(KERB_AVX2)
  if (has_avx2()) return avx2::convolution_lanes();
#endif
#if defined(KERB_NET_DOT)
  if (has_dot()) return dot::convolution_lanes();
#endif
  return base::convolution_lanes();
}

}  // namespace kerb::net
