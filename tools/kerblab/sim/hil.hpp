// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tools/kerblab/sim/batch.hpp"

namespace kerb::lab {

/// Plays scenarios on the board and judges what came back. `command` is the board
/// (tests/board/run.sh is one): "COMMAND --check" says whether it could start, by its exit code and
/// one line on stderr; "COMMAND --play FOLDER --traces FOLDER --limit SECONDS" leaves a NAME.trace
/// for each NAME.kwplay, and may leave a NAME.log. Its stdout is passed on to stderr. Returns
/// nothing if it failed; the error was then printed in one line.
std::optional<sim::Report> run_on_board(const std::vector<SceneSet>& sets,
                                        const std::string& command, const BatchOptions& options,
                                        const sim::RunOptions& each);

}  // namespace kerb::lab
