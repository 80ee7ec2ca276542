// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "hal/base/result.hpp"

namespace kerb::lab {

/// A page of documentation in which a command keeps its tables: what lies between the lines
/// "<!-- NAME: begin -->" and "<!-- NAME: end -->" is replaced, nothing else.
class MarkedPage {
 public:
  /// Fails: invalid_argument (a page without those lines), and as files::read_text().
  Status read(const std::string& path, const std::string& name);
  /// Fails: io.
  [[nodiscard]] Status write(const std::string& between) const;

 private:
  std::string path_, before_, after_;
};

}  // namespace kerb::lab
