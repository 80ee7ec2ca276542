// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/transpose.hpp"

#include <algorithm>

#include "gpu/image/transpose_check.hpp"

namespace kerb::transposing {
namespace {

/// In tiles whose lines stay in the first cache on both sides.
template <typename Word>
void turn(const Side& in, const Side& out) {
  constexpr int kTile = sizeof(Word) == 1 ? 32 : 16;
  const auto* from = static_cast<const Word*>(in.data);
  auto* to = static_cast<Word*>(const_cast<void*>(out.data));
  for (int top = 0; top < in.height; top += kTile)
    for (int left = 0; left < in.width; left += kTile) {
      const int bottom = std::min(top + kTile, in.height), right = std::min(left + kTile, in.width);
      for (int x = left; x < right; ++x)
        for (int y = top; y < bottom; ++y) to[x * out.row_stride + y] = from[y * in.row_stride + x];
    }
}

}  // namespace

Status run_on_cpu(std::size_t element, const Side& in, const Side& out) {
  if (Status ok = check(element, in, out); !ok) return ok;
  with_word(element, [&](auto word) { turn<decltype(word)>(in, out); });
  return Done{};
}

}  // namespace kerb::transposing
