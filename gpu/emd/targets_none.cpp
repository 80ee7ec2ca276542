// SPDX-License-Identifier: Apache-2.0
// Where targets are, on CUDA, where there is no CUDA.
#include "gpu/emd/targets.hpp"

namespace kerb::emd {
namespace {
Error targets_without_cuda() {
  return {Errc::unsupported, 0, "targets", "this program was built without CUDA"};
}
}  // namespace

Status likelihoods(StreamRef, const std::uint32_t*, std::size_t, std::size_t, int, std::uint32_t,
                   std::uint8_t*, std::size_t) {
  return targets_without_cuda();
}
Status mean_shift(StreamRef, const PlanesView<Space::device, const std::uint8_t>&, int, Found*) {
  return targets_without_cuda();
}
Status find_peaks(StreamRef, const PlanesView<Space::device, const std::uint8_t>&, const Search*,
                  Found*) {
  return targets_without_cuda();
}

}  // namespace kerb::emd
