// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "hal/base/clock.hpp"

namespace kerb::lab {

/// A bar on stderr, where that is a terminal, once the work has taken a second. Cleared when
/// destroyed, so that what is printed next has the line to itself.
class Progress {
 public:
  Progress(const Clock& clock, std::string what);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `note` goes to the end of the line.
  void show(std::size_t done, std::size_t all, const std::string& note = {});
  void clear();

 private:
  const Clock& clock_;
  std::string what_;
  Nanos start_, shown_;
  bool is_terminal_, visible_ = false;
};

}  // namespace kerb::lab
