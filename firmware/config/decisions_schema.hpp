// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/schema/schema.hpp"
#include "firmware/types/decisions.hpp"

namespace kerb::config {

/// The tables [decisions.*] of a configuration file: firmware/types/decisions.hpp.
extern const schema::TypedTable<DecisionSettings> kDecisionsTable;

}  // namespace kerb::config
