// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "firmware/diagnostics/dtc_memory.hpp"
#include "hal/base/result.hpp"

/// The file that keeps the trouble codes: a head, the entries, a CRC over both. It is always
/// replaced as a whole, so a power cut leaves the old one or the new one.
namespace kerb::diagnostics {

/// The bytes of a file.
[[nodiscard]] std::vector<std::byte> encode(const DtcImage& image);
/// An image; that of a version with fewer causes is continued. Fails: damaged (not such a file, cut
/// off, wrong CRC).
Result<DtcImage> decode(std::span<const std::byte> bytes);

/// Reads a file. Fails: not_found, damaged, io.
Result<DtcImage> load_image(const std::string& path);
/// Replaces a file: writes PATH.new, syncs it, renames it, syncs the folder. Makes the folders.
/// Fails: io, with its errno; the file is then as before.
Status save_image(const std::string& path, const DtcImage& image);

}  // namespace kerb::diagnostics
