// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "gpu/net/network.hpp"

namespace kerb::lab {

/// A network as tools/net/train.py exports it: a JSON object with
///   crop    {width, height, planes, person_height}
///   layers  [{inputs, outputs, kernel_width, kernel_height, stride, padding, weights, bias,
///           factor}], as in gpu/net/network.hpp
/// The result is valid. Fails: damaged (no JSON, something missing, not a whole number where one
/// belongs), invalid_argument (it breaks a rule of net::validate()).
Result<net::Network> parse_network(std::string_view text);

/// The same from a file. Fails: also as files::read_text().
Result<net::Network> read_network(const std::string& path);

}  // namespace kerb::lab
