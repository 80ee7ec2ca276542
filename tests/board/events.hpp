// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kerb::board {

/// Whether `line` is exactly one JSON object, by the letter of RFC 8259.
bool is_json_object(std::string_view line);

/// The firmware's event log as it lies on the disk.
class EventFile {
 public:
  /// Reads it now; a file that is not there has no lines. Then `more`, its later part.
  explicit EventFile(const std::string& path, const std::string& more = {});

  const std::vector<std::string>& lines() const { return lines_; }
  /// Lines that are not JSON objects, and a last one that is not ended.
  int broken() const { return broken_; }
  /// Whether "seq" runs 0, 1, 2 ... over all lines, from 0 in each run.
  bool is_gapless() const;
  /// How many lines of this kind have all of these, each written as in the file: "\"to\":\"down\"".
  int count(const std::string& kind, const std::vector<std::string>& parts = {}) const;
  /// The kind of the last line.
  std::string last_kind() const;

 private:
  void read(const std::string& path);

  std::vector<std::string> lines_;
  int broken_ = 0;
};

}  // namespace kerb::board
