// SPDX-License-Identifier: Apache-2.0
#include "gpu/net/network.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace kerb::net {
namespace {

Error broken(const char* rule) { return Error{Errc::invalid_argument, 0, "network", rule}; }

int results_along(int side, int kernel, const Layer& layer) {
  const int room = side + 2 * layer.padding - kernel;
  return room < 0 ? 0 : room / layer.stride + 1;
}

LayerSize size_after(const LayerSize& before, const Layer& layer) {
  return {results_along(before.width, layer.kernel_width, layer),
          results_along(before.height, layer.kernel_height, layer), layer.outputs};
}

LayerSize size_of(const CropShape& crop) { return {crop.width, crop.height, crop.planes}; }

std::int64_t products_of(const LayerSize& after, const Layer& layer) {
  return std::int64_t{after.width} * after.height * layer.outputs * layer.inputs *
         layer.kernel_width * layer.kernel_height;
}

bool within(int value, int least, int most) { return value >= least && value <= most; }

/// An output's sums, whatever comes before it.
Status check_sums(const Layer& layer, std::size_t output) {
  const std::size_t count = layer.weights.size() / layer.bias.size();
  std::int64_t least = layer.bias[output], most = least;
  for (std::size_t i = output * count; i < (output + 1) * count; ++i) {
    const std::int8_t weight = layer.weights[i];
    if (weight < -127) return broken("weights: -127..127");
    (weight < 0 ? least : most) += std::int64_t{kLevels} * weight;
  }
  if (least < std::numeric_limits<std::int32_t>::min() ||
      most > std::numeric_limits<std::int32_t>::max())
    return broken("sums: more than 32 bits");
  const float factor = layer.factor[output];
  if (!(factor > 0) || !std::isfinite(factor)) return broken("factors: over 0 and finite");
  if (!std::isfinite(factor * static_cast<float>(std::max(-least, most))))
    return broken("factors: finite results");
  return Done{};
}

Status check_layer(const Layer& layer, const LayerSize& before) {
  struct Rule {
    bool holds;
    const char* text;
  };
  for (const Rule& rule :
       {Rule{layer.inputs == before.channels, "inputs: as many as there are values before it"},
        Rule{within(layer.outputs, 1, kMaxChannels), "outputs: 1..256"},
        Rule{
            within(layer.kernel_width, 1, kMaxKernel) && within(layer.kernel_height, 1, kMaxKernel),
            "kernels: sides of 1..16"},
        Rule{within(layer.stride, 1, kMaxKernel), "stride: 1..16"},
        Rule{
            layer.padding >= 0 && layer.padding < std::min(layer.kernel_width, layer.kernel_height),
            "padding: 0 or more, less than the kernel's sides"}})
    if (!rule.holds) return broken(rule.text);
  const LayerSize after = size_after(before, layer);
  if (!within(after.width, 1, kMaxCropSide) || !within(after.height, 1, kMaxCropSide))
    return broken("sizes between layers: sides of 1..256");
  const auto outputs = static_cast<std::size_t>(layer.outputs);
  const int kernel = layer.kernel_width * layer.kernel_height * layer.inputs;
  if (layer.weights.size() != outputs * static_cast<std::size_t>(kernel))
    return broken("weights: one for each output, place of the kernel and input");
  if (layer.bias.size() != outputs || layer.factor.size() != outputs)
    return broken("bias and factor: one for each output");
  for (std::size_t output = 0; output < outputs; ++output)
    if (Status ok = check_sums(layer, output); !ok) return ok;
  return Done{};
}

}  // namespace

Status validate(const Network& network) {
  const CropShape& crop = network.crop;
  for (const int side : {crop.width, crop.height})
    if (!within(side, 2, kMaxCropSide) || side % 2 != 0)
      return broken("crop: even sides of 2..256 pixels");
  if (crop.planes != 1 && crop.planes != 3) return broken("crop: 1 plane (grey) or 3 (R, G, B)");
  if (!within(crop.person_height, 1, crop.height))
    return broken("crop: a person of 1 pixel up to the crop's height");
  if (!within(static_cast<int>(std::min<std::size_t>(network.layers.size(), kMaxLayers + 1)), 1,
              kMaxLayers))
    return broken("layers: 1..32");
  LayerSize size = size_of(crop);
  std::int64_t products = 0;
  for (const Layer& layer : network.layers) {
    if (Status ok = check_layer(layer, size); !ok) return ok;
    size = size_after(size, layer);
    products += products_of(size, layer);
  }
  if (size.width != 1 || size.height != 1 || size.channels != kResults)
    return broken("results: 1 x 1 x 4");
  if (products > kMaxProducts) return broken("more than 2^28 multiplications");
  return Done{};
}

std::vector<LayerSize> sizes_of(const Network& network) {
  std::vector<LayerSize> sizes{size_of(network.crop)};
  for (const Layer& layer : network.layers) sizes.push_back(size_after(sizes.back(), layer));
  return sizes;
}

std::int64_t products_of(const Network& network) {
  std::int64_t products = 0;
  LayerSize size = size_of(network.crop);
  for (const Layer& layer : network.layers) {
    size = size_after(size, layer);
    products += products_of(size, layer);
  }
  return products;
}

}  // namespace kerb::net
