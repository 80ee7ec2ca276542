// SPDX-License-Identifier: Apache-2.0
// Distances on CUDA where there is no CUDA.
#include "gpu/emd/distances.hpp"

namespace kerb::emd {

Result<std::unique_ptr<Distances>> make_distances_cuda(const Context&, const Ground&,
                                                       const DistanceSettings&, Solver,
                                                       std::size_t) {
  return Error{Errc::unsupported, 0, "earth mover's distance",
               "this program was built without CUDA"};
}

}  // namespace kerb::emd
