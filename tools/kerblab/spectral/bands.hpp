// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "hal/base/result.hpp"
#include "hal/base/view.hpp"

namespace kerb::lab {

/// Where bands come from: one of
///   picture              blue, green, red of a colour picture
///   picture, thermal     the same, and a thermal picture of the same size
///   picture, mosaic      a snapshot camera's picture under a square pattern of filters, mosaic a
///                        side
///   picture, beside      bands side by side in one picture, so many of them, as `kerblab sim
///                        render` writes them
///   cube                 the header of an ENVI datacube, cut into `bands`
struct BandSource {
  std::string picture, thermal, cube;
  int mosaic = 0, beside = 0, bands = 11;
  /// Of the mosaic's or the picture's bands, in nanometres; empty: not known.
  std::vector<double> nanometres;
  int smooth = 1;  ///< each sample becomes the mean of N x N samples; odd
};

/// A picture of several bands, in 16 bits.
struct Bands {
  int width = 0, height = 0;
  std::vector<std::uint16_t> samples;  ///< plane by plane
  std::vector<std::string> names;      ///< one a plane
  /// Position of each band on a line, for a ground distance: in units of 100 nm, with thermal bands
  /// (beyond 3000 nm) 200 nm beyond the longest other wavelength. Bands of unknown wavelength lie 1
  /// apart.
  std::vector<double> places;
  /// What a colour camera sees, plane by plane: blue, green and red, or the bands nearest to them.
  /// Where wavelengths are not known: the first, middle and last.
  std::vector<std::uint16_t> three;
  cv::Mat shown;                         ///< the same to look at, CV_8UC3
  std::vector<std::uint8_t> grey, heat;  ///< of colour and thermal pictures, as they were

  [[nodiscard]] int count() const noexcept { return static_cast<int>(names.size()); }
  [[nodiscard]] std::size_t area() const noexcept {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
  [[nodiscard]] const std::uint16_t* plane(int index) const noexcept {
    return samples.data() + static_cast<std::size_t>(index) * area();
  }
};

/// Fails, naming what is wrong: invalid_argument (no source or two; sizes that differ or cannot be
/// divided; fewer than 2 bands, or more than 16; a cube of floats with one below zero, or none
/// above), and as the files' readers. A cube's floats are all multiplied alike, the largest becomes
/// 60000.
Result<Bands> load_bands(const BandSource& source);

}  // namespace kerb::lab
