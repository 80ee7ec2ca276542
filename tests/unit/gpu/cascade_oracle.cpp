// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/gpu/cascade_oracle.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/image/gradient_math.hpp"
#include "tests/support/unity.hpp"

namespace kerb::hog::test {
namespace {

using View = ImageView<Space::host, const std::uint8_t>;

int mirrored(int i, int size) {
  while (size > 1 && (i < 0 || i >= size)) i = i < 0 ? -i : 2 * (size - 1) - i;
  return size == 1 ? 0 : i;
}

/// Neighbours and the weight of the right one, of pixel `i` of a side scaled from `in` to `out`,
/// made from blocks of `block` pixels.
struct Place {
  int left, right;
  double weight;
};
Place place(int i, int in, int out, int block) {
  const double last = in / block - 1;
  const double at =
      std::clamp((mirrored(i, out) + 0.5) * in / static_cast<double>(out) / block - 0.5, 0.0, last);
  const int left = static_cast<int>(at);
  return {left, std::min(left + 1, static_cast<int>(last)),
          std::nearbyint((at - left) * 256) / 256};
}

/// Sums of one channel over rectangles of a level's area.
struct Sums {
  Sums(int w, int h) : width{w}, at(static_cast<std::size_t>((w + 1) * (h + 1))) {}
  std::uint64_t& node(int x, int y) { return at[static_cast<std::size_t>(y * (width + 1) + x)]; }
  std::uint32_t over(int x, int y, int w, int h) {
    return static_cast<std::uint32_t>(node(x + w, y + h) - node(x, y + h) - node(x + w, y) +
                                      node(x, y));
  }
  int width;
  std::vector<std::uint64_t> at;
};

std::vector<Sums> channels_of(const CascadeModel& m, const PyramidPlan& plan, const Level& level,
                              const std::vector<View>& planes) {
  std::vector<std::vector<std::uint8_t>> pixels;
  for (const View& plane : planes) pixels.push_back(level_by_definition(plan, level, plane));
  const int rim = level.width + 2;
  std::vector<Sums> sums(static_cast<std::size_t>(m.channels.count()),
                         Sums{level.width, level.height});
  for (int y = 0; y < level.height; ++y) {
    for (int x = 0; x < level.width; ++x) {
      const auto at = [&](std::size_t p, int dx, int dy) {
        return int{pixels[p][static_cast<std::size_t>((y + 1 + dy) * rim + x + 1 + dx)]};
      };
      int dx = 0, dy = 0;
      for (std::size_t p = 0; p < pixels.size(); ++p) {
        const int ex = at(p, 1, 0) - at(p, -1, 0), ey = at(p, 0, 1) - at(p, 0, -1);
        if (ex * ex + ey * ey > dx * dx + dy * dy) {
          dx = ex;
          dy = ey;
        }
      }
      const auto magnitude = static_cast<std::uint64_t>(
          std::floor(8 * std::sqrt(static_cast<double>(dx * dx + dy * dy)) + 0.5));
      const int bin = gradient::bin_of(dx, dy, m.channels.bins, m.channels.half_shifted);
      for (int c = 0; c < m.channels.count(); ++c) {
        std::uint64_t value = 0;
        const int colour = m.channels.bins + (m.channels.magnitude ? 1 : 0);
        if (c < m.channels.bins)
          value = c == bin ? magnitude : 0;
        else if (c < colour)
          value = magnitude;
        else
          value = static_cast<std::uint64_t>(at(static_cast<std::size_t>(c - colour), 0, 0));
        Sums& s = sums[static_cast<std::size_t>(c)];
        s.node(x + 1, y + 1) = value + s.node(x, y + 1) + s.node(x + 1, y) - s.node(x, y);
      }
    }
  }
  return sums;
}

std::int32_t vote_of(const LinearLearner& l, std::vector<Sums>& sums, int x, int y) {
  float value[36];  // in the model's order
  for (int cell = 0; cell < 4; ++cell)
    for (int bin = 0; bin < 9; ++bin)
      value[9 * cell + bin] = static_cast<float>(sums[static_cast<std::size_t>(bin)].over(
          x + l.x + cell % 2 * l.width / 2, y + l.y + cell / 2 * l.height / 2, l.width / 2,
          l.height / 2));
  volatile float square[4] = {}, dot[4] = {};  // volatile: every operation rounded by itself
  for (int k = 0; k < 9; ++k) {
    for (int lane = 0; lane < 4; ++lane) {
      const int i = k < 4 ? 9 * k + lane : k < 8 ? 9 * (k - 4) + 4 + lane : 9 * lane + 8;
      volatile float v = value[i], w = l.weights[static_cast<std::size_t>(i)];
      volatile float vv = v * v, wv = w * v;
      square[lane] = square[lane] + vv;
      dot[lane] = dot[lane] + wv;
    }
  }
  volatile float s01 = square[0] + square[1], s23 = square[2] + square[3], s = s01 + s23;
  volatile float d01 = dot[0] + dot[1], d23 = dot[2] + dot[3], d = d01 + d23;
  volatile float root = std::sqrt(s), norm = root + 1.0F, quotient = d / norm;
  volatile float v = quotient - l.offset, sloped = v * l.slope;
  const float unlimited = sloped;
  const float limited = std::clamp(unlimited, -4194304.0F, 4194304.0F);
  return (v >= 0 ? l.pass : l.fail) + static_cast<std::int32_t>(std::nearbyint(limited));
}

std::int32_t vote_of(const CascadeModel& m, const TreeLearner& t, std::vector<Sums>& sums, int x,
                     int y) {
  int next = 0;
  do {
    const TreeNode& n = m.nodes[static_cast<std::size_t>(t.first_node + next)];
    volatile float value = static_cast<float>(
        sums[static_cast<std::size_t>(n.channel)].over(x + n.x, y + n.y, n.width, n.height));
    if (n.divisor >= 0) {
      volatile float below = static_cast<float>(sums[static_cast<std::size_t>(n.divisor)].over(
          x + n.divisor_x, y + n.divisor_y, n.divisor_width, n.divisor_height));
      volatile float divisor = below + 1.0F / 128;
      value = value / divisor;
    }
    next = value < n.threshold ? n.left : n.right;
  } while (next >= 0);
  return m.leaves[static_cast<std::size_t>(t.first_leaf + ~next)];
}

}  // namespace

std::vector<std::uint8_t> level_by_definition(const PyramidPlan& plan, const Level& level,
                                              const View& in) {
  std::vector<std::uint8_t> out;
  const int block = 1 << level.octave;
  TEST_ASSERT_TRUE(level.octave == 0 || level.scale >= block);
  const auto at = [&](int i, int j) {  // the rounded mean of a block
    int sum = 0;
    for (int k = 0; k < block * block; ++k)
      sum += in.data[(j * block + k / block) * in.row_stride + i * block + k % block];
    return std::floor(static_cast<double>(sum) / (block * block) + 0.5);
  };
  for (int y = -1; y <= level.height; ++y) {
    const Place row = place(level.y0 + y, plan.height, level.image_height, block);
    for (int x = -1; x <= level.width; ++x) {
      const Place column = place(level.x0 + x, plan.width, level.image_width, block);
      const double upper = at(column.left, row.left) * (1 - column.weight) +
                           at(column.right, row.left) * column.weight;
      const double lower = at(column.left, row.right) * (1 - column.weight) +
                           at(column.right, row.right) * column.weight;
      out.push_back(static_cast<std::uint8_t>(
          std::floor(upper * (1 - row.weight) + lower * row.weight + 0.5)));
    }
  }
  return out;
}

std::vector<Hit> cascade_by_definition(const Model& model, const SearchPlan& plan,
                                       const std::vector<View>& planes, float threshold) {
  const auto& m = std::get<CascadeModel>(model.kind);
  std::vector<Hit> hits;
  for (std::size_t i = 0; i < plan.pyramid.levels.size(); ++i) {
    std::vector<Sums> sums = channels_of(m, plan.pyramid, plan.pyramid.levels[i], planes);
    const LevelWindows& w = plan.windows[i];
    for (int n = 0; n < w.columns * w.rows; ++n) {
      const int x = w.first_x + n % w.columns * plan.stride;
      const int y = w.first_y + n / w.columns * plan.stride;
      std::int64_t score = 0, votes = 0;
      bool passed = true;
      for (const Stage& stage : m.stages) {
        if (!m.cumulative) votes = 0;
        for (int k = stage.first; k < stage.first + stage.count; ++k)
          votes += m.linear.empty() ? vote_of(m, m.trees[static_cast<std::size_t>(k)], sums, x, y)
                                    : vote_of(m.linear[static_cast<std::size_t>(k)], sums, x, y);
        if (votes < stage.threshold) {
          passed = false;
          break;
        }
        score = (m.cumulative ? 0 : score) + votes - stage.threshold;
      }
      const float s = static_cast<float>(score) * kVoteUnit;
      if (passed && s >= threshold) hits.push_back({w.first_window + n, s});
    }
  }
  return hits;
}

}  // namespace kerb::hog::test
