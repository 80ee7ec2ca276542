// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/net/crop.hpp"
#include "gpu/net/network.hpp"
#include "tests/unit/gpu/planes.hpp"

/// gpu/net in the plainest form: sample by sample, product by product, in 64 bits.
namespace kerb::test {

std::vector<std::uint8_t> plain_crop(const Planes& picture, const net::CropShape& shape,
                                     const net::CropPlace& place);
std::vector<std::uint8_t> plain_normalised(const net::CropShape& shape,
                                           const std::vector<std::uint8_t>& crop);
/// The four results for values 0..127, plane by plane.
std::vector<float> plain_results(const net::Network& network,
                                 const std::vector<std::uint8_t>& values);
/// What a second look makes of a candidate.
Detection plain_look(const net::Network& network, const Planes& picture,
                     const Detection& candidate);

}  // namespace kerb::test
