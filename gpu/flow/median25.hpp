// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__CUDACC__)
#define KERB_UNROLL _Pragma("unroll")
#define KERB_FORCED __device__ __forceinline__
#else
#if defined(__clang__)
#define KERB_UNROLL _Pragma("unroll")
#else
#define KERB_UNROLL _Pragma("GCC unroll 16")
#endif
#define KERB_FORCED __attribute__((always_inline)) inline
#endif

namespace kerb::flow {

/// The median of 25 values by elimination: of 14 of them neither the smallest nor the largest can
/// be the median. `at(i)` gives value i; `order(a, b)` swaps so that a is the smaller. Without
/// branches, so that values may be vectors; all loops have constant bounds, so that `kept` stays in
/// registers.
template <typename V, typename At, typename Order>
KERB_FORCED V median25(const At& at, const Order& order) {
  V kept[14];
  KERB_UNROLL
  for (int i = 0; i < 14; ++i) kept[i] = at(i);
  KERB_UNROLL
  for (int round = 0; round < 12; ++round) {
    const int count = 14 - round;  // the smallest goes to kept[0], the largest to kept[count - 1]
    KERB_UNROLL
    for (int i = 0; i < count / 2; ++i) order(kept[i], kept[count - 1 - i]);
    KERB_UNROLL
    for (int i = 1; i < (count + 1) / 2; ++i) order(kept[0], kept[i]);
    KERB_UNROLL
    for (int i = count / 2; i < count - 1; ++i) order(kept[i], kept[count - 1]);
    if (round < 11) kept[0] = at(14 + round);  // the next one instead
  }
  return kept[1];
}

}  // namespace kerb::flow
