// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

/// Vectors of two 16-bit halves and their medians, on CUDA. For lucas_kanade_cuda.cu alone.
namespace kerb::flow::lk {
namespace {

using Packed = std::uint32_t;  // a vector: u low, v high, 16 bits each

__device__ __forceinline__ int u_of(Packed p) {
  return static_cast<int>(static_cast<std::int16_t>(p & 0xFFFFU));
}
__device__ __forceinline__ int v_of(Packed p) {
  return static_cast<int>(static_cast<std::int16_t>(p >> 16));
}
__device__ __forceinline__ Packed packed(int u, int v) {
  return (static_cast<Packed>(u) & 0xFFFFU) | (static_cast<Packed>(v) << 16);
}

/// The lesser first, of u and of v.
__device__ __forceinline__ void in_order(Packed& a, Packed& b) {
  const Packed low = __vmins2(a, b);
  b = __vmaxs2(a, b);
  a = low;
}
/// The least to the front, the greatest to the end.
template <int kCount>
__device__ __forceinline__ void to_ends(Packed* v) {
#pragma unroll
  for (int i = 0; i < kCount / 2; ++i) in_order(v[i], v[kCount - 1 - i]);
#pragma unroll
  for (int i = 1; i < (kCount + 1) / 2; ++i) in_order(v[0], v[i]);
#pragma unroll
  for (int i = kCount / 2; i < kCount - 1; ++i) in_order(v[i], v[kCount - 1]);
}

/// The medians of the first five and of the last five of six rows of five, `at(0)` to `at(29)`, by
/// forgetting: of 14 of 25 values neither the least nor the greatest can be it, nor of 13 and one
/// more, and so on. The four rows in the middle are both medians', so they go first.
template <typename At>
__device__ __forceinline__ void median_pair(const At& at, Packed& upper, Packed& lower) {
  Packed v[14];
#pragma unroll
  for (int i = 0; i < 14; ++i) v[i] = at(5 + i);
  to_ends<14>(v);
  v[0] = at(19);
  to_ends<13>(v);
  v[0] = at(20);
  to_ends<12>(v);
  v[0] = at(21);
  to_ends<11>(v);
  v[0] = at(22);
  to_ends<10>(v);
  v[0] = at(23);
  to_ends<9>(v);
  v[0] = at(24);
  to_ends<8>(v);  // v[1] to v[6] remain
  const auto finish = [&](int own) {
    Packed w[7];
#pragma unroll
    for (int i = 1; i < 7; ++i) w[i] = v[i];
    w[0] = at(own);
    to_ends<7>(w);
    w[0] = at(own + 1);
    to_ends<6>(w);
    w[0] = at(own + 2);
    to_ends<5>(w);
    w[0] = at(own + 3);
    to_ends<4>(w);
    w[0] = at(own + 4);
    to_ends<3>(w);
    return w[1];
  };
  upper = finish(0);
  lower = finish(25);
}

}  // namespace
}  // namespace kerb::flow::lk
