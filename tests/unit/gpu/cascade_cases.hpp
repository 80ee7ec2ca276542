// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <random>

#include "gpu/hog/engine.hpp"
#include "tests/unit/gpu/models.hpp"
#include "tests/unit/gpu/pictures.hpp"

/// Pictures and models for the cascade's tests, unit and gpu.
namespace kerb::hog::test {

/// Grey, or three planes: soft shapes and noise, so that gradients point everywhere.
struct Scene {
  Scene(int w, int h, int count, std::uint64_t seed, int padding = 5)
      : width{w}, height{h}, stride{w + padding} {
    kerb::test::Random random{seed};
    planes.resize(static_cast<std::size_t>(count));
    for (auto& plane : planes) {
      plane.resize(static_cast<std::size_t>(stride) * static_cast<std::size_t>(h));
      const int fx = 3 + static_cast<int>(random.next() % 20),
                fy = 3 + static_cast<int>(random.next() % 20);
      for (int y = 0; y < h; ++y)
        for (int x = 0; x < stride; ++x) {
          const int shape = 4 * ((x / fx * 37 + y / fy * 59) % 50) + x % fx + y % fy;
          plane[static_cast<std::size_t>(y * stride + x)] =
              static_cast<std::uint8_t>(shape + static_cast<int>(random.next() % 24));
        }
      rgb.insert(rgb.end(), plane.begin(), plane.end());
    }
  }
  /// As a detector takes it; R G B when there are three planes.
  [[nodiscard]] Picture<Space::host> picture() const {
    Picture<Space::host> p{view(), {}};
    if (planes.size() == 3) p.rgb = {rgb.data(), 3, width, height, stride, stride * height};
    return p;
  }
  [[nodiscard]] ImageView<Space::host, const std::uint8_t> view(std::size_t plane = 0) const {
    return {planes[plane].data(), width, height, stride};
  }
  int width, height, stride;
  std::vector<std::vector<std::uint8_t>> planes;
  std::vector<std::uint8_t> rgb;  // all planes, one after the other
};

struct CascadeCase {
  const char* name;
  int width, height;
  bool trees;
  SearchSettings search;
  bool cumulative = false, colour = false;
  int stages = 4;  ///< of 1, 2, 3 ... learners
  Scaling scaling = Scaling::plain;
  int nodes = 0;  ///< over 0: trees of any shape with up to so many questions, one to a stage
};

inline SearchSettings search(double step, int stride, int padding = 0) {
  SearchSettings s;
  s.scale_step = step;
  s.stride = stride;
  s.padding = padding;
  return s;
}

inline const CascadeCase kCascadeCases[] = {
    {"exactly one window", 64, 128, false, search(1.2, 8)},
    {"no window", 63, 128, false, search(1.2, 8)},
    {"one row of windows", 133, 128, false, search(1.05, 8)},
    {"odd sides", 151, 203, false, search(1.1, 8)},
    {"fine stride", 91, 155, false, search(1.15, 4)},
    {"stride off the grid", 97, 149, false, search(1.2, 6)},
    {"odd stride", 75, 137, false, search(1.3, 5)},
    {"padding", 70, 140, false, search(1.2, 8, 16)},
    {"padding makes it fit", 40, 100, false, search(1.2, 8, 16)},
    {"trees", 131, 187, true, search(1.2, 8)},
    {"trees, odd stride", 71, 133, true, search(1.3, 3)},
    {"soft cascade", 99, 171, false, search(1.2, 8), true},
    {"soft trees", 99, 171, true, search(1.2, 8), true},
    {"colour", 103, 167, true, search(1.2, 8), false, true},
    {"colour, odd stride", 71, 139, true, search(1.4, 3), false, true},
    {"many learners", 97, 163, false, search(1.2, 8), false, false, 18},
    {"many trees", 97, 163, true, search(1.2, 8), false, false, 18},
    {"many trees, soft", 97, 163, true, search(1.2, 8), true, false, 18},
    {"octaves", 273, 517, false, search(1.3, 16), false, false, 4, Scaling::octaves},
    {"octaves, colour, padding", 150, 270, true, search(1.5, 8, 16), true, true, 4,
     Scaling::octaves},
    {"stumps", 131, 187, true, search(1.2, 4), true, true, 40, Scaling::plain, 1},
    {"trees of many shapes", 131, 187, true, search(1.2, 4), true, true, 90, Scaling::plain, 3},
    {"trees of many shapes, wide stride", 131, 187, true, search(1.2, 8), true, false, 60,
     Scaling::plain, 7},
    {"deep trees", 103, 167, true, search(1.2, 8), true, true, 40, Scaling::plain, 30},
    {"deep trees, odd stride", 91, 155, true, search(1.1, 3), false, false, 3, Scaling::plain, 15},
};

/// `count` stages of a tree each, grown at random: now a chain, now full.
inline Model shaped_trees(const CascadeCase& c, std::uint32_t seed) {
  std::mt19937 random{seed + 77};
  CascadeModel m;
  for (int i = 0; i < c.stages; ++i) {
    TreeLearner tree;
    tree.first_node = static_cast<std::int32_t>(m.nodes.size());
    tree.first_leaf = static_cast<std::int32_t>(m.leaves.size());
    tree.node_count = static_cast<std::int16_t>(1 + random() % static_cast<unsigned>(c.nodes));
    std::vector<std::int16_t*> open;  // ends that nothing hangs on yet
    m.nodes.resize(m.nodes.size() + static_cast<std::size_t>(tree.node_count));
    for (std::int16_t n = 0; n < tree.node_count; ++n) {
      TreeNode& node = m.nodes[static_cast<std::size_t>(tree.first_node + n)];
      node.width = static_cast<std::int16_t>(4 * (1 + random() % 6));
      node.height = static_cast<std::int16_t>(4 * (1 + random() % 6));
      node.x = static_cast<std::int16_t>(4 * (random() % 10));
      node.y = static_cast<std::int16_t>(4 * (random() % 26));
      node.channel = static_cast<std::int16_t>(random() % 13);
      if (random() % 4 == 0) {
        node.divisor = 6;
        node.divisor_width = node.divisor_height = 32;
      }
      if (n > 0) {
        const std::size_t end = random() % open.size();
        *open[end] = n;
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(end));
      }
      open.push_back(&node.left);
      open.push_back(&node.right);
    }
    for (std::int16_t* end : open) {
      *end = static_cast<std::int16_t>(~tree.leaf_count++);
      m.leaves.push_back(static_cast<std::int32_t>(random() % 131072) - 65536);
    }
    m.stages.push_back({i, 1, 0});
    m.trees.push_back(tree);
  }
  return {"shapes", std::move(m), {}};
}

/// Random learners that let about half of the windows through, so that every stage has work.
inline Model model_for(const CascadeCase& c, std::uint32_t seed) {
  Model model = c.nodes > 0 ? shaped_trees(c, seed)
                : c.trees   ? tree_cascade(seed, c.stages)
                            : linear_cascade(seed, c.stages);
  auto& m = std::get<CascadeModel>(model.kind);
  m.cumulative = c.cumulative;
  m.geometry.scaling = c.scaling;
  std::mt19937 random{seed};
  if (c.trees) {
    m.channels =
        seed % 2 == 0 ? Channels{9, true, true, c.colour} : Channels{6, false, true, c.colour};
    for (TreeNode& n : m.nodes) {
      n.channel = static_cast<std::int16_t>(n.channel % m.channels.count());
      if (n.divisor >= 0) n.divisor = static_cast<std::int16_t>(m.channels.bins);
      n.threshold = n.divisor >= 0 ? 0.02F * static_cast<float>(random() % 10)
                                   : 100.0F * static_cast<float>(random() % 60);
    }
    for (Stage& s : m.stages) s.threshold = -40000 * s.count;
    if (c.nodes > 0)
      for (Stage& s : m.stages) s.threshold = -55000;
    if (c.nodes > 0 && c.cumulative)  // a sum that wanders: some leave at every stage
      for (std::size_t i = 0; i < m.stages.size(); ++i)
        m.stages[i].threshold = -60000 - 9000 * static_cast<int>(i);
  } else {
    for (LinearLearner& l : m.linear) l.offset /= 8;
    for (Stage& s : m.stages) s.threshold = -20000 * s.count;
  }
  if (c.stages > 4 && c.nodes == 0)  // nobody would be left for the last ones
    for (Stage& s : m.stages) s.threshold -= 30000 + 6000 * s.count;
  return model;
}

}  // namespace kerb::hog::test
