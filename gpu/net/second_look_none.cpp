// SPDX-License-Identifier: Apache-2.0
// The CUDA engine where there is no CUDA.
#include "gpu/net/second_look.hpp"
#include "gpu/net/second_look_check.hpp"

namespace kerb::net {

// As the one with CUDA has it.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
Result<std::unique_ptr<SecondLook>> make_second_look_cuda(const Context&, Network, int, int,
                                                          const CudaBlocks&) {
  return Error{Errc::unsupported, 0, kMakeSecondLook, "this program was built without CUDA"};
}

}  // namespace kerb::net
