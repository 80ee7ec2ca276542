// SPDX-License-Identifier: Apache-2.0
// What gpu/flow's CUDA half is in builds without CUDA.
#include "gpu/flow/lucas_kanade.hpp"

namespace kerb::flow {

Result<std::unique_ptr<Estimator>> make_lucas_kanade_cuda(const Context&,
                                                          const LucasKanadeSettings&, int, int) {
  return Error{Errc::unsupported, 0, "Lucas-Kanade", "built without CUDA"};
}

}  // namespace kerb::flow
