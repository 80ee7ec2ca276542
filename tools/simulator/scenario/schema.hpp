// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "firmware/schema/schema.hpp"
#include "tools/simulator/scenario/draft.hpp"

namespace kerb::sim {

/// The one list of what may stand in a scenario file, as a whole a ScenarioDraft. Reading, checking
/// and the reference in docs/simulator.md are all made from it; defaults are those of the drafts
/// themselves.
[[nodiscard]] const schema::Table& scenario_table();
/// All keys in Markdown, a table for each TOML table: what docs/simulator.md holds between marks.
[[nodiscard]] std::string render_scenario_reference();

}  // namespace kerb::sim
