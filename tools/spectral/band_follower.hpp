// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/emd/matcher.hpp"
#include "hal/frame_source.hpp"

namespace kerb::spectral {

/// The region of the search: beside the upper body, in units of the person's height. It extends
/// only sideways: coat and trousers may be of the same cloth, so vertically the position is not
/// defined.
[[nodiscard]] Detection beside(const Detection& body, float tall) noexcept;

/// Follows one upper body through the pictures of a mosaic camera by its bands, as the product does
/// where its detector finds nobody: the model is learned from the first picture, then goes slowly
/// with what was found. One thread at a time.
class BandFollower {
 public:
  /// `context` and `workers` outlive it. `draws`: likeness() will be asked for. Fails: as
  /// EmdMatcher::create().
  static Result<BandFollower> create(const Context& context, Workers& workers,
                                     const FrameSourceInfo& source,
                                     const EmdMatcherSettings& settings, bool draws);

  /// The next picture, 8 bits a pixel, without gaps; not needed afterwards. Fails: as
  /// cpu::split_mosaic().
  Status show(const std::uint8_t* pixels);
  /// Learns the upper body of a person of this height from the picture. Fails: invalid_argument
  /// (too small, or outside), and as the matcher.
  Status begin(const Detection& body, float tall);
  /// Moves the body to where it is likeliest in the picture, and learns from there; where nothing
  /// is like it, it stays. Fails: as the matcher.
  Status follow(Detection& body);
  /// Likeness of every sample of the picture, row by row; 255 is the highest. Calling it does not
  /// change the following. Fails: unsupported (it does not draw), and as the matcher.
  Result<std::vector<std::uint8_t>> likeness();

  [[nodiscard]] int width() const noexcept { return info_.width / info_.mosaic; }  ///< samples
  [[nodiscard]] int height() const noexcept { return info_.height / info_.mosaic; }

 private:
  BandFollower(std::unique_ptr<SpectralMatcher> matcher, std::unique_ptr<SpectralMatcher> drawing,
               const FrameSourceInfo& info);
  Result<bool> learn(const Detection& body, float share);

  std::unique_ptr<SpectralMatcher> matcher_;
  std::unique_ptr<SpectralMatcher> drawing_;  // each look counts for the light: these not for ours
  FrameSourceInfo info_;
  std::vector<std::uint16_t> planes_;
  PreparedImage image_;
  float tall_ = 0;
};

}  // namespace kerb::spectral
