// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace kerb::board {

/// A GPIO line as somebody else drives it.
struct LineState {
  bool is_output = false;
  bool is_high = false;
  std::string consumer;  ///< who holds it; the kernel shows the first 20 characters
};

/// Reads the level of line `offset` of the first GPIO chip from debugfs: a line that is held cannot
/// be requested a second time. Nothing when nobody holds the line.
std::optional<LineState> observe_line(int offset);

}  // namespace kerb::board
