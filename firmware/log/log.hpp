// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>

#include "hal/base/clock.hpp"
#include "hal/base/log.hpp"

namespace kerb {

struct LogOptions {
  LogLevel level = LogLevel::info;       ///< lower levels are not written
  bool json = false;                     ///< JSON lines instead of text
  std::FILE* stream = stderr;            ///< must outlive the log; its buffer is not used
  std::size_t queue = 256;               ///< lines (1 KiB each) that may wait for the stream
  std::function<void()> thread_start{};  ///< called first on the thread that writes
  Nanos shutdown_limit =
      std::chrono::milliseconds{400};  ///< real time: the destructor takes no longer
};

/// A text log: `12:34:56.789 info  pipeline: text` (local time; coloured on a terminal), or
/// with `json`
/// `{"time":"2026-01-31T12:34:56.789Z","level":"info","category":"pipeline","text":"..."}`. One
/// line per call, whatever the text: control characters are escaped, bytes that are not UTF-8
/// become U+FFFD. A text of more than 960 bytes is cut and ends in "...".
///
/// write() puts the line into a queue, from which a thread of the log writes it: it never waits for
/// the stream, and allocates nothing. Where the stream takes no more (a pipe that nobody reads) the
/// queue fills up, its last quarter with warnings and errors only; further lines are dropped and
/// counted, and a line "N lines dropped" takes their place once the stream takes lines again. So do
/// lines that the stream refuses.
///
/// The destructor writes what waits, as far as the stream takes it within `shutdown_limit`. A
/// process that crashes loses the lines of its last moment.
[[nodiscard]] std::unique_ptr<Log> make_log(const LogOptions& options);

}  // namespace kerb
