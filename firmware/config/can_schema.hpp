// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/config/config.hpp"
#include "firmware/schema/schema.hpp"

namespace kerb::config {

/// The tables [can], [can.vehicle] and [can.layout] of a configuration file.
extern const schema::TypedTable<CanSettings> kCanTable;
/// Of these, [can.layout].
[[nodiscard]] const schema::Table& can_layout_table();

}  // namespace kerb::config
