// SPDX-License-Identifier: Apache-2.0
// pack_gradients_cpu.cpp compiled for AVX2: nothing of this may run before a check of the CPU.
#include "gpu/image/pack_gradients_lanes.hpp"

namespace kerb::cpu {

PackGradients avx2::gradient_packer(const GridSettings& settings) noexcept {
  return packer(settings);
}

}  // namespace kerb::cpu
