// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/pack_gradients_lanes.hpp"

namespace kerb::cpu {

PackGradients base::gradient_packer(const GridSettings& settings) noexcept {
  return packer(settings);
}

PackGradients gradient_packer(const GridSettings& settings) noexcept {
#if defined(KERB_AVX2)
  if (__builtin_cpu_supports("avx2")) return avx2::gradient_packer(settings);
#endif
  return base::gradient_packer(settings);
}

}  // namespace kerb::cpu
