// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace kerb {

/// Options of `kerbwatch replay`.
struct ReplayRequest {
  std::vector<std::string> files;
  bool json = false;     ///< a line for each file instead of text
  std::string pictures;  ///< the folder pictures are written to; empty: none
};

/// Prints what each record holds, replays it and compares the decisions. Writes to standard output;
/// errors to standard error. Returns the exit code: 0 all decisions are the same, 1 one differs, 2
/// a file is broken.
int run_replay(const ReplayRequest& request);

}  // namespace kerb
