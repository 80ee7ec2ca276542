// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "hal/base/result.hpp"
#include "tools/flow/field.hpp"

namespace kerb::lab {

/// Middlebury's .flo: "PIEH", width and height as 32-bit integers, then u and v of each pixel as
/// 32-bit floats, row by row, all little-endian.
/// Fails, naming the file and what was expected: damaged (also a side over 65535).
Result<Field> parse_flo(std::string_view bytes, const std::string& name);
/// Fails, besides: not_found, io, invalid_argument (not a regular file).
Result<Field> read_flo(const std::string& path);
/// The bytes of such a file.
[[nodiscard]] std::string to_flo(const Field& field);

}  // namespace kerb::lab
