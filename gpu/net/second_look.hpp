// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>

#include "gpu/memory/context.hpp"
#include "gpu/memory/workers.hpp"
#include "gpu/net/network.hpp"
#include "hal/base/view.hpp"
#include "hal/vision.hpp"

namespace kerb::net {

/// Runs a network on the crops around a frame's candidates: on the CPU crop by crop on all workers,
/// on CUDA all crops in one launch. Every engine gives the same scores and boxes, bit for bit.
/// Allocates only when made. One thread at a time.
class SecondLook {
 public:
  static constexpr int kMaxCandidates = net::kMaxCandidates;
  static constexpr float kMaxShift = 1, kMinGrowth = 0.25F, kMaxGrowth = 4;

  virtual ~SecondLook() = default;
  /// Replaces each candidate's score by the network's and its box by the corrected one, of the same
  /// shape (the width over the height stays). A correction is cut to kMaxShift heights to each
  /// side, and to kMinGrowth..kMaxGrowth of the height. What fails changes nothing.
  ///   picture     of the size it was made for, with the network's planes
  ///   candidates  their boxes have a height over 0, no width under 0, and lie at least partly in
  ///               the picture
  ///   fails       invalid_argument (the above; more than kMaxCandidates), device, unsupported (a
  ///               picture in the other space than the backend's)
  virtual Status look(const PlanesView<Space::host, const std::uint8_t>& picture,
                      Detection* candidates, int count) = 0;
  /// CUDA only; on its own stream, which it waits for. The picture must be complete.
  virtual Status look(const PlanesView<Space::device, const std::uint8_t>& picture,
                      Detection* candidates, int count) = 0;

  [[nodiscard]] virtual const Network& network() const noexcept = 0;
  [[nodiscard]] virtual Backend backend() const noexcept = 0;
  [[nodiscard]] virtual std::size_t device_bytes() const noexcept = 0;  ///< 0 on the CPU
};

/// For pictures of one size. The context, and on the CPU the workers, must outlive it. On CUDA a
/// host picture is uploaded. Fails: invalid_argument (network, size), device or io (no memory),
/// unsupported (a network whose layers do not fit the GPU's shared memory; no CUDA in this build).
Result<std::unique_ptr<SecondLook>> make_second_look(const Context& context, Workers& workers,
                                                     Network network, int width, int height);

/// The makers that make_second_look() chooses from. For gpu/net and its tests.
Result<std::unique_ptr<SecondLook>> make_second_look_cpu(Workers& workers, Network network,
                                                         int width, int height);
/// How CUDA divides the work.
struct CudaBlocks {
  /// Blocks that share a crop, 1, 2, 4 or 8; more than one needs a GPU with clusters of blocks
  /// (compute capability 9.0 or newer). 0: chosen for each look, by the number of candidates and
  /// what the GPU runs at once. Results are the same bits.
  int per_crop = 0;
  bool compact = false;  ///< as little shared memory as possible, though it may be slower
};
/// Fails as make_second_look(), and: invalid_argument (no such number of blocks), unsupported (a
/// GPU that does not run as many).
Result<std::unique_ptr<SecondLook>> make_second_look_cuda(const Context& context, Network network,
                                                          int width, int height,
                                                          const CudaBlocks& blocks = {});

}  // namespace kerb::net
