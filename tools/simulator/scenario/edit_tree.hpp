// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "firmware/schema/tree.hpp"

namespace kerb::sim {

/// Puts a value at "people[0].impact.kmh", making the tables on the way. Fails, saying why, when
/// the way leads through something else than tables, or to an item of a list that is not there.
[[nodiscard]] std::string put(schema::Node& root, std::string_view key, const schema::Node& value);
/// Lays `over` over `root`: tables into tables, anything else instead of what was there.
void overlay(schema::Node& root, const schema::Node& over);

}  // namespace kerb::sim
