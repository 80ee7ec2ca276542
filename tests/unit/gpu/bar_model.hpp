// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "gpu/hog/model.hpp"
#include "hal/base/view.hpp"

/// A cascade whose answer is known, made by hand: it takes a bright upright bar for a person. For
/// tests.
namespace kerb::hog::test {

/// Asks, in a stage each, for an upright edge on the left of the person's box, one on the right,
/// and nothing between them.
inline Model bar_model() {
  constexpr std::int32_t kYes = 65536, kNo = -65536;
  CascadeModel m;
  m.channels = {9, false, true, false};
  const auto ask = [&](std::int16_t x, std::int16_t width, bool edge) {
    m.stages.push_back({static_cast<std::int32_t>(m.trees.size()), 1, 0});
    m.trees.push_back({static_cast<std::int32_t>(m.nodes.size()),
                       static_cast<std::int32_t>(m.leaves.size()), 1, 2});
    TreeNode node;
    node.x = x;
    node.y = 24;
    node.width = width;
    node.height = 80;
    node.channel = 9;  // all gradients
    node.left = ~0;
    node.right = ~1;
    node.threshold = edge ? 100'000 : 20'000;  // an edge of 190 over 80 rows: 243200
    m.nodes.push_back(node);
    m.leaves.push_back(edge ? kNo : kYes);
    m.leaves.push_back(edge ? kYes : kNo);
  };
  ask(12, 8, true);
  ask(44, 8, true);
  ask(24, 16, false);
  return {"bar", std::move(m)};
}

/// A grey picture with bars of 32 x 96, the size of bar_model()'s person.
struct Street {
  Street(int w, int h) : width{w}, height{h} {
    grey.assign(static_cast<std::size_t>(w) * static_cast<std::size_t>(h), 30);
  }
  Street& bar(int x, int y) {
    for (int row = y; row < y + 96; ++row)
      std::fill_n(grey.begin() + static_cast<std::ptrdiff_t>(row) * width + x, 32,
                  std::uint8_t{220});
    return *this;
  }
  [[nodiscard]] ImageView<Space::host, const std::uint8_t> view() const {
    return {grey.data(), width, height, width};
  }
  int width, height;
  std::vector<std::uint8_t> grey;
};

}  // namespace kerb::hog::test
