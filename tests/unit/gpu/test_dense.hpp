// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/hog/engine.hpp"
#include "tests/unit/gpu/pictures.hpp"

/// Pictures and models for the tests of dense detectors, unit and gpu.
namespace kerb::test {

/// Grey and colour planes that are not the same picture: smooth slopes, sharp edges and some noise,
/// so that all bins, clipped blocks and empty ones come up. Rows are padded.
struct DenseScene {
  int width, height, stride;
  std::vector<std::uint8_t> bytes;  // grey, R, G, B

  DenseScene(int w, int h, std::uint64_t seed, int padding = 3)
      : width{w},
        height{h},
        stride{w + padding},
        bytes(static_cast<std::size_t>(stride) * static_cast<std::size_t>(h) * 4, 0xa5) {
    Random random{seed};
    for (int plane = 0; plane < 4; ++plane) {
      for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) at(plane, x, y) = static_cast<std::uint8_t>(60 + x / 3 + y / 5);
      for (int patch = 0; patch < 12 + w * h / 600; ++patch) {
        const auto pick = [&](int n) {
          return static_cast<int>(random.next() % static_cast<std::uint64_t>(n));
        };
        const int x0 = pick(w), y0 = pick(h), x1 = x0 + 1 + pick(w / 3 + 1);
        const int y1 = y0 + 1 + pick(h / 3 + 1), level = pick(256), slope = pick(9) - 4;
        const int noise = patch % 3 == 0 ? 1 + pick(60) : 1;
        for (int y = y0; y < y1 && y < h; ++y)
          for (int x = x0; x < x1 && x < w; ++x)
            at(plane, x, y) = static_cast<std::uint8_t>(level + slope * (x - y) + pick(noise));
      }
    }
  }
  std::uint8_t& at(int plane, int x, int y) {
    return *(bytes.data() + std::ptrdiff_t{plane * height + y} * stride + x);
  }
  [[nodiscard]] hog::Picture<Space::host> view(bool colour) const {
    hog::Picture<Space::host> picture;
    picture.grey = {bytes.data(), width, height, stride};
    if (colour)
      picture.rgb = {bytes.data() + stride * height, 3, width, height, stride,
                     std::ptrdiff_t{stride} * height};
    return picture;
  }
};

/// Random weights, a few of them 0.
inline hog::DenseModel random_dense(hog::DenseKind kind, int width, int height,
                                    std::uint64_t seed) {
  hog::DenseModel model;
  model.geometry = {
      width, height, 1, 1, static_cast<float>(width - 2), static_cast<float>(height - 2)};
  model.kind = kind;
  model.gamma = seed % 2 == 0;
  model.sigma = seed % 3 == 0 ? 4.0F : 5.5F;
  model.bias = 0.25F;
  Random random{seed};
  const int count = model.blocks_x() * model.blocks_y() * hog::DenseModel::kBlockValues;
  for (int i = 0; i < count; ++i) {
    const auto r = static_cast<std::int32_t>(random.next() % 2001) - 1000;
    model.weights.push_back(i % 17 == 0 ? 0.0F : static_cast<float>(r) / 5000.0F);
  }
  return model;
}

}  // namespace kerb::test
