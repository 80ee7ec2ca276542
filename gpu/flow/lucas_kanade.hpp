// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "gpu/flow/flow.hpp"
#include "gpu/memory/workers.hpp"

namespace kerb::flow {

/// Pyramidal, iterative Lucas-Kanade at every pixel. README.md explains the computation.
struct LucasKanadeSettings {
  PyramidSettings pyramid{0, 13};
  int iterations = 5;         ///< warps and solutions a level; 1..32
  int finest_iterations = 2;  ///< ... at full size, where each costs four times one of the next
  int reach = 500;            ///< pixels: no vector is longer, along either axis; 1..500
  float prior = 0.2F;         ///< weight of the neighbourhood's mean; 0.01..100
  float texture = 0.03F;      ///< a smaller eigenvalue below this is kTexturePoor; 0..1
  /// Also computes the reverse flow, at twice the cost: vectors that do not lead back to within
  /// `back_tolerance` pixels are kInconsistent.
  bool check_back = false;
  float back_tolerance = 1.0F;
};
/// Fails: invalid_argument, naming the first setting out of its range.
Status validate(const LucasKanadeSettings& settings);

/// The settings for motions of at most `reach` pixels in pictures of this size: no vector is
/// longer, and where the levels are automatic (0) there are no more than needed for the smallest to
/// see the motion as 2 pixels at most. The result differs from the default's and depends on a
/// smaller neighbourhood, as tiles need. On fine texture alone, motions of more than half the reach
/// may be missed.
[[nodiscard]] LucasKanadeSettings within_reach(const LucasKanadeSettings& settings, int reach,
                                               int width, int height) noexcept;

/// The estimator for the context's backend. All backends give the same vectors, qualities and
/// flags, bit for bit. Vectors are whole 64ths of a pixel. The context, and
/// on the CPU the workers, must outlive it. Fails: invalid_argument (size, settings), io or device
/// (no memory).
Result<std::unique_ptr<Estimator>> make_lucas_kanade(const Context& context, Workers& workers,
                                                     const LucasKanadeSettings& settings, int width,
                                                     int height);

/// For pictures too large for the memory: goes through them in tiles of about `tile` x `tile`
/// pixels, at least 64, each with what its vectors depend on around it. The same result as whole,
/// bit for bit. Levels decide how much that is: with 4 and a reach of 64 about 550 pixels each way,
/// with every further level about twice as much, with check_back twice as much again; see
/// within_reach(). Holds memory for one tile, or for the whole where tiles would take as much (its
/// windows() is 1 then); takes pictures in host memory only. Fails: as make_lucas_kanade(), and
/// invalid_argument (tile).
Result<std::unique_ptr<Estimator>> make_tiled_lucas_kanade(const Context& context, Workers& workers,
                                                           const LucasKanadeSettings& settings,
                                                           int width, int height, int tile);

/// What make_lucas_kanade() chooses from. For gpu/flow and its tests.
Result<std::unique_ptr<Estimator>> make_lucas_kanade_cpu(const Context& context, Workers& workers,
                                                         const LucasKanadeSettings& settings,
                                                         int width, int height);
Result<std::unique_ptr<Estimator>> make_lucas_kanade_cuda(const Context& context,
                                                          const LucasKanadeSettings& settings,
                                                          int width, int height);

}  // namespace kerb::flow
