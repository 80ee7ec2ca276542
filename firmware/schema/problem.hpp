// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

namespace kerb::schema {

struct Where {
  std::shared_ptr<const std::string> file;
  int line = 0, column = 0;  ///< count from 1; 0: nowhere in it
};

/// One thing that is wrong with a file.
struct Problem {
  Where where;
  std::string key;    ///< "camera[0].width"; empty when it is the file as a whole
  std::string value;  ///< as written, shortened; empty when there is none
  std::string rule;   ///< "must be 64..4096 (pixels)"
  /// "FILE:LINE:COL: KEY = VALUE: RULE". Printable characters only, whatever was in the file.
  [[nodiscard]] std::string line() const;
};
/// Into the order of files, lines and columns.
void sort(std::vector<Problem>& problems);

}  // namespace kerb::schema
