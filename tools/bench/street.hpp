// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

namespace kerb::bench {

/// A street that no camera saw, in grey, `width` samples a row: houses with windows, a road with
/// its lines, people of several sizes, parked cars, grain. The same on every machine for the same
/// arguments, and much the same street in every size. For benchmarks where no real picture may be
/// shipped: its gradients are about as many as a real street's.
[[nodiscard]] std::vector<std::uint8_t> street_picture(int width, int height,
                                                       std::uint64_t seed = 1);

/// The same street in colour: R, G and B planes, one after the other. Whatever was painted with one
/// grey has one tint, so that every edge is one of colour too.
[[nodiscard]] std::vector<std::uint8_t> street_colours(int width, int height,
                                                       std::uint64_t seed = 1);

}  // namespace kerb::bench
