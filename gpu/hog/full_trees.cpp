// SPDX-License-Identifier: Apache-2.0
#include "gpu/hog/full_trees_lanes.hpp"

namespace kerb::hog {

TreeLanes base::tree_lanes() noexcept { return kLanes; }

TreeLanes tree_lanes() noexcept {
#if defined(KERB_AVX2)
  if (__builtin_cpu_supports("avx2")) return avx2::tree_lanes();
#endif
  return base::tree_lanes();
}

}  // namespace kerb::hog
