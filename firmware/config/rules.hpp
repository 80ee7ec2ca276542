// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/config/config.hpp"
#include "firmware/schema/reader.hpp"

namespace kerb::config {

/// Reports every rule between keys that does not hold. `reader` has read the values.
void check_rules(const Config& config, schema::Reader& reader);

}  // namespace kerb::config
