// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "gpu/emd/distances.hpp"
#include "gpu/memory/stream.hpp"

/// A target's mean signature, and its place in a picture of distances. Integers throughout: the
/// same on both backends.
namespace kerb::emd {

/// In pixels of the picture the signatures are of.
struct Box {
  std::int32_t x = 0, y = 0, width = 0, height = 0;
};

/// The mean signature of a target, finer than a signature itself, so that many small updates add
/// up instead of being rounded away.
class TargetModel {
 public:
  static constexpr std::uint32_t kWhole = 1U << 24;  ///< what the shares sum up to

  /// From the pixels of a box, as far as it lies in the picture. A pixel's weight is its distance
  /// from the box's rim, across times down, because corners show the background. Signatures whose
  /// mass is not `mass` are ignored. Fails: invalid_argument (bins, mass, no picture; a box outside
  /// it; no valid signature).
  static Result<TargetModel> learn(const ImageView<Space::host, const Signature>& picture,
                                   const Box& box, int bins, int mass);

  /// Moves by `part` 256ths towards the new signature; 0..256. Both must have the same bins.
  void update(const TargetModel& seen, int part) noexcept;

  /// The argument for Distances::set_targets(): the shares of `mass`, by largest remainders.
  [[nodiscard]] Signature signature() const noexcept;
  [[nodiscard]] int bins() const noexcept { return bins_; }
  [[nodiscard]] const std::array<std::uint32_t, kMaxBins>& shares() const noexcept {
    return shares_;
  }

 private:
  int bins_ = 0, mass_ = 0;
  std::array<std::uint32_t, kMaxBins> shares_{};
};

/// The cost that stands for a distance (in the ground's own numbers, for a unit of mass).
[[nodiscard]] std::uint32_t cost_of_distance(const Ground& ground, int mass,
                                             double distance) noexcept;

/// Costs become likelihoods: 255 for none, 0 from `reach` on and for kNoDistance, between them
/// falling as a square. x = (reach - cost) * 255 / reach, rounded down; then x * x / 255, to the
/// nearest.
///   costs     `targets` of them, each `count` costs, `costs_stride` apart
///   out       the same in bytes, `out_stride` apart
///   costs     one launch; allocates nothing, synchronises nothing
///   fails     invalid_argument (no memory, no reach, more than kMaxTargets), device, unsupported
///             (built without CUDA)
Status likelihoods(StreamRef stream, const std::uint32_t* costs, std::size_t costs_stride,
                   std::size_t count, int targets, std::uint32_t reach, std::uint8_t* out,
                   std::size_t out_stride);

/// Where a target was found. `mean` is the mean likelihood of the box's pixels, in 256ths.
struct Found {
  Box box;
  std::uint32_t mean = 0;
  std::int32_t steps = 0;  ///< mean shift: iterations it took
};

inline constexpr int kMaxBoxSide = 4096;
inline constexpr int kMaxShifts = 64;

/// Mean shift: the box moves to the centre of the likelihoods in it, rounded to whole pixels and
/// kept in the picture, until it stays, would go back to where it just was, or has moved `most`
/// times. Where there is no likelihood at all it stays. Plane t is target t's.
///   found     in: the boxes to begin with, within the picture; out: where they went. Of the
///             space the planes are in. What is not within the picture stays, with mean 0.
///   costs     one launch for all targets
///   fails     invalid_argument (no planes, more than kMaxTargets, `most` not 1..kMaxShifts),
///   device,
///             unsupported (built without CUDA)
Status mean_shift(StreamRef stream, const PlanesView<Space::device, const std::uint8_t>& planes,
                  int most, Found* found);

/// The place in a search region where a box of a given size holds the most likelihood; the first of
/// equals, by rows.
struct Search {
  Box region;                          ///< within the picture
  std::int32_t width = 0, height = 0;  ///< of the box; fits into the region
};
///   searches, found   one a target, of the space the planes are in. A search that does not fit
///   gives
///                     an empty box.
///   costs, fails      as mean_shift()
Status find_peaks(StreamRef stream, const PlanesView<Space::device, const std::uint8_t>& planes,
                  const Search* searches, Found* found);

/// The same contracts on the CPU, done on return: the definition.
namespace cpu {
Status likelihoods(Workers& workers, const std::uint32_t* costs, std::size_t costs_stride,
                   std::size_t count, int targets, std::uint32_t reach, std::uint8_t* out,
                   std::size_t out_stride);
Status mean_shift(const PlanesView<Space::host, const std::uint8_t>& planes, int most,
                  Found* found);
Status find_peaks(const PlanesView<Space::host, const std::uint8_t>& planes, const Search* searches,
                  Found* found);
}  // namespace cpu

}  // namespace kerb::emd
