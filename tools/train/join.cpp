// SPDX-License-Identifier: Apache-2.0
#include "tools/train/join.hpp"

#include <variant>

namespace kerb::train {
namespace {

bool is_alike(const hog::CascadeModel& a, const hog::CascadeModel& b) {
  const hog::Geometry &g = a.geometry, &h = b.geometry;
  const hog::Channels &c = a.channels, &d = b.channels;
  return g.window_width == h.window_width && g.window_height == h.window_height &&
         g.person_x == h.person_x && g.person_y == h.person_y && g.person_width == h.person_width &&
         g.person_height == h.person_height && g.scaling == h.scaling && c.bins == d.bins &&
         c.half_shifted == d.half_shifted && c.magnitude == d.magnitude && c.colour == d.colour;
}

/// Trees, nodes and leaves of `from`, with half its votes.
void append_trees(const hog::CascadeModel& from, hog::CascadeModel& to) {
  const auto nodes = static_cast<std::int32_t>(to.nodes.size());
  const auto leaves = static_cast<std::int32_t>(to.leaves.size());
  for (hog::TreeLearner tree : from.trees) {
    tree.first_node += nodes;
    tree.first_leaf += leaves;
    to.trees.push_back(tree);
  }
  to.nodes.insert(to.nodes.end(), from.nodes.begin(), from.nodes.end());
  for (const std::int32_t vote : from.leaves) to.leaves.push_back(vote / 2);
}

}  // namespace

Result<hog::Model> join(const hog::Model& first, const hog::Model& second) {
  const auto* a = std::get_if<hog::CascadeModel>(&first.kind);
  const auto* b = std::get_if<hog::CascadeModel>(&second.kind);
  const auto wrong = [](const char* why) {
    return Error{Errc::invalid_argument, 0, "join models", why};
  };
  if (a == nullptr || b == nullptr || !a->cumulative || !b->cumulative || a->trees.empty() ||
      b->trees.empty())
    return wrong("both must be cascades of trees with one running sum (kerblab train channels)");
  if (!is_alike(*a, *b)) return wrong("their windows or channels differ");
  hog::CascadeModel out;
  out.geometry = a->geometry;
  out.channels = a->channels;
  out.cumulative = true;
  append_trees(*a, out);
  append_trees(*b, out);
  for (hog::Stage stage : a->stages) {
    stage.threshold /= 2;
    out.stages.push_back(stage);
  }
  const std::int32_t passed = out.stages.back().threshold;
  for (hog::Stage stage : b->stages) {
    stage.first += static_cast<std::int32_t>(a->trees.size());
    stage.threshold = passed + stage.threshold / 2;
    out.stages.push_back(stage);
  }
  hog::Model model{first.name, std::move(out), first.advice};
  if (Status ok = hog::validate(model); !ok) return ok.error();
  return model;
}

}  // namespace kerb::train
