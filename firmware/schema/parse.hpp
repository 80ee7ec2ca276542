// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <variant>

#include "firmware/schema/problem.hpp"
#include "firmware/schema/tree.hpp"

namespace kerb::schema {

/// A TOML text of at most 1 MiB; `name` replaces the file's name. Any bytes are handled, nothing is
/// thrown.
[[nodiscard]] std::variant<Node, Problem> parse_tree(std::string_view text,
                                                     const std::string& name);
/// Reads and parses a file.
[[nodiscard]] std::variant<Node, Problem> read_tree(const std::string& path);

}  // namespace kerb::schema
