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

/// Prints what each record holds, replays it and compares. Prints to standard output; for what
/// cannot be read, a line to standard error. Returns the exit code: 0 all that was compared is the
/// same, 1 something differs, 2 a file is broken or of a format that cannot be read, 3 something
/// differs, and the record was decided by another version. Of several records: 2 before 1 before 3.
int run_replay(const ReplayRequest& request);

}  // namespace kerb
