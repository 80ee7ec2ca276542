// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "gpu/hog/model.hpp"

/// Models in files. Version 4, all numbers little-endian, one after the other without gaps. Older
/// versions are read as well: version 3 has no network, version 2 no advice for tracking, version 1
/// no advice at all, no scaling and no dense colour; what is missing has the default of model.hpp.
///   "KWMODEL\0"; u32 version; u32 size of the whole file
///   u8 kind (0 dense, 1 cascade); u8 length of the name, the name
///   advice: f32 threshold, scale step; i32 stride, padding; u8 fusion; f32 overlap; u8 of_smaller
///   geometry: i32 window width, height; f32 person x, y, width, height; u8 scaling
///   dense: u8 kind, u8 gamma, u8 colour; f32 sigma, clip, bias; u32 count of weights; f32 weights
///   cascade: u8 bins, half_shifted, magnitude, colour, cumulative; u32 count of stages, linear
///     learners, trees, nodes, leaves; then each of them in that order, its members in the order of
///     model.hpp
///   advice for tracking: f32 margin; f64 even, sure
///   u8 looks again (0, 1); if 1: f32 threshold, overlap; i32 most; f32 cascade_share; i32 width,
///     height, planes, person_height of a crop; u32 count of layers; of each layer i32 inputs,
///     outputs, kernel_width, kernel_height, stride, padding; u32 count of weights, bias, factors;
///     then i8 weights, i32 bias, f32 factors
///   u32 CRC-32 (as in zip and Ethernet) of everything before it
namespace kerb::hog {

inline constexpr std::uint32_t kModelFileVersion = 4;
inline constexpr std::size_t kMaxModelFile = std::size_t{64} << 20;

/// The file's bytes. `model` must be valid.
[[nodiscard]] std::vector<std::byte> serialise(const Model& model);

/// The model in these bytes; it is valid. Any other bytes give an error, never a crash, and never
/// take more memory than a small multiple of `size`. Fails: damaged (truncated, altered, not a
/// model), unsupported (another version), invalid_argument (intact, but the model breaks a rule).
Result<Model> parse(const std::byte* data, std::size_t size);

/// Replaces the file as a whole, or leaves it unchanged: a temporary file beside it is renamed when
/// complete. Fails: invalid_argument (the model), unsupported (over 64 MiB), io.
Status save(const Model& model, const std::string& path);

/// Fails: not_found, io, invalid_argument (not a regular file), and as parse().
Result<Model> load(const std::string& path);

}  // namespace kerb::hog
