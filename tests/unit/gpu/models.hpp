// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <random>
#include <utility>

#include "gpu/hog/model.hpp"

/// Small models that make no sense but keep every rule. For tests.
namespace kerb::hog::test {

inline float number(std::mt19937& random) {  // -1..1; the same on every machine
  return static_cast<float>(static_cast<int>(random() % 20001) - 10000) / 10000;
}

inline Model dense_model(std::uint32_t seed = 1, DenseKind kind = DenseKind::rhog) {
  std::mt19937 random{seed};
  DenseModel m;
  m.kind = kind;
  m.bias = number(random);
  m.weights.resize(std::size_t{7} * 15 * 36);
  for (float& w : m.weights) w = number(random);
  return {"dense", std::move(m)};
}

/// `stages` stages of 1, 2, 3 ... learners with blocks on a grid of 4 pixels.
inline Model linear_cascade(std::uint32_t seed = 1, int stages = 3) {
  std::mt19937 random{seed};
  CascadeModel m;
  for (int i = 0; i < stages; ++i) {
    m.stages.push_back({static_cast<std::int32_t>(m.linear.size()), i + 1, -i});
    for (int k = 0; k <= i; ++k) {
      LinearLearner l;
      l.width = static_cast<std::int16_t>(8 * (1 + random() % 4));
      l.height = static_cast<std::int16_t>(8 * (1 + random() % 4));
      l.x = static_cast<std::int16_t>(4 * (random() % 8));
      l.y = static_cast<std::int16_t>(4 * (random() % 20));
      l.offset = number(random);
      l.pass = static_cast<std::int32_t>(random() % 65536);
      l.fail = -static_cast<std::int32_t>(random() % 65536);
      l.slope = number(random) * 65536;
      for (float& w : l.weights) w = number(random);
      m.linear.push_back(l);
    }
  }
  return {"linear", std::move(m)};
}

/// The same of trees with 3 nodes and 4 leaves.
inline Model tree_cascade(std::uint32_t seed = 1, int stages = 3) {
  std::mt19937 random{seed};
  CascadeModel m;
  m.channels = {9, true, true, true};
  for (int i = 0; i < stages; ++i) {
    m.stages.push_back({static_cast<std::int32_t>(m.trees.size()), i + 1, -i});
    for (int k = 0; k <= i; ++k) {
      m.trees.push_back({static_cast<std::int32_t>(m.nodes.size()),
                         static_cast<std::int32_t>(m.leaves.size()), 3, 4});
      for (int n = 0; n < 3; ++n) {
        TreeNode node;
        node.width = static_cast<std::int16_t>(4 * (1 + random() % 4));
        node.height = static_cast<std::int16_t>(4 * (1 + random() % 4));
        node.x = static_cast<std::int16_t>(4 * (random() % 8));
        node.y = static_cast<std::int16_t>(4 * (random() % 20));
        node.channel = static_cast<std::int16_t>(random() % 13);
        if (random() % 2 == 0) {
          node.divisor = 9;
          node.divisor_width = node.divisor_height = 32;
        }
        node.left = static_cast<std::int16_t>(n == 0 ? 1 : ~(2 * n - 2));
        node.right = static_cast<std::int16_t>(n == 0 ? 2 : ~(2 * n - 1));
        node.threshold = number(random);
        m.nodes.push_back(node);
      }
      for (int n = 0; n < 4; ++n)
        m.leaves.push_back(static_cast<std::int32_t>(random() % 131072) - 65536);
    }
  }
  return {"trees", std::move(m)};
}

/// A network of two layers for crops of 8 x 16 pixels, and how it is used.
inline LookAgain look_again(std::uint32_t seed = 1, int planes = 1) {
  std::mt19937 random{seed};
  LookAgain look;
  look.network.crop = {8, 16, planes, 12};
  const auto add = [&](int inputs, int outputs, int width, int height, int stride, int padding) {
    net::Layer layer{inputs, outputs, width, height, stride, padding, {}, {}, {}};
    const int weights = inputs * outputs * width * height;
    for (int i = 0; i < weights; ++i)
      layer.weights.push_back(static_cast<std::int8_t>(static_cast<int>(random() % 255) - 127));
    for (int i = 0; i < outputs; ++i) {
      layer.bias.push_back(static_cast<std::int32_t>(random() % 2001) - 1000);
      layer.factor.push_back(static_cast<float>(1 + random() % 100) / 100000);
    }
    look.network.layers.push_back(std::move(layer));
  };
  add(planes, 3, 3, 3, 2, 1);
  add(3, 4, 4, 8, 1, 0);
  look.threshold = -1;
  look.overlap = 0.5F;
  look.most = 20;
  look.cascade_share = 0.25F;
  return look;
}

/// The model with this network, advised as such a model must be.
inline Model looking(Model model, LookAgain look) {
  model.advice.fusion = FusionKind::suppression;
  model.look_again = std::move(look);
  return model;
}

}  // namespace kerb::hog::test
