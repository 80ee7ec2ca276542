// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <variant>

#include "firmware/schema/tree.hpp"
#include "tools/simulator/scenario/load.hpp"

namespace kerb::sim {

/// Finds a template by the name a suite gives it.
using FindTemplate =
    std::function<std::variant<schema::Node, schema::Problem>(const std::string& name)>;

/// A tree with [[group]] is a suite's.
[[nodiscard]] bool is_suite(const schema::Node& root);
/// All runs of a suite, each checked. `name` stands where the suite's own name is not given.
[[nodiscard]] Loaded expand_suite(const schema::Node& root, const std::string& name,
                                  const FindTemplate& find_template);
/// One scenario from its tree; problems are added.
[[nodiscard]] Scenario scenario_of(const schema::Node& root,
                                   std::vector<schema::Problem>& problems);

}  // namespace kerb::sim
