// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hal/base/result.hpp"

namespace kerb::replay {

/// Whether `a` comes before `b` in natural order: "img2" before "img10".
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b) noexcept;

/// Paths of the pictures of a folder, told by their extension (png, jpg, jpeg, bmp, tif, tiff, pgm,
/// ppm, pnm, webp, in any case), in natural order. Fails: not_found (no such folder, or no picture
/// in it), io.
Result<std::vector<std::string>> list_pictures(const std::string& folder);

/// The whole of a file. Fails: not_found, io.
Result<std::vector<std::uint8_t>> read_file(const std::string& path);

/// False for a JPEG file that is truncated before its end marker: the decoder would fill it up with
/// grey and report success. True for all other files: the decoder checks them.
[[nodiscard]] bool is_whole(const std::vector<std::uint8_t>& file) noexcept;

}  // namespace kerb::replay
