// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/net/convolve.hpp"
#include "gpu/net/levels.hpp"
#include "gpu/net/network.hpp"

/// For gpu/net and its tests.
namespace kerb::net {

/// A network as the CPU runs it. Must be a valid one.
class PackedNetwork {
 public:
  explicit PackedNetwork(const Network& network);

  /// What one run() needs at a time; all zero before the first.
  [[nodiscard]] std::size_t scratch_bytes() const noexcept { return scratch_bytes_; }

  /// The results of a crop.
  ///   crop    planes * width * height samples, plane by plane
  ///   levels  what each of these samples is to the first layer
  void run(const ConvolutionLanes& lanes, const std::uint8_t* crop, const LevelTable& levels,
           std::uint8_t* scratch, float (&out)[kResults]) const noexcept;

 private:
  /// Values before a layer, with a border of zeros: [row][column][channel], channels padded to
  /// fours.
  struct Values {
    std::ptrdiff_t begin = 0;  // in the scratch memory, the border included
    std::ptrdiff_t first = 0;  // the first value within the border
    std::ptrdiff_t row = 0, pixel = 0;
  };
  void put_crop(const std::uint8_t* crop, const LevelTable& levels,
                std::uint8_t* scratch) const noexcept;
  void pack(const Layer& layer, PackedLayer& packed);

  CropShape crop_;
  std::vector<Values> values_;  // before each layer
  std::vector<PackedLayer> layers_;
  std::vector<std::vector<std::int8_t>> weights_;
  std::vector<std::vector<std::int32_t>> biases_;
  std::vector<std::vector<float>> factors_;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace kerb::net
