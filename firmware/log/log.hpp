// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <memory>

#include "hal/base/log.hpp"

namespace kerb {

struct LogOptions {
  LogLevel level = LogLevel::info;  ///< what is below it is not written
  bool json = false;                ///< JSON lines instead of text
  std::FILE* stream = stderr;       ///< must outlive the log
};

/// A log for people: `12:34:56.789 info  pipeline: text` (local time; coloured on a terminal), or
/// with `json`
/// `{"time":"2026-01-31T12:34:56.789Z","level":"info","category":"pipeline","text":"..."}`. One
/// line a call whatever the text: control characters are escaped, bytes that are not UTF-8 become
/// U+FFFD. Each line is flushed; lines of different threads do not mix. A stream that refuses loses
/// the line, silently.
[[nodiscard]] std::unique_ptr<Log> make_log(const LogOptions& options);

}  // namespace kerb
