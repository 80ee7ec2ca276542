// SPDX-License-Identifier: Apache-2.0
// What is compiled for more than one width of vectors: every version this machine can run gives
// what the definition, written down lane by lane, gives.
#include <algorithm>
#include <numeric>
#include <vector>

#include "gpu/hog/full_trees.hpp"
#include "gpu/image/gradient_math.hpp"
#include "gpu/image/pack_gradients.hpp"
#include "tests/support/random.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using kerb::test::Random;

namespace {

bool has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

using Packer = cpu::PackGradients (*)(const GridSettings&) noexcept;
std::vector<Packer> packers() {
  std::vector<Packer> all{cpu::base::gradient_packer};
#if defined(__x86_64__)
  if (has_avx2()) all.push_back(cpu::avx2::gradient_packer);
#endif
  return all;
}

std::vector<hog::TreeLanes> lanes() {
  std::vector<hog::TreeLanes> all{hog::base::tree_lanes()};
#if defined(__x86_64__)
  if (has_avx2()) all.push_back(hog::avx2::tree_lanes());
#endif
  return all;
}

constexpr int kStride = 160, kMost = 100;

/// Three rows of three planes; often black and white, for gradients at their limits.
std::vector<std::uint8_t> random_rows(Random& random) {
  std::vector<std::uint8_t> samples(3 * 3 * kStride);
  for (std::uint8_t& sample : samples) {
    const std::uint64_t n = random.next();
    sample = static_cast<std::uint8_t>(n % 4 == 0 ? 0 : n % 4 == 1 ? 255 : n >> 32);
  }
  return samples;
}

std::uint16_t packed_at(const std::uint8_t* const (&planes)[3], int count, int x,
                        const GridSettings& s) {
  int dx = 0, dy = 0, best = -1;
  for (int p = 0; p < count; ++p) {
    const std::uint8_t* at = planes[p] + x;
    const int ex = at[1] - at[-1], ey = at[kStride] - at[-kStride];
    if (gradient::squared_norm(ex, ey) <= best) continue;
    best = gradient::squared_norm(ex, ey);
    dx = ex;
    dy = ey;
  }
  return gradient::packed_of(dx, dy, s.bins, s.half_shifted);
}

TEST(gradients_of_a_row) {
  Random random{1};
  for (const Packer packer : packers())
    for (int settings = 0; settings < 8; ++settings) {
      GridSettings s;
      s.bins = (settings & 1) != 0 ? 9 : 6;
      s.half_shifted = (settings & 2) != 0;
      s.colour = (settings & 4) != 0;
      for (int count = 1; count <= kMost; ++count) {
        std::vector<std::uint8_t> samples = random_rows(random);
        // Not a byte more than may be read, so that the sanitizers see what is.
        samples.resize(samples.size() - kStride + 1 + static_cast<std::size_t>(count) + 32);
        samples.shrink_to_fit();
        const std::uint8_t* planes[3];
        for (int p = 0; p < 3; ++p) planes[p] = samples.data() + (3 * p + 1) * kStride + 1;
        std::vector<std::uint16_t> packed((static_cast<std::size_t>(count) + 15) / 16 * 16);
        packer(s)({{planes[0], planes[1], planes[2]}, kStride, count}, packed.data());
        for (int x = 0; x < count; ++x)
          TEST_ASSERT_EQUAL_UINT16(packed_at(planes, s.planes(), x, s),
                                   packed[static_cast<std::size_t>(x)]);
      }
    }
}

/// Integral sums of two channels, and trees over windows of 6 x 8 cells.
struct Trees {
  static constexpr int kRows = 9, kColumns = 6, kWindows = 53;

  Trees(std::ptrdiff_t nodes_to_a_window, Random& random)
      : step{nodes_to_a_window},
        plane{kWindows * step + kColumns + hog::kMaxTreeBlock * step + 8},
        nodes(static_cast<std::size_t>(2 * plane * kRows)) {
    for (int r = 0; r < kRows; ++r) row_at.push_back(r * 2 * plane);
    for (int c = 0; c < 2; ++c)
      for (int r = 1; r < kRows; ++r) {
        std::uint32_t row_sum = 0;
        for (std::ptrdiff_t x = 1; x < plane; ++x) {
          row_sum += static_cast<std::uint32_t>(random.next() % 3000);
          at(c, r, x) = at(c, r - 1, x) + row_sum;
        }
      }
  }
  std::uint32_t& at(int channel, int row, std::ptrdiff_t x) {
    return nodes[static_cast<std::size_t>(row_at[static_cast<std::size_t>(row)] + channel * plane +
                                          x)];
  }
  [[nodiscard]] hog::NodeRectangle rectangle(Random& random) const {
    const auto pick = [&](int from, int to) {
      return from + static_cast<int>(random.next() % static_cast<unsigned>(to - from));
    };
    const int left = pick(0, kColumns - 1), right = pick(left + 1, kColumns);
    const int top = pick(0, kRows - 1), bottom = pick(top + 1, kRows);
    const auto channel = static_cast<std::int32_t>(pick(0, 2) * plane);
    return {channel + left, channel + right, static_cast<std::int16_t>(top),
            static_cast<std::int16_t>(bottom)};
  }
  [[nodiscard]] float sum(const hog::NodeRectangle& r, int window) const {
    const auto node = [&](std::int16_t row, std::int32_t x) {
      return nodes[static_cast<std::size_t>(row_at[static_cast<std::size_t>(row)] + x +
                                            window * step)];
    };
    return static_cast<float>((node(r.bottom, r.right) - node(r.bottom, r.left)) -
                              (node(r.top, r.right) - node(r.top, r.left)));
  }

  std::ptrdiff_t step, plane;
  std::vector<std::uint32_t> nodes;
  std::vector<std::ptrdiff_t> row_at;
};

struct RandomTree {
  RandomTree(int depth, bool divided, const Trees& trees, Random& random)
      : asked((std::size_t{1} << depth) - 1), leaves(std::size_t{1} << depth) {
    for (hog::TreeQuestion& q : asked) {
      q.sum = trees.rectangle(random);
      const auto window = static_cast<int>(random.next() % Trees::kWindows);  // some go either way
      q.threshold = trees.sum(q.sum, window);
      if (!divided || random.next() % 4 == 0) continue;
      q.divisor = trees.rectangle(random);
      q.floor = 2;
      q.threshold /= trees.sum(q.divisor, window) + q.floor;
    }
    for (std::int32_t& leaf : leaves) leaf = static_cast<std::int32_t>(random.next() % 2001) - 1000;
  }
  [[nodiscard]] std::int32_t vote(const Trees& trees, int window) const {
    std::size_t at = 0;
    while (at < asked.size()) {
      const hog::TreeQuestion& q = asked[at];
      const float value = trees.sum(q.sum, window) / (trees.sum(q.divisor, window) + q.floor);
      at = 2 * at + (value < q.threshold ? 1 : 2);
    }
    return leaves[at - asked.size()];
  }
  std::vector<hog::TreeQuestion> asked;
  std::vector<std::int32_t> leaves;
};

/// Stages of two trees; after each, the same windows with the same votes.
void search(const hog::TreeLanes& lanes, int depth, bool divided, std::ptrdiff_t step,
            Random& random) {
  Trees trees{step, random};
  const int count = (Trees::kWindows + lanes.block - 1) / lanes.block;
  std::vector<std::int32_t> votes(static_cast<std::size_t>(count * lanes.block));
  std::vector<std::uint32_t> alive(votes.size());
  std::vector<std::int32_t> blocks(static_cast<std::size_t>(count));
  std::fill_n(alive.begin(), Trees::kWindows, ~std::uint32_t{0});
  std::iota(blocks.begin(), blocks.end(), 0);
  const hog::WindowBlocks windows{trees.nodes.data(), trees.row_at.data(), step,
                                  votes.data(),       alive.data(),        blocks.data()};
  std::vector<std::int32_t> wanted(Trees::kWindows);
  std::vector<bool> lives(Trees::kWindows, true);
  const hog::AskTree ask = lanes.ask(depth, divided, step);
  int left = count;
  for (int t = 0; t < 8; ++t) {
    const RandomTree tree{depth, divided, trees, random};
    const bool last = t % 2 == 1;
    const std::int32_t threshold = t < 6 ? -400 : 3000;  // at the end hardly any
    left = ask({tree.asked.data(), tree.leaves.data()}, windows, left, last, threshold);
    std::vector<bool> in_block(static_cast<std::size_t>(count));
    for (int w = 0; w < Trees::kWindows; ++w) {
      const auto i = static_cast<std::size_t>(w);
      wanted[i] += tree.vote(trees, w);
      if (last && wanted[i] < threshold) lives[i] = false;
      if (lives[i]) TEST_ASSERT_EQUAL_INT32(wanted[i], votes[i]);
      TEST_ASSERT_EQUAL_UINT32(lives[i] ? ~std::uint32_t{0} : 0, alive[i]);
      if (lives[i]) in_block[static_cast<std::size_t>(w / lanes.block)] = true;
    }
    if (!last) continue;
    TEST_ASSERT_EQUAL_INT(std::count(in_block.begin(), in_block.end(), true), left);
    for (int b = 0; b < left; ++b)
      TEST_ASSERT_TRUE(in_block[static_cast<std::size_t>(blocks[static_cast<std::size_t>(b)])]);
  }
}

TEST(trees_of_a_row_of_windows) {
  Random random{2};
  for (const hog::TreeLanes& l : lanes())
    for (int depth = 1; depth <= hog::kMaxTreeDepth; ++depth)
      for (const bool divided : {false, true})
        for (const std::ptrdiff_t step : {1, 2, 3})
          for (int i = 0; i < 20; ++i) search(l, depth, divided, step, random);
}

TEST(the_widest_is_chosen) {
  TEST_ASSERT_EQUAL_INT(has_avx2() ? 8 : 4, hog::tree_lanes().block);
  const GridSettings s;
  TEST_ASSERT_TRUE(cpu::gradient_packer(s) == packers().back()(s));
}

}  // namespace
