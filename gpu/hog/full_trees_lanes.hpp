// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpu/hog/full_trees.hpp"
#include "gpu/image/simd.hpp"

/// tree_lanes() for the lanes its source is compiled for. For full_trees*.cpp alone.
namespace kerb::hog {
namespace {

using namespace simd;

constexpr int kBlock = sizeof(U32xN) / sizeof(std::uint32_t);
static_assert(kBlock <= kMaxTreeBlock);

KERB_INLINE bool any_of(U32xN mask) {
  using Words = std::uint64_t __attribute__((vector_size(sizeof(U32xN))));
  const Words words = bits<Words>(mask);
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < sizeof words / sizeof any; ++i) any |= words[i];
  return any != 0;
}

/// Of a block of windows, `step` numbers apart; kStep 0: whatever it is.
template <int kStep>
KERB_INLINE U32xN lanes(const std::uint32_t* from, std::ptrdiff_t step) {
  if constexpr (kStep == 1) {
    return load<U32xN>(from);
  } else if constexpr (kStep == 2) {
    return even_lanes(load<U32xN>(from), load<U32xN>(from + kBlock));
  } else {
    U32xN all{};
    for (int i = 0; i < kBlock; ++i) all[i] = from[i * step];
    return all;
  }
}

/// A rectangle's corners, the first window's.
struct Corners {
  const std::uint32_t *upper_left, *upper_right, *lower_left, *lower_right;

  template <int kStep>
  KERB_INLINE F32xN sum(std::ptrdiff_t at, std::ptrdiff_t step) const {
    return to_float((lanes<kStep>(lower_right + at, step) - lanes<kStep>(lower_left + at, step)) -
                    (lanes<kStep>(upper_right + at, step) - lanes<kStep>(upper_left + at, step)));
  }
};

KERB_INLINE Corners corners_of(const NodeRectangle& r, const WindowBlocks& windows) {
  const std::uint32_t *upper = windows.first + windows.row_at[r.top],
                      *lower = windows.first + windows.row_at[r.bottom];
  return {upper + r.left, upper + r.right, lower + r.left, lower + r.right};
}

template <int kDepth, bool kDivided, int kStep>
int ask_tree(const FullTree& tree, const WindowBlocks& windows, int count, bool last,
             std::int32_t threshold) {
  constexpr int kAsked = (1 << kDepth) - 1;
  Corners sums[kAsked], divisors[kAsked];
  F32xN thresholds[kAsked], floors[kAsked];
  S32xN leaves[kAsked + 1];
  for (int q = 0; q < kAsked; ++q) {
    const TreeQuestion& asked = tree.asked[q];
    sums[q] = corners_of(asked.sum, windows);
    thresholds[q] = F32xN{} + asked.threshold;
    if constexpr (kDivided) {
      divisors[q] = corners_of(asked.divisor, windows);
      floors[q] = F32xN{} + asked.floor;
    }
  }
  for (int l = 0; l <= kAsked; ++l) leaves[l] = S32xN{} + tree.leaves[l];
  const std::ptrdiff_t step = windows.step;
  std::int32_t* votes = windows.votes;
  std::uint32_t* alive = windows.alive;
  std::int32_t* blocks = windows.blocks;
  int left = 0;
  for (int i = 0; i < count; ++i) {
    const std::ptrdiff_t window = std::ptrdiff_t{blocks[i]} * kBlock, at = window * step;
    S32xN goes_left[kAsked];
    for (int q = 0; q < kAsked; ++q) {
      F32xN value = sums[q].template sum<kStep>(at, step);
      if constexpr (kDivided) value /= divisors[q].template sum<kStep>(at, step) + floors[q];
      goes_left[q] = value < thresholds[q];
    }
    S32xN vote[kAsked];  // of what hangs on each question
    const auto below = [&](int child) {
      return child < kAsked ? vote[child] : leaves[child - kAsked];
    };
    for (int q = kAsked - 1; q >= 0; --q)
      vote[q] = choose(goes_left[q], below(2 * q + 1), below(2 * q + 2));
    const S32xN sum = load<S32xN>(votes + window) + vote[0];
    store(votes + window, sum);
    if (!last) continue;
    const U32xN mask = load<U32xN>(alive + window) & bits<U32xN>(sum >= threshold);
    store(alive + window, mask);
    blocks[left] = blocks[i];
    left += any_of(mask) ? 1 : 0;
  }
  return last ? left : count;
}

template <int kDepth, bool kDivided>
AskTree ask_with(std::ptrdiff_t step) {
  if (step == 1) return ask_tree<kDepth, kDivided, 1>;
  if (step == 2) return ask_tree<kDepth, kDivided, 2>;
  return ask_tree<kDepth, kDivided, 0>;
}
template <int kDepth>
AskTree ask_with(bool divided, std::ptrdiff_t step) {
  return divided ? ask_with<kDepth, true>(step) : ask_with<kDepth, false>(step);
}

constexpr TreeLanes kLanes{kBlock, [](int depth, bool divided, std::ptrdiff_t step) noexcept {
                             switch (depth) {
                               case 1:
                                 return ask_with<1>(divided, step);
                               case 2:
                                 return ask_with<2>(divided, step);
                               default:
                                 static_assert(kMaxTreeDepth == 3);
                                 return ask_with<3>(divided, step);
                             }
                           }};

}  // namespace
}  // namespace kerb::hog
