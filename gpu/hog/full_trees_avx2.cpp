// SPDX-License-Identifier: Apache-2.0
// full_trees.cpp compiled for AVX2: nothing of this may run before a check of the CPU.
#include "gpu/hog/full_trees_lanes.hpp"

namespace kerb::hog {

TreeLanes avx2::tree_lanes() noexcept { return kLanes; }

}  // namespace kerb::hog
