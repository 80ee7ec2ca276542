// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hal/base/result.hpp"

namespace kerb::spectral {

/// A datacube: for each pixel a sample of every band.
struct Cube {
  int width = 0, height = 0, bands = 0;
  std::vector<float> samples;       ///< band by band, each by rows
  std::vector<double> wavelengths;  ///< of the bands, in nanometres; empty: the file does not tell
  bool are_floats = false;          ///< samples are in a unit of the file's own, such as 0..1

  [[nodiscard]] std::size_t area() const noexcept {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
  [[nodiscard]] const float* band(int index) const noexcept {
    return samples.data() + static_cast<std::size_t>(index) * area();
  }
};

/// Reads an ENVI cube: a text header NAME.hdr and beside it the samples, NAME, NAME.img, NAME.dat
/// or NAME.raw. Samples are bytes, 16-bit whole numbers with or without sign, or 32-bit floats
/// (data type 1, 2, 12, 4), of either byte order, in any of the three orders (bsq, bil, bip).
/// Wavelengths in micrometres become nanometres. Fails, naming file and line: not_found, io,
/// damaged (a header without what is needed, a file that is too short, a sample that is not a
/// number), unsupported (another data type).
Result<Cube> read_envi(const std::string& header);

/// `count` bands cut from a cube: its bands in so many runs of neighbours by wavelength (by number
/// where there are none), as equal as can be, and the mean of each; negative samples count as 0.
/// Fails: invalid_argument (fewer than 1, or more than the cube has).
Result<Cube> cut_bands(const Cube& cube, int count);

/// The band nearest to a wavelength. The cube must have wavelengths.
[[nodiscard]] int nearest_band(const Cube& cube, double nanometres) noexcept;

}  // namespace kerb::spectral
