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
/// All runs of a suite, each checked. `name` stands where the suite's own name is not given; `seed`
/// as in load_suite().
[[nodiscard]] Loaded expand_suite(const schema::Node& root, const std::string& name,
                                  const FindTemplate& find_template, std::uint32_t seed = 0);
/// "crossing-v2@7": a variation by its number and, unless it is 0, the seed it is drawn from.
[[nodiscard]] std::string variation_name(const std::string& nominal, int number,
                                         std::uint32_t seed);
/// Sets a tree's `seed`, from which a scenario draws all that it leaves open, to one that depends
/// on `text` alone.
void put_seed(schema::Node& tree, std::string_view text);
/// One scenario from its tree; problems are added.
[[nodiscard]] Scenario scenario_of(const schema::Node& root,
                                   std::vector<schema::Problem>& problems);

}  // namespace kerb::sim
