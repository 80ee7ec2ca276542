// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpu/image/both.hpp"

namespace kerb {

/// Four values that are summed side by side, such as four bins of a histogram: one 16-byte word to
/// the GPU's memory.
struct alignas(16) Float4 {
  float x = 0, y = 0, z = 0, w = 0;
};
KERB_BOTH Float4 operator+(const Float4& a, const Float4& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

}  // namespace kerb
