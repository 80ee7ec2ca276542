// SPDX-License-Identifier: Apache-2.0
// Drawing on a GPU where there is no CUDA.
#include "tools/simulator/render/pixel_drawer.hpp"

namespace kerb::sim {

Result<std::unique_ptr<PixelDrawer>> make_cuda_drawer(const Context&, const DrawerSetup&) {
  return Error{Errc::unsupported, 0, "draw on the GPU", "this program was built without CUDA"};
}

}  // namespace kerb::sim
