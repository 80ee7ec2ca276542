// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "firmware/schema/tree.hpp"

namespace kerb::sim {

/// Sets the value at "people[0].impact.kmh" and creates missing tables. Fails, with the reason, if
/// a part of the key is not a table or a list item does not exist.
[[nodiscard]] std::string put(schema::Node& root, std::string_view key, const schema::Node& value);
/// Merges `over` into `root`: tables are merged, anything else replaces what was there.
void overlay(schema::Node& root, const schema::Node& over);

}  // namespace kerb::sim
