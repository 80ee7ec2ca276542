// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "gpu/net/crop.hpp"
#include "gpu/net/network.hpp"
#include "hal/vision.hpp"
#include "tests/support/random.hpp"

/// Networks and candidates for the tests of gpu/net, unit and gpu.
namespace kerb::test {

/// A layer without its inputs, which the one before has.
struct NetLayerCase {
  int outputs, kernel_width, kernel_height, stride, padding;
};

struct NetCase {
  const char* name;
  net::CropShape crop;
  std::vector<NetLayerCase> layers;
  bool extreme = false;  ///< weights of 127 and -127 alone
};

/// One that a detector has; then kernels, strides, channels and sizes that nobody would choose.
inline const std::vector<NetCase>& net_cases() {
  static const std::vector<NetCase> cases{
      {"typical",
       {48, 96, 3, 64},
       {{16, 3, 3, 2, 1},
        {32, 3, 3, 2, 1},
        {32, 3, 3, 1, 1},
        {64, 3, 3, 2, 1},
        {64, 3, 3, 1, 1},
        {96, 3, 3, 2, 1},
        {96, 3, 3, 1, 1},
        {128, 3, 6, 1, 0},
        {4, 1, 1, 1, 0}}},
      {"one layer", {6, 8, 1, 5}, {{4, 6, 8, 1, 0}}},
      {"one layer, colour", {16, 12, 3, 9}, {{4, 16, 12, 1, 0}}},
      {"odd channels",
       {10, 14, 3, 9},
       {{5, 3, 3, 1, 1}, {7, 5, 3, 2, 1}, {13, 1, 1, 1, 0}, {4, 4, 7, 1, 0}}},
      {"grey, padding of two",
       {12, 10, 1, 10},
       {{9, 3, 5, 2, 2}, {20, 3, 3, 1, 1}, {3, 1, 1, 2, 0}, {4, 4, 3, 1, 0}}},
      {"wide kernels",
       {20, 18, 3, 7},
       {{12, 4, 2, 1, 1}, {11, 5, 3, 2, 0}, {17, 2, 2, 1, 1}, {4, 9, 10, 1, 0}}},
      {"a stride of three",
       {31 + 1, 28, 1, 20},
       {{6, 2, 4, 3, 0}, {33, 3, 3, 1, 2}, {4, 13, 11, 1, 0}}},
      {"one channel", {8, 8, 1, 8}, {{1, 3, 3, 2, 1}, {1, 2, 2, 2, 0}, {4, 2, 2, 1, 0}}},
      {"most channels", {4, 6, 3, 6}, {{256, 3, 3, 1, 1}, {255, 3, 3, 2, 1}, {4, 2, 3, 1, 0}}},
      {"extreme", {16, 32, 3, 20}, {{24, 3, 3, 2, 1}, {40, 3, 3, 2, 1}, {4, 4, 8, 1, 0}}, true},
      {"extreme, one pixel's layers",
       {2, 2, 1, 2},
       {{256, 2, 2, 1, 0}, {256, 1, 1, 1, 0}, {4, 1, 1, 1, 0}},
       true}};
  return cases;
}

/// With random weights; values between layers are of all sizes, and many at either end.
inline net::Network random_network(const NetCase& c, std::uint64_t seed) {
  Random random{seed};
  const auto unit = [&] { return static_cast<double>(random.next() >> 11) * 0x1p-53; };
  net::Network out;
  out.crop = c.crop;
  int inputs = c.crop.planes;
  for (const NetLayerCase& l : c.layers) {
    net::Layer layer;
    layer.inputs = inputs;
    layer.outputs = l.outputs;
    layer.kernel_width = l.kernel_width;
    layer.kernel_height = l.kernel_height;
    layer.stride = l.stride;
    layer.padding = l.padding;
    const int count = l.kernel_width * l.kernel_height * inputs;
    for (int o = 0; o < l.outputs; ++o) {
      // Of the extreme ones some outputs have all products of one sign: the largest sums there are.
      const std::uint64_t kind = random.next() % 4;
      for (int i = 0; i < count; ++i) {
        const std::uint64_t r = random.next();
        const bool negative = kind < 2 ? kind == 1 : r % 2 == 0;
        const int any = static_cast<int>((r >> 8) % 255) - 127;
        layer.weights.push_back(
            static_cast<std::int8_t>(c.extreme ? (negative ? -127 : 127) : any));
      }
      const double usual = std::sqrt(count) * 73 * 60;
      layer.bias.push_back(static_cast<std::int32_t>((unit() - 0.3) * usual));
      layer.factor.push_back(static_cast<float>((0.5 + unit()) * (c.extreme ? 1000 : 64) / usual));
    }
    inputs = l.outputs;
    out.layers.push_back(layer);
  }
  // As of a detector: scores of a few, boxes that are corrected a little, and some too much.
  const double most[4] = {8, 0.3, 2, 1.5};
  for (std::size_t i = 0; i < 4; ++i)
    out.layers.back().factor[i] *= static_cast<float>(most[i] / 64);
  return out;
}

/// Boxes of all sizes, within the picture and over each of its edges.
inline std::vector<Detection> net_candidates(int count, int width, int height,
                                             const net::CropShape& crop, std::uint64_t seed) {
  Random random{seed};
  const auto unit = [&] { return static_cast<double>(random.next() >> 11) * 0x1p-53; };
  std::vector<Detection> out;
  for (int i = 0; i < count; ++i) {
    // Scales of 0.3 to 20; the first are exact ones.
    double scale = 0.3 * std::pow(20 / 0.3, unit() * unit());
    if (i < 6) scale = i < 3 ? i + 1.0 : 0.5;
    const double h = scale * crop.person_height, w = h * (0.3 + 0.3 * unit());
    const double x = -0.9 * w + (width + 0.8 * w) * unit();
    const double y = -0.9 * h + (height + 0.8 * h) * unit();
    out.push_back({static_cast<float>(x), static_cast<float>(y), static_cast<float>(w),
                   static_cast<float>(h), static_cast<float>(i)});
  }
  return out;
}

}  // namespace kerb::test
