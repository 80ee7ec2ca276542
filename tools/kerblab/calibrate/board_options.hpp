// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "hal/base/result.hpp"
#include "tools/calibrate/board.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace kerb::lab {

/// Which board the pictures show.
struct BoardOptions {
  std::string size, pattern = "checkerboard";
  double square_m = 0;

  /// Fails: invalid_argument (the size is not COLUMNSxROWS).
  [[nodiscard]] Result<calibrate::Board> board() const;
};

/// Adds --size, --square and --pattern. `options` must live until the command line is read.
void add_board_options(CLI::App& command, BoardOptions& options, bool required);

}  // namespace kerb::lab
