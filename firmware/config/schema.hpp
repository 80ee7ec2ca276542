// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/config/config.hpp"
#include "firmware/schema/schema.hpp"

namespace kerb::config {

/// The one list of what may stand in a configuration file. Reading, checking, the default file and
/// the reference in docs/ are all made from it; defaults are those of Config itself.
[[nodiscard]] const schema::Table& config_table();

}  // namespace kerb::config
