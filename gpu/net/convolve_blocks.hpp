// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpu/image/simd.hpp"
#include "gpu/net/convolve.hpp"

/// The walk over a layer's results, for the lanes its source is compiled for. For convolve*.cpp
/// alone, which define a `Lanes`:
///   Sums                      of one pixel and a group of outputs
///   sum<kCount>(...)          adds up kCount pixels, whose weights are loaded once for all
///   put_values, put_products  what becomes of the sums
namespace kerb::net {
namespace {

constexpr int kBlock = 6;  // pixels at a time: as many as registers allow

template <typename Lanes, int kCount>
void convolve_block(const PackedLayer& layer, int group, const std::uint8_t* const* from,
                    std::uint8_t* const* to) {
  typename Lanes::Sums sums[kCount];
  Lanes::template sum<kCount>(layer, group, from, sums);
  const int first = group * kGroup;
  const bool whole = first + kGroup <= layer.channels;  // else four
  for (int i = 0; i < kCount; ++i)
    Lanes::put_values(sums[i], layer.factor + first, to[i] + first, whole);
}

template <typename Lanes>
void convolve(const PackedLayer& layer, const std::uint8_t* in, std::uint8_t* out) noexcept {
  using Block = void (*)(const PackedLayer&, int, const std::uint8_t* const*, std::uint8_t* const*);
  static constexpr Block kBlocks[kBlock + 1] = {nullptr,
                                                convolve_block<Lanes, 1>,
                                                convolve_block<Lanes, 2>,
                                                convolve_block<Lanes, 3>,
                                                convolve_block<Lanes, 4>,
                                                convolve_block<Lanes, 5>,
                                                convolve_block<Lanes, 6>};
  const int count = layer.width * layer.height;
  for (int group = 0; group < layer.groups; ++group) {
    const std::uint8_t* from[kBlock];
    std::uint8_t* to[kBlock];
    int x = 0, y = 0;
    for (int done = 0; done < count;) {
      int block = 0;
      for (; block < kBlock && done < count; ++block, ++done) {
        from[block] = in + y * layer.step_y + x * layer.step_x;
        to[block] = out + y * layer.out_row + x * layer.out_pixel;
        if (++x < layer.width) continue;
        x = 0;
        ++y;
      }
      kBlocks[block](layer, group, from, to);
    }
  }
}

template <typename Lanes>
void finish(const PackedLayer& layer, const std::uint8_t* in, float* out) noexcept {
  typename Lanes::Sums sums[1];
  Lanes::template sum<1>(layer, 0, &in, sums);
  Lanes::put_products(sums[0], layer.factor, out, layer.channels);
}

}  // namespace
}  // namespace kerb::net
