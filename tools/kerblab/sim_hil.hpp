// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "tools/kerblab/sim_batch.hpp"

namespace kerb::lab {

/// Plays scenarios on the bench and judges what came back. `command` is the bench: it is called as
/// "COMMAND --play FOLDER --traces FOLDER --limit SECONDS" and leaves a NAME.trace for each
/// NAME.kwplay (tests/board/run.sh does). Fails: as make_play(); not_found, io (no bench, or no
/// trace of a scenario).
Result<sim::Report> run_on_bench(const std::vector<SceneSet>& sets, const std::string& command,
                                 const BatchOptions& options, const sim::RunOptions& each);

}  // namespace kerb::lab
