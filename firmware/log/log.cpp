// SPDX-License-Identifier: Apache-2.0
#include "firmware/log/log.hpp"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>

#include <chrono>
#include <string>
#include <utility>

#include "firmware/log/json_text.hpp"

namespace kerb {
namespace {

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

const char* word_for(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warning:
      return "warning";
    case LogLevel::error:
      return "error";
  }
  return "error";
}

/// Our level names, five characters wide, where spdlog would write "warning" and shift the text.
class LevelColumn final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& out) override {
    std::string_view word = "error";
    if (message.level == spdlog::level::debug) word = "debug";
    if (message.level == spdlog::level::info) word = "info ";
    if (message.level == spdlog::level::warn) word = "warn ";
    out.append(word.data(), word.data() + word.size());
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<LevelColumn>();
  }
};

std::unique_ptr<spdlog::formatter> formatter_for(bool json) {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  if (json) {
    formatter->set_pattern("%v");
  } else {
    formatter->add_flag<LevelColumn>('K').set_pattern("%H:%M:%S.%e %^%K%$ %v");
  }
  return formatter;
}

class StreamLog final : public Log {
 public:
  explicit StreamLog(const LogOptions& options)
      : json_{options.json},
        logger_{"kerbwatch", std::make_shared<Sink>(options.stream, colour(options))} {
    logger_.set_formatter(formatter_for(options.json));
    logger_.set_level(to_spdlog(options.level));
    logger_.flush_on(spdlog::level::trace);
    logger_.set_error_handler([](const std::string&) {});  // there is nowhere left to report it
  }

  void write(LogLevel level, const char* category, std::string_view text) noexcept override {
    try {
      if (!logger_.should_log(to_spdlog(level))) return;
      if (category == nullptr) category = "";
      std::string line;
      line.reserve(text.size() + 96);
      if (json_) {
        line += "{\"time\":\"";
        append_utc(line, std::chrono::system_clock::now().time_since_epoch());
        line.append("\",\"level\":\"").append(word_for(level)).append("\",\"category\":");
        append_json(line, std::string_view{category});
        line += ",\"text\":";
        append_json(line, text);
        line += '}';
      } else {
        append_printable(line, category);
        line += ": ";
        append_printable(line, text);
      }
      logger_.log(to_spdlog(level), spdlog::string_view_t{line.data(), line.size()});
    } catch (...) {  // out of memory: the line is lost, the program continues
    }
  }

 private:
  using Sink = spdlog::sinks::ansicolor_sink<spdlog::details::console_mutex>;
  static spdlog::color_mode colour(const LogOptions& options) {
    return options.json ? spdlog::color_mode::never : spdlog::color_mode::automatic;
  }

  bool json_;
  spdlog::logger logger_;
};

}  // namespace

std::unique_ptr<Log> make_log(const LogOptions& options) {
  return std::make_unique<StreamLog>(options);
}

}  // namespace kerb
