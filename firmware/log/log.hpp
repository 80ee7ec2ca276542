// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <memory>

#include "hal/base/log.hpp"

namespace kerb {

struct LogOptions {
  LogLevel level = LogLevel::info;  ///< lower levels are not written
  bool json = false;                ///< JSON lines instead of text
  std::FILE* stream = stderr;       ///< must outlive the log
};

/// A text log: `12:34:56.789 info  pipeline: text` (local time; coloured on a terminal), or
/// with `json`
/// `{"time":"2026-01-31T12:34:56.789Z","level":"info","category":"pipeline","text":"..."}`. One
/// line per call, whatever the text: control characters are escaped, bytes that are not UTF-8
/// become U+FFFD. Each line is flushed; lines of different threads do not mix. If the stream fails,
/// the line is lost silently.
[[nodiscard]] std::unique_ptr<Log> make_log(const LogOptions& options);

}  // namespace kerb
