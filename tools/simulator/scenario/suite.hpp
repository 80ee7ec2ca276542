// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <variant>

#include "tools/simulator/scenario/load.hpp"
#include "tools/simulator/scenario/tree.hpp"

namespace kerb::sim {

/// Finds a template by the name a suite gives it.
using FindTemplate = std::function<std::variant<Node, Problem>(const std::string& name)>;

/// A tree with [[group]] is a suite's.
[[nodiscard]] bool is_suite(const Node& root);
/// All runs of a suite, each checked. `name` stands where the suite's own name is not given.
[[nodiscard]] Loaded expand_suite(const Node& root, const std::string& name,
                                  const FindTemplate& find_template);
/// One scenario from its tree; problems are added.
[[nodiscard]] Scenario scenario_of(const Node& root, std::vector<Problem>& problems);

}  // namespace kerb::sim
