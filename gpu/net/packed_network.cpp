// SPDX-License-Identifier: Apache-2.0
#include "gpu/net/packed_network.hpp"

#include <cstring>

namespace kerb::net {
namespace {

std::size_t padded(int count, int to) {
  const int parts = (count + to - 1) / to, all = parts * to;
  return static_cast<std::size_t>(all);
}

}  // namespace

PackedNetwork::PackedNetwork(const Network& network) : crop_{network.crop} {
  const std::vector<LayerSize> sizes = sizes_of(network);
  const std::size_t count = network.layers.size();
  std::ptrdiff_t begin = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::ptrdiff_t border = network.layers[i].padding;
    Values v;
    v.begin = begin;
    v.pixel = static_cast<std::ptrdiff_t>(padded(sizes[i].channels, kQuad));
    v.row = (sizes[i].width + 2 * border) * v.pixel;
    v.first = begin + border * v.row + border * v.pixel;
    begin += (sizes[i].height + 2 * border) * v.row;
    begin = (begin + kAlignment - 1) / kAlignment * kAlignment;
    values_.push_back(v);
  }
  scratch_bytes_ = static_cast<std::size_t>(begin);

  for (std::size_t i = 0; i < count; ++i) {
    const Layer& layer = network.layers[i];
    const Values& from = values_[i];
    PackedLayer packed;
    packed.width = sizes[i + 1].width;
    packed.height = sizes[i + 1].height;
    packed.kernel_height = layer.kernel_height;
    packed.quads = layer.kernel_width * static_cast<int>(from.pixel) / kQuad;
    packed.in_row = from.row;
    packed.step_x = layer.stride * from.pixel;
    packed.step_y = layer.stride * from.row;
    packed.channels = layer.outputs;
    if (i + 1 < count) {
      packed.channels = static_cast<int>(values_[i + 1].pixel);
      packed.out_pixel = values_[i + 1].pixel;
      packed.out_row = values_[i + 1].row;
    }
    pack(layer, packed);
    layers_.push_back(packed);
  }
}

void PackedNetwork::pack(const Layer& layer, PackedLayer& packed) {
  const auto outputs = static_cast<std::size_t>(layer.outputs);
  const auto inputs = static_cast<std::size_t>(layer.inputs);
  const int places = layer.kernel_width * layer.kernel_height;
  const auto kernel = static_cast<std::size_t>(places);
  const std::size_t all = padded(layer.outputs, kGroup),
                    quads = padded(layer.inputs, kQuad) / kQuad;
  std::vector<std::int8_t> weights(all * kernel * quads * kQuad);
  for (std::size_t o = 0; o < outputs; ++o)
    for (std::size_t k = 0; k < kernel; ++k)
      for (std::size_t c = 0; c < inputs; ++c) {
        const std::size_t quad = ((o / kGroup) * kernel + k) * quads + c / kQuad;
        weights[(quad * kGroup + o % kGroup) * kQuad + c % kQuad] =
            layer.weights[(o * kernel + k) * inputs + c];
      }
  std::vector<std::int32_t> bias = layer.bias;
  std::vector<float> factor = layer.factor;
  bias.resize(all);
  factor.resize(all);
  weights_.push_back(std::move(weights));
  biases_.push_back(std::move(bias));
  factors_.push_back(std::move(factor));
  packed.groups = static_cast<int>(all / kGroup);
  packed.group_bytes = static_cast<std::ptrdiff_t>(kernel * quads * kQuad * kGroup);
  packed.weights = weights_.back().data();
  packed.bias = biases_.back().data();
  packed.factor = factors_.back().data();
}

void PackedNetwork::put_crop(const std::uint8_t* crop, const LevelTable& levels,
                             std::uint8_t* scratch) const noexcept {
  const Values& to = values_.front();
  const std::ptrdiff_t pixels = std::ptrdiff_t{crop_.width} * crop_.height;
  for (int y = 0; y < crop_.height; ++y) {
    const std::uint8_t* from = crop + std::ptrdiff_t{y} * crop_.width;
    std::uint8_t* row = scratch + to.first + y * to.row;
    for (int x = 0; x < crop_.width; ++x) {
      std::uint8_t four[kQuad] = {levels[from[x]], 0, 0, 0};
      if (crop_.planes == 3) {
        four[1] = levels[from[pixels + x]];
        four[2] = levels[from[2 * pixels + x]];
      }
      std::memcpy(row + x * kQuad, four, kQuad);
    }
  }
}

void PackedNetwork::run(const ConvolutionLanes& lanes, const std::uint8_t* crop,
                        const LevelTable& levels, std::uint8_t* scratch,
                        float (&out)[kResults]) const noexcept {
  put_crop(crop, levels, scratch);
  const std::size_t last = layers_.size() - 1;
  for (std::size_t i = 0; i < last; ++i)
    lanes.convolve(layers_[i], scratch + values_[i].begin, scratch + values_[i + 1].first);
  lanes.finish(layers_[last], scratch + values_[last].begin, out);
}

}  // namespace kerb::net
