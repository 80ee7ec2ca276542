// SPDX-License-Identifier: Apache-2.0
// Block matching on CUDA where there is no CUDA.
#include "gpu/flow/block_matching_plan.hpp"

namespace kerb::flow::bm {

// NOLINTNEXTLINE(performance-unnecessary-value-param): as the one with CUDA has it
Result<std::unique_ptr<Estimator>> make_cuda(const Context& /*context*/, Plan /*plan*/) {
  return Error{Errc::unsupported, 0, "block matching", "this program was built without CUDA"};
}

}  // namespace kerb::flow::bm
