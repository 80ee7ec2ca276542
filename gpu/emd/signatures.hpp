// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "gpu/emd/ground.hpp"
#include "gpu/memory/stream.hpp"
#include "gpu/memory/workers.hpp"
#include "hal/base/view.hpp"

/// Signatures of the pixels of a picture. Integers throughout: the same on both backends, so that
/// equal appearance gives equal keys.
namespace kerb::emd {

/// Which bin each grey level belongs to.
using GreyBins = std::array<std::uint8_t, 256>;
/// Equally wide: g * bins / 256. `bins` 2..16.
[[nodiscard]] GreyBins even_bins(int bins) noexcept;
/// Equally full, by a picture's histogram: level g belongs to the bin of its middle rank. A change
/// of exposure that keeps the order of the levels does not change the bins. An empty histogram:
/// even ones.
[[nodiscard]] GreyBins equalised_bins(const std::array<std::uint32_t, 256>& histogram,
                                      int bins) noexcept;
/// Counts the levels of a picture, for equalised_bins(). Fails: invalid_argument (no picture).
Status count_levels(const ImageView<Space::host, const std::uint8_t>& in,
                    std::array<std::uint32_t, 256>& histogram);

/// Local histograms, as in the paper: how many pixels of the window around each belong to each
/// bin. Beyond the picture's rim its outermost pixels are repeated, so that the mass is always
/// mass().
struct WindowSettings {
  int bins = 11;
  int window = 11;  ///< side in pixels: odd, 1..15
  GreyBins levels = even_bins(11);
  [[nodiscard]] int mass() const noexcept { return window * window; }
};
///   in      row_stride >= width
///   out     width x height signatures, not overlapping `in`
///   costs   one launch; allocates nothing, synchronises nothing, keeps no state
///   fails   invalid_argument (the above; a level beyond the bins), device, unsupported (built
///           without CUDA)
Status window_signatures(StreamRef stream, const ImageView<Space::device, const std::uint8_t>& in,
                         const WindowSettings& settings,
                         const ImageView<Space::device, Signature>& out);

/// Bands of a multispectral camera, one a bin: the planes split_mosaic() makes, or colour planes
/// with the thermal one beside them. Of each sample black is taken off, what is left is multiplied
/// with the band's gain, and of their sum each band gets its share of the mass:
///   v = max(0, sample - black) * gain / 256, rounded down
///   bin = v * mass / sum of v, rounded down; what is missing of the mass goes, 1 each, to the bins
///         that lost most by rounding, the first of equals first
/// Dividing by the sum takes exposure out; the gains (white_gains()) take the light's colour out.
/// A pixel without any light has an empty signature, which distances refuse.
struct BandSettings {
  int bands = 4;        ///< 2..16
  int mass = kMaxMass;  ///< 1..255
  std::array<std::uint16_t, kMaxBins> black{};
  std::array<std::uint16_t, kMaxBins> gain = even_gains();  ///< in 256ths, up to 16 times

  [[nodiscard]] static constexpr std::array<std::uint16_t, kMaxBins> even_gains() noexcept {
    std::array<std::uint16_t, kMaxBins> gains{};
    for (auto& g : gains) g = 256;
    return gains;
  }
};
/// Gains that make a surface of these means grey: each band becomes as bright as the brightest, at
/// most 16 times. A band without light keeps its gain of 1.
[[nodiscard]] std::array<std::uint16_t, kMaxBins> white_gains(
    const std::array<std::uint32_t, kMaxBins>& means, int bands) noexcept;

///   in      `bands` planes of one size; bytes, or 16-bit samples
///   out     as many signatures as a plane has samples, not overlapping `in`
///   costs, fails   as window_signatures()
template <typename T>
Status band_signatures(StreamRef stream, const PlanesView<Space::device, const T>& in,
                       const BandSettings& settings,
                       const ImageView<Space::device, Signature>& out);

/// A signature of `mass` in the same proportions as `weights`, by the rule above: what a target is
/// quantised with. Fails: invalid_argument (number of bins; mass not 1..255; a weight that is
/// negative or not a number; none above zero).
Result<Signature> quantise(const float* weights, int bins, int mass);

/// The same contracts on the CPU, done on return: the definition.
namespace cpu {
Status window_signatures(Workers& workers, const ImageView<Space::host, const std::uint8_t>& in,
                         const WindowSettings& settings,
                         const ImageView<Space::host, Signature>& out);
template <typename T>
Status band_signatures(Workers& workers, const PlanesView<Space::host, const T>& in,
                       const BandSettings& settings, const ImageView<Space::host, Signature>& out);
}  // namespace cpu

}  // namespace kerb::emd
