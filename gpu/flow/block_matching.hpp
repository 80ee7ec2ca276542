// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "gpu/flow/flow.hpp"
#include "gpu/memory/workers.hpp"

namespace kerb::flow {

/// How alike two blocks are.
enum class Cost : std::uint8_t {
  ncc,  ///< normalised cross-correlation: blind to brightness and contrast
  ssd,  ///< sum of squared differences
  sad,  ///< sum of absolute differences
};
[[nodiscard]] const char* name_of(Cost cost) noexcept;  ///< "ncc", "ssd", "sad"

/// Block matching, coarse to fine. Both pictures are smoothed (1 2 1 each way) and halved (1 3 3 1)
/// level by level. On every level blocks of 8 x 8 pixels lie 4 pixels apart:
///   1. the smallest level tries every shift up to its radius; each further one the doubled vectors
///      of the block above and of eight blocks around that one (motion borders need them), then the
///      eight shifts around the best. The most alike wins, of equals the first.
///   2. `steps` steps of correlation with the interpolated second picture refine it to a fraction
///      of a pixel.
///   3. A block without texture takes the vector of the level above. A 5 x 5 median of the blocks'
///      vectors, component by component, ends the level.
/// Every pixel then gets the mean of the nine blocks' vectors around it, weighted by how near the
/// block is, how alike its middle looks, and how well its vector fits the pixel.
struct BlockMatchingSettings {
  Cost cost = Cost::ncc;
  int levels = 5;  ///< 1..kMaxLevels; small pictures have fewer
  int reach = 48;  ///< pixels, 1..256: the shifts the smallest level tries
  int steps = 2;   ///< 0..8; 0: whole pixels only
  float noise =
      0.5F;  ///< grey levels, 0..64: a block that deviates less from its mean has no texture
  float doubt = 0.5F;  ///< 0..1: vectors of lower quality are flagged kInconsistent
};

/// Fails: invalid_argument, naming the setting.
Status validate(const BlockMatchingSettings& settings);

/// The settings for motions of at most about `reach` pixels: the smallest level tries shifts up to
/// it, and there are only as many levels as leave 3 pixels to try there, as with the default of 48.
/// The result differs from the default's and depends on a smaller neighbourhood, as tiles need.
[[nodiscard]] BlockMatchingSettings within_reach(const BlockMatchingSettings& settings,
                                                 int reach) noexcept;

/// Block matching for pictures of one size on the context's backend. `quality` is 255 times the
/// correlation of the block the pixel is in with where its vector leads, less where the median
/// overruled that vector; 0 for a block without texture.
///   flags   kTexturePoor, kOutOfView, kInconsistent (see settings), else kValid; kMaskedOut
///   agree   CPU and CUDA: shifts, vectors, qualities and flags, bit for bit
///   zero    two equal pictures give exactly 0 everywhere; a shift by whole pixels is found exactly
///           wherever the blocks around do
/// The context, and on the CPU the workers, must outlive it. Fails: invalid_argument (settings,
/// size), unsupported, io or device (no memory).
Result<std::unique_ptr<Estimator>> make_block_matching(const Context& context, Workers& workers,
                                                       const BlockMatchingSettings& settings,
                                                       int width, int height);

/// For pictures too large for the memory: goes through them in tiles of about `tile` x `tile`
/// pixels, at least 64, each with what its vectors depend on around it (at most 976 pixels each way
/// with the default settings, less with within_reach()). The same result as whole, bit for bit.
/// Holds memory for one tile, or for the whole picture where tiles would take as much (its
/// windows() is then 1); takes pictures in any host memory (a mapped file, for instance). Fails: as
/// make_block_matching().
Result<std::unique_ptr<Estimator>> make_tiled_block_matching(const Context& context,
                                                             Workers& workers,
                                                             const BlockMatchingSettings& settings,
                                                             int width, int height, int tile);

}  // namespace kerb::flow
