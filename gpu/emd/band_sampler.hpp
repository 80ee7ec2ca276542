// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "gpu/emd/band_layout.hpp"
#include "gpu/emd/signatures.hpp"
#include "gpu/emd/targets.hpp"
#include "gpu/memory/workers.hpp"
#include "hal/frame_source.hpp"
#include "hal/vision.hpp"

namespace kerb::emd {

/// A part of a band's plane in places of `step` x `step` samples.
struct PlaceGrid {
  int x = 0, y = 0, width = 0, height = 0, step = 1;
  [[nodiscard]] std::size_t count() const noexcept {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  }
};

/// Signatures of places of a mosaic camera's pictures. Each band is averaged over the place and,
/// with lower weight, its neighbours in the grid (1 2 1 in each direction: cloth is larger than a
/// place, noise is not); bands are scaled to equal mean brightness over the last pictures, and
/// grouped into bins (BandLayout) with one more bin for the dark. Integers throughout, on the CPU.
/// One thread at a time; allocates only when constructed.
class BandSampler {
 public:
  /// Of at most `most` places at once, with the mass `mass`. `source` has a mosaic, and `layout` as
  /// many bands; `workers` outlives it.
  BandSampler(Workers& workers, const FrameSourceInfo& source, const BandLayout& layout, int mass,
              std::size_t most);

  /// Whether the picture has the bands this was made for.
  [[nodiscard]] bool fits(const PreparedImage& image) const noexcept;
  /// A box, in pixels of the picture, as far as it is in it: in places of `step` samples, or larger
  /// ones where there would be more than `most`.
  [[nodiscard]] PlaceGrid grid_of(const Detection& box, int step, int most) const noexcept;
  /// The same with a place more on each side, as far as that is in the picture; `inside` is where
  /// the grid itself lies in it.
  [[nodiscard]] PlaceGrid with_margin(const PlaceGrid& grid, Box& inside) const noexcept;
  /// Updates the bands' mean brightness. The picture must fit.
  void balance(const PreparedImage& image) noexcept;
  /// Whether a mean brightness is known.
  [[nodiscard]] bool balanced() const noexcept { return balanced_; }
  /// The signatures of a grid's places, row by row. The picture fits. Fails: as band_signatures().
  Status sign(const PreparedImage& image, const PlaceGrid& grid, Signature* out);

  [[nodiscard]] int bins() const noexcept { return settings_.bands; }  ///< with the dark
  [[nodiscard]] int mosaic() const noexcept { return mosaic_; }  ///< pixels a side of a sample

 private:
  void smooth(std::uint16_t* plane, const PlaceGrid& grid) noexcept;

  Workers& workers_;
  const int mosaic_, bands_, width_, height_;
  const BandLayout layout_;
  BandSettings settings_;
  std::array<std::uint32_t, kMaxBins> means_{};  // in 256ths
  std::uint16_t dark_ = 1;
  bool balanced_ = false;
  std::vector<std::uint16_t> samples_, rows_;  // all bins of a grid's places; one, in the making
};

}  // namespace kerb::emd
