// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/transpose_check.hpp"
#include "gpu/memory/cuda_status.hpp"

namespace kerb::transposing {
namespace {

constexpr int kBlockY = 8;
/// Bytes go in larger tiles, so that a row of one is worth a fetch.
template <typename Word>
constexpr int kTile = sizeof(Word) == 1 ? 64 : 32;

/// Through shared memory, so that both sides are touched along their rows; with a word left out
/// after each row no two threads hit one bank.
template <typename Word>
__global__ void transpose_kernel(Side in, Side out) {
  constexpr int kSide = kTile<Word>;
  __shared__ Word tile[kSide][kSide + (sizeof(Word) == 1 ? 4 : 1)];
  const auto* from = static_cast<const Word*>(in.data);
  auto* to = static_cast<Word*>(const_cast<void*>(out.data));
  const int left = static_cast<int>(blockIdx.x) * kSide, top = static_cast<int>(blockIdx.y) * kSide;
  for (int j = static_cast<int>(threadIdx.y); j < kSide; j += kBlockY)
    for (int i = static_cast<int>(threadIdx.x); i < kSide; i += 32)
      if (left + i < in.width && top + j < in.height)
        tile[j][i] = from[(top + j) * in.row_stride + left + i];
  __syncthreads();
  for (int j = static_cast<int>(threadIdx.y); j < kSide; j += kBlockY)
    for (int i = static_cast<int>(threadIdx.x); i < kSide; i += 32)
      if (top + i < out.width && left + j < out.height)
        to[(left + j) * out.row_stride + top + i] = tile[i][j];
}

}  // namespace

Status run(StreamRef stream, std::size_t element, const Side& in, const Side& out) {
  if (Status ok = check(element, in, out); !ok) return ok;
  with_word(element, [&](auto word) {
    using Word = decltype(word);
    const dim3 grid{div_up(in.width, kTile<Word>), div_up(in.height, kTile<Word>)};
    transpose_kernel<Word><<<grid, dim3{32, kBlockY}, 0, stream.get()>>>(in, out);
  });
  return cuda_status(cudaGetLastError(), "launch transpose");
}

}  // namespace kerb::transposing
