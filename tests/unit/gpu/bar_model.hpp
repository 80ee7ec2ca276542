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

/// The same in colour, and only a red bar will do: a fourth stage asks for U, which is 97 for every
/// grey.
inline Model red_bar_model() {
  Model model = bar_model();
  auto& m = std::get<CascadeModel>(model.kind);
  m.channels.colour = true;
  for (TreeNode& node : m.nodes) node.threshold /= 4;  // edges of L: 220 of red are 121 - 28 there
  m.stages.push_back({static_cast<std::int32_t>(m.trees.size()), 1, 0});
  m.trees.push_back({static_cast<std::int32_t>(m.nodes.size()),
                     static_cast<std::int32_t>(m.leaves.size()), 1, 2});
  TreeNode node;
  node.x = 24;
  node.y = 24;
  node.width = 16;
  node.height = 80;
  node.channel = 9 + 1 + 1;  // after the bins, the magnitude and L
  node.left = ~0;
  node.right = ~1;
  node.threshold = 130 * 16 * 80;
  m.nodes.push_back(node);
  m.leaves.push_back(-65536);
  m.leaves.push_back(65536);
  model.name = "red-bar";
  return model;
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

/// The same in colour: R, G and B planes.
struct ColourStreet {
  ColourStreet(int w, int h) : width{w}, height{h} {
    rgb.assign(3 * static_cast<std::size_t>(w) * static_cast<std::size_t>(h), 30);
  }
  ColourStreet& bar(int x, int y, std::uint8_t r, std::uint8_t g, std::uint8_t b) {
    const std::ptrdiff_t plane = static_cast<std::ptrdiff_t>(width) * height;
    for (int row = y; row < y + 96; ++row) {
      const auto first = rgb.begin() + static_cast<std::ptrdiff_t>(row) * width + x;
      std::fill_n(first, 32, r);
      std::fill_n(first + plane, 32, g);
      std::fill_n(first + 2 * plane, 32, b);
    }
    return *this;
  }
  [[nodiscard]] PlanesView<Space::host, const std::uint8_t> planes() const {
    return {rgb.data(), 3, width, height, width, static_cast<std::ptrdiff_t>(width) * height};
  }
  [[nodiscard]] ImageView<Space::host, const std::uint8_t> green() const {
    return planes().plane(1);
  }
  /// As a camera of format rgb24 gives it.
  [[nodiscard]] std::vector<std::uint8_t> interleaved() const {
    const std::size_t pixels = rgb.size() / 3;
    std::vector<std::uint8_t> out(rgb.size());
    for (std::size_t i = 0; i < pixels; ++i)
      for (std::size_t c = 0; c < 3; ++c) out[3 * i + c] = rgb[c * pixels + i];
    return out;
  }
  int width, height;
  std::vector<std::uint8_t> rgb;
};

}  // namespace kerb::hog::test
