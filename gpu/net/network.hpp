// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "hal/base/result.hpp"

/// A small convolutional network that looks at a detector's candidates again: plain data, the same
/// on every backend. It is stored in the detector's model file (gpu/hog/model_file.hpp).
namespace kerb::net {

inline constexpr int kLevels = 127;  ///< values between layers are 0..kLevels

/// A convolution. Of the values before it, with zeros beyond their edges:
///   sum    = bias + weight * value, over all inputs and the kernel: 32-bit integers
///   value' = factor * sum, rounded to the nearest integer (ties to even), cut to 0..kLevels
/// `factor * sum` is a product of two floats, the sum rounded to the nearest float first. The last
/// layer's results are these products, neither rounded nor cut.
struct Layer {
  int inputs = 0, outputs = 0;
  int kernel_width = 3, kernel_height = 3;
  int stride = 1;                    ///< both ways
  int padding = 1;                   ///< zeros on each side
  std::vector<std::int8_t> weights;  ///< [output][kernel row][kernel column][input], -127..127
  std::vector<std::int32_t> bias;    ///< of each output
  std::vector<float> factor;         ///< of each output; over 0
};

/// What the network sees: `width` x `height` pixels around a candidate, whose person is
/// `person_height` pixels tall there, with their middle in the middle. See crop.hpp.
struct CropShape {
  int width = 48, height = 96;
  int planes = 3;  ///< 3: R, G and B; 1: grey
  int person_height = 64;
};

/// The last layer gives four numbers:
///   0     the score: higher is more like a person
///   1, 2  how far right of and below the crop's middle the person's middle is, as a share of the
///         candidate's height
///   3     by how much the person is taller than the candidate, as a share of the candidate's
///         height
inline constexpr int kResults = 4;
struct Network {
  CropShape crop;
  std::vector<Layer> layers;
};

inline constexpr int kMaxCandidates = 128;  ///< of a picture
inline constexpr int kMaxLayers = 32, kMaxChannels = 256, kMaxKernel = 16, kMaxCropSide = 256;
/// Multiplications of one crop.
inline constexpr std::int64_t kMaxProducts = std::int64_t{256} << 20;

/// Sizes before and after each layer: layer i goes from sizes[i] to sizes[i + 1].
struct LayerSize {
  int width = 0, height = 0, channels = 0;
};

/// Done, or the first rule that is broken: sizes within the limits (those between layers too, and
/// the crop's are even) and matching from layer to layer, strides of 1..kMaxKernel, padding less
/// than the kernel's sides, a result of 1 x 1 x 4, tables of the right length, no weight of -128,
/// factors over 0 and finite, and sums that fit 32 bits and results that are finite whatever the
/// picture. Engines take only networks that pass.
Status validate(const Network& network);

/// Of a valid network.
[[nodiscard]] std::vector<LayerSize> sizes_of(const Network& network);
[[nodiscard]] std::int64_t products_of(const Network& network);

}  // namespace kerb::net
