// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/gpu/net_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/test.hpp"

namespace kerb::test {
namespace {

using Wide = std::int64_t;

Wide floor_div(Wide a, Wide b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

/// A picture's sample, the last ones repeated.
Wide sample(const Planes& picture, int plane, Wide x, Wide y) {
  return picture.at(plane, static_cast<int>(std::clamp<Wide>(x, 0, picture.width - 1)),
                    static_cast<int>(std::clamp<Wide>(y, 0, picture.height - 1)));
}

Wide position(Wide origin, const net::CropPlace& place, int i, int j) {
  const Wide taps = place.taps;
  return origin + floor_div((2 * (i * taps + j) + 1) * place.step, 2 * taps) - 32768;
}

std::size_t at(Wide index) { return static_cast<std::size_t>(index); }

}  // namespace

std::vector<std::uint8_t> plain_crop(const Planes& picture, const net::CropShape& shape,
                                     const net::CropPlace& place) {
  std::vector<std::uint8_t> out;
  const Wide all = Wide{256 * place.taps} * (256 * place.taps);
  for (int plane = 0; plane < shape.planes; ++plane)
    for (int y = 0; y < shape.height; ++y)
      for (int x = 0; x < shape.width; ++x) {
        Wide sum = 0;
        for (int v = 0; v < place.taps; ++v)
          for (int u = 0; u < place.taps; ++u) {
            const Wide px = position(place.left, place, x, u),
                       py = position(place.top, place, y, v);
            const Wide cx = floor_div(px, 65536), cy = floor_div(py, 65536);
            const Wide fx = floor_div(px - cx * 65536, 256), fy = floor_div(py - cy * 65536, 256);
            sum += (256 - fx) * (256 - fy) * sample(picture, plane, cx, cy) +
                   fx * (256 - fy) * sample(picture, plane, cx + 1, cy) +
                   (256 - fx) * fy * sample(picture, plane, cx, cy + 1) +
                   fx * fy * sample(picture, plane, cx + 1, cy + 1);
          }
        out.push_back(static_cast<std::uint8_t>((sum + all / 2) / all));
      }
  return out;
}

std::vector<std::uint8_t> plain_normalised(const net::CropShape& shape,
                                           const std::vector<std::uint8_t>& crop) {
  const Wide n = Wide{shape.width} * shape.height;
  Wide sum = 0, squares = 0;
  for (Wide i = 0; i < n; ++i) {
    Wide g = 0;
    for (int p = 0; p < shape.planes; ++p) g += crop[at(p * n + i)];
    sum += g;
    squares += g * g;
  }
  // Each operation of its own, so that nothing is fused.
  volatile float mean = static_cast<float>(sum) / static_cast<float>(n);
  volatile float variance = static_cast<float>(n * squares - sum * sum) / static_cast<float>(n * n);
  volatile float spread =
      std::max(std::sqrt(float{variance}), 3.0F * static_cast<float>(shape.planes));
  volatile float gain = 24.0F / spread;
  std::vector<std::uint8_t> out;
  for (const std::uint8_t s : crop) {
    volatile float difference = static_cast<float>(shape.planes * s) - mean;
    volatile float scaled = difference * gain;
    out.push_back(
        static_cast<std::uint8_t>(std::clamp(std::nearbyint(double{scaled}) + 64, 0.0, 127.0)));
  }
  return out;
}

std::vector<float> plain_results(const net::Network& network,
                                 const std::vector<std::uint8_t>& values) {
  int width = network.crop.width, height = network.crop.height, channels = network.crop.planes;
  std::vector<Wide> now(values.begin(), values.end());  // [channel][row][column]
  std::vector<float> results;
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const net::Layer& layer = network.layers[l];
    const int out_width = (width + 2 * layer.padding - layer.kernel_width) / layer.stride + 1;
    const int out_height = (height + 2 * layer.padding - layer.kernel_height) / layer.stride + 1;
    std::vector<Wide> next;
    results.clear();
    for (int o = 0; o < layer.outputs; ++o)
      for (int y = 0; y < out_height; ++y)
        for (int x = 0; x < out_width; ++x) {
          Wide sum = layer.bias[at(o)];
          for (int v = 0; v < layer.kernel_height; ++v)
            for (int u = 0; u < layer.kernel_width; ++u) {
              const int from_x = x * layer.stride + u - layer.padding;
              const int from_y = y * layer.stride + v - layer.padding;
              if (from_x < 0 || from_y < 0 || from_x >= width || from_y >= height) continue;
              for (int c = 0; c < channels; ++c)
                sum +=
                    layer.weights[at(
                        ((Wide{o} * layer.kernel_height + v) * layer.kernel_width + u) * channels +
                        c)] *
                    now[at((Wide{c} * height + from_y) * width + from_x)];
            }
          TEST_ASSERT_TRUE(sum == static_cast<std::int32_t>(sum));
          volatile float as_float = static_cast<float>(sum);
          volatile float product = as_float * layer.factor[at(o)];
          results.push_back(float{product});
          next.push_back(
              static_cast<Wide>(std::clamp(std::nearbyint(double{product}), 0.0, 127.0)));
        }
    now = next;
    width = out_width;
    height = out_height;
    channels = layer.outputs;
  }
  return results;
}

Detection plain_look(const net::Network& network, const Planes& picture,
                     const Detection& candidate) {
  const net::CropShape& shape = network.crop;
  net::CropPlace place;
  const double scale = double{candidate.h} / shape.person_height;
  place.step =
      static_cast<std::int32_t>(std::clamp(std::nearbyint(scale * 65536), 1024.0, 16777216.0));
  place.taps = 1;
  while (place.taps < 16 && place.taps * 65536 < place.step) ++place.taps;
  const auto origin = [&](float from, float side, int pixels) {
    const double middle = double{from} + double{side} / 2;
    return static_cast<Wide>(std::nearbyint(middle * 65536)) - Wide{place.step} * (pixels / 2);
  };
  place.left = origin(candidate.x, candidate.w, shape.width);
  place.top = origin(candidate.y, candidate.h, shape.height);
  const std::vector<float> r =
      plain_results(network, plain_normalised(shape, plain_crop(picture, shape, place)));
  TEST_ASSERT_EQUAL(4, r.size());
  volatile float right = std::clamp(r[1], -1.0F, 1.0F) * candidate.h;
  volatile float down = std::clamp(r[2], -1.0F, 1.0F) * candidate.h;
  volatile float growth = std::clamp(1 + r[3], 0.25F, 4.0F);
  volatile float w = candidate.w * growth, h = candidate.h * growth;
  volatile float half_w = w / 2, half_h = h / 2;
  volatile float middle_x = candidate.x + candidate.w / 2;
  volatile float middle_y = candidate.y + candidate.h / 2;
  middle_x = middle_x + right;
  middle_y = middle_y + down;
  return {middle_x - half_w, middle_y - half_h, w, h, r[0]};
}

}  // namespace kerb::test
