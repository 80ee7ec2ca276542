// SPDX-License-Identifier: Apache-2.0
#include "gpu/net/second_look_layout.hpp"

#include <algorithm>

namespace kerb::net::tiles {
namespace {

int parts(int count, int part) { return (count + part - 1) / part; }

/// Words from a pixel to the next. Eight lanes of a warp read from pixels next to each other,
/// `stride` apart, and four read words next to each other: all banks are different where the former
/// are an odd multiple of four words apart.
int words_of(int channels, int stride, bool spread) {
  const int least = parts(channels, kQuadBytes);
  if (!spread || least < 4) return least;
  for (int words = least; words < least + 8; ++words)
    if (stride * words % 8 == 4) return words;
  return least;
}

struct Values {
  int pixel = 0, row = 0, first = 0, bytes = 0;
};

Values values_before(const LayerSize& size, const Layer& layer, bool spread) {
  Values out;
  out.pixel = kQuadBytes * words_of(size.channels, layer.stride, spread);
  out.row = (size.width + 2 * layer.padding) * out.pixel;
  out.first = layer.padding * (out.row + out.pixel);
  out.bytes = parts((size.height + 2 * layer.padding) * out.row, 16) * 16;
  return out;
}

/// Tiles of outputs that a warp sums up at a time: with more, values are read less often, but fewer
/// warps have something to do.
int choose_group(int pixel_tiles, int output_tiles, int warps) {
  int best = 1, least = 0;
  for (const int group : {1, 2, 4}) {
    const int rounds = parts(pixel_tiles * parts(output_tiles, group), warps);
    const int cost = rounds * (6 + 3 * group);
    if (group > 1 && cost >= least) continue;
    best = group;
    least = cost;
  }
  return best;
}

std::uint32_t quad_of(const Layer& layer, int output, int quad, int quads_in_pixel) {
  const int place = quad / quads_in_pixel, first = quad % quads_in_pixel * kQuadBytes;
  const int places = layer.kernel_width * layer.kernel_height;
  std::uint32_t out = 0;
  if (output >= layer.outputs || place >= places) return out;
  for (int i = 0; i < kQuadBytes && first + i < layer.inputs; ++i) {
    const int at = (output * places + place) * layer.inputs + first + i;
    const auto weight = static_cast<std::uint8_t>(layer.weights[static_cast<std::size_t>(at)]);
    out |= std::uint32_t{weight} << (8 * i);
  }
  return out;
}

void add_tables(const Layer& layer, const Values& from, LayerTiles& tiles, NetworkTiles& out) {
  const int in_pixel = parts(layer.inputs, kQuadBytes);
  const int quads = in_pixel * layer.kernel_width * layer.kernel_height;
  tiles.steps = parts(quads, kQuads);
  const auto offset_of = [&](int quad) {
    const int place = quad / in_pixel;
    const int at = place / layer.kernel_width * from.row + place % layer.kernel_width * from.pixel +
                   quad % in_pixel * kQuadBytes;
    return quad < quads ? at : 0;  // those beyond have no weight
  };
  tiles.offsets_at = static_cast<std::int32_t>(out.offsets.size());
  for (int step = 0; step < tiles.steps; ++step)
    for (int i = 0; i < kQuads / 2; ++i)
      out.offsets.push_back(
          {offset_of(step * kQuads + i), offset_of(step * kQuads + i + kQuads / 2)});
  tiles.weights_at = static_cast<std::int32_t>(out.weights.size());
  for (int group = 0; group < tiles.output_groups; ++group)
    for (int step = 0; step < tiles.steps; ++step)
      for (int lane = 0; lane < kLanes; ++lane)
        for (int tile = 0; tile < tiles.group; ++tile) {
          const int output = output_of(group, tiles.group, tile, lane / 4);
          const int quad = step * kQuads + lane % 4;
          out.weights.push_back({quad_of(layer, output, quad, in_pixel),
                                 quad_of(layer, output, quad + kQuads / 2, in_pixel)});
        }
  tiles.outputs_at = static_cast<std::int32_t>(out.bias.size());
  out.bias.insert(out.bias.end(), layer.bias.begin(), layer.bias.end());
  out.factor.insert(out.factor.end(), layer.factor.begin(), layer.factor.end());
  const int padding = tiles.output_groups * tiles.group * kOutputs - layer.outputs;
  out.bias.resize(out.bias.size() + static_cast<std::size_t>(padding));
  out.factor.resize(out.bias.size());
}

}  // namespace

NetworkTiles lay_out(const Network& network, const LayoutChoice& choice) {
  NetworkTiles out;
  out.regions = choice.regions;
  const std::vector<LayerSize> sizes = sizes_of(network);
  const std::size_t count = network.layers.size();
  std::vector<Values> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(values_before(sizes[i], network.layers[i], choice.spread));
    std::size_t& bytes = out.region_bytes[i % static_cast<std::size_t>(choice.regions)];
    bytes = std::max(bytes, static_cast<std::size_t>(values.back().bytes));
  }
  const Values& crop = values.front();
  out.crop_first = crop.first;
  out.crop_row = crop.row;
  out.crop_bytes = crop.bytes;
  for (std::size_t i = 0; i < count; ++i) {
    const Layer& layer = network.layers[i];
    const Values& from = values[i];
    LayerTiles tiles;
    tiles.width = sizes[i + 1].width;
    tiles.pixels = sizes[i + 1].width * sizes[i + 1].height;
    tiles.pixel_tiles = parts(tiles.pixels, kPixels);
    const int output_tiles = parts(layer.outputs, kOutputs);
    tiles.group = choose_group(tiles.pixel_tiles, output_tiles, choice.blocks * kWarps);
    tiles.output_groups = parts(output_tiles, tiles.group);
    tiles.step_x = layer.stride * from.pixel;
    tiles.step_y = layer.stride * from.row;
    tiles.out_channels = layer.outputs;
    if (i + 1 < count) {
      const Values& to = values[i + 1];
      tiles.out_channels = parts(layer.outputs, kQuadBytes) * kQuadBytes;
      tiles.out_first = to.first;
      tiles.out_row = to.row;
      tiles.out_pixel = to.pixel;
      tiles.out_bytes = to.bytes;
    }
    add_tables(layer, from, tiles, out);
    out.layers.push_back(tiles);
  }
  return out;
}

}  // namespace kerb::net::tiles
