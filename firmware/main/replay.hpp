// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace kerb {

/// What `kerbwatch replay` is asked for.
struct ReplayRequest {
  std::vector<std::string> files;
  bool json = false;     ///< a line for each file instead of text
  std::string pictures;  ///< the folder pictures are written to; empty: none
};

/// Says what each record holds, goes through it again and compares. Prints to standard output; what
/// cannot be read, to standard error. Gives the exit code: 0 all decisions are the same, 1 one
/// differs, 2 a file is broken.
int run_replay(const ReplayRequest& request);

}  // namespace kerb
