// SPDX-License-Identifier: Apache-2.0
// Convolutions compiled for arm64 with dot products: nothing of this may run before a check of the
// CPU.
#include <cstring>

#include "gpu/net/convolve.hpp"
#include "gpu/net/convolve_blocks.hpp"
#include "gpu/net/network.hpp"

namespace kerb::net {
namespace {

struct DotLanes {
  struct Sums {
    int32x4_t low, high;
  };

  /// Values are up to 127, so they are signed bytes too.
  static KERB_INLINE int8x16_t sixteen(const std::uint8_t* from) {
    return vreinterpretq_s8_u8(vld1q_u8(from));
  }
  /// In the first lane.
  static KERB_INLINE int8x16_t four(const std::uint8_t* from) {
    std::int32_t word = 0;
    std::memcpy(&word, from, sizeof word);
    return vreinterpretq_s8_s32(vsetq_lane_s32(word, vdupq_n_s32(0), 0));
  }

  template <int kLane, int kCount>
  static KERB_INLINE void add(const std::int8_t* weights, const int8x16_t (&values)[kCount],
                              Sums (&sums)[kCount]) {
    const int8x16_t low = vld1q_s8(weights), high = vld1q_s8(weights + 16);
    for (int i = 0; i < kCount; ++i) {
      sums[i].low = vdotq_laneq_s32(sums[i].low, low, values[i], kLane);
      sums[i].high = vdotq_laneq_s32(sums[i].high, high, values[i], kLane);
    }
  }

  template <int kCount>
  static KERB_INLINE void sum(const PackedLayer& layer, int group, const std::uint8_t* const* from,
                              Sums* out) {
    constexpr int kStep = kGroup * kQuad;
    const std::int32_t* bias = layer.bias + group * kGroup;
    const std::uint8_t* at[kCount];
    Sums sums[kCount];
    for (int i = 0; i < kCount; ++i) {
      at[i] = from[i];
      sums[i] = {vld1q_s32(bias), vld1q_s32(bias + 4)};
    }
    const std::int8_t* weights = layer.weights + group * layer.group_bytes;
    for (int row = 0; row < layer.kernel_height; ++row) {
      std::ptrdiff_t quad = 0;
      for (; quad + 4 <= layer.quads; quad += 4, weights += 4 * kStep) {
        int8x16_t values[kCount];
        for (int i = 0; i < kCount; ++i) values[i] = sixteen(at[i] + quad * kQuad);
        add<0>(weights, values, sums);
        add<1>(weights + kStep, values, sums);
        add<2>(weights + 2 * kStep, values, sums);
        add<3>(weights + 3 * kStep, values, sums);
      }
      for (; quad < layer.quads; ++quad, weights += kStep) {
        int8x16_t values[kCount];
        for (int i = 0; i < kCount; ++i) values[i] = four(at[i] + quad * kQuad);
        add<0>(weights, values, sums);
      }
      for (int i = 0; i < kCount; ++i) at[i] += layer.in_row;
    }
    for (int i = 0; i < kCount; ++i) out[i] = sums[i];
  }

  static KERB_INLINE int32x4_t values_of(int32x4_t sums, const float* factor) {
    const float32x4_t most = vdupq_n_f32(static_cast<float>(kLevels));
    const float32x4_t product = vmulq_f32(vld1q_f32(factor), vcvtq_f32_s32(sums));
    return vcvtnq_s32_f32(vminq_f32(vmaxq_f32(product, vdupq_n_f32(0)), most));
  }
  static KERB_INLINE void put_values(const Sums& sums, const float* factor, std::uint8_t* to,
                                     bool whole) {
    const int16x8_t shorts = vcombine_s16(vmovn_s32(values_of(sums.low, factor)),
                                          vmovn_s32(values_of(sums.high, factor + 4)));
    const uint8x8_t bytes = vreinterpret_u8_s8(vmovn_s16(shorts));
    if (whole)
      vst1_u8(to, bytes);
    else
      std::memcpy(to, &bytes, kQuad);
  }
  static void put_products(const Sums& sums, const float* factor, float* to, int count) {
    float all[kGroup];
    vst1q_f32(all, vmulq_f32(vld1q_f32(factor), vcvtq_f32_s32(sums.low)));
    vst1q_f32(all + 4, vmulq_f32(vld1q_f32(factor + 4), vcvtq_f32_s32(sums.high)));
    std::memcpy(to, all, sizeof(float) * static_cast<std::size_t>(count));
  }
};

}  // namespace

ConvolutionLanes dot::convolution_lanes() noexcept {
  return {"dot", convolve<DotLanes>, finish<DotLanes>};
}

}  // namespace kerb::net
