// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>

namespace kerb {

/// error: someone must act. warning: degraded, still protecting. info: start, stop, settings.
enum class LogLevel : std::uint8_t { debug, info, warning, error };

/// The text log. The code that handles an error logs it, once. Safe for any thread; may allocate,
/// so not for the frame loop: per-frame facts are counters.
class Log {
 public:
  virtual ~Log() = default;
  virtual void write(LogLevel level, const char* category, std::string_view text) noexcept = 0;

  void debug(const char* category, std::string_view text) noexcept {
    write(LogLevel::debug, category, text);
  }
  void info(const char* category, std::string_view text) noexcept {
    write(LogLevel::info, category, text);
  }
  void warning(const char* category, std::string_view text) noexcept {
    write(LogLevel::warning, category, text);
  }
  void error(const char* category, std::string_view text) noexcept {
    write(LogLevel::error, category, text);
  }
};

}  // namespace kerb
