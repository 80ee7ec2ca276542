// SPDX-License-Identifier: Apache-2.0
#include "firmware/log/log.hpp"

#include <spdlog/details/log_msg.h>
#include <spdlog/details/os.h>
#include <spdlog/pattern_formatter.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "firmware/log/json_text.hpp"
#include "firmware/log/write_some.hpp"
#include "firmware/threads/disk_thread.hpp"
#include "firmware/threads/event_queue.hpp"
#include "hal/base/text.hpp"

namespace kerb {
namespace {

using SystemTime = std::chrono::system_clock::time_point;

constexpr std::size_t kMostText = 960;
constexpr Nanos kSlice = std::chrono::milliseconds{50};  // of the wait for a full stream

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

/// The colour of the level on a terminal.
const char* colour_for(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return "\033[36m";
    case LogLevel::info:
      return "\033[32m";
    case LogLevel::warning:
      return "\033[33m\033[1m";
    case LogLevel::error:
      return "\033[31m\033[1m";
  }
  return "";
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

/// A line as it was given, of fixed size: making and copying one allocates nothing.
struct Line {
  SystemTime time{};
  LogLevel level = LogLevel::info;
  Text<32> category;
  Text<kMostText> text;
};

Line line_of(LogLevel level, std::string_view category, std::string_view text) noexcept {
  constexpr std::string_view kCut = "...";
  Line line{std::chrono::system_clock::now(), level, category, {}};
  if (text.size() <= kMostText) {
    line.text = text;
  } else {
    line.text.assign(text.substr(0, kMostText - kCut.size()));
    line.text.append(kCut);
  }
  return line;
}

/// Lines as they are written; for one thread at a time.
class Formatter {
 public:
  Formatter(bool json, bool coloured) : json_{json}, coloured_{coloured} {
    pattern_.add_flag<LevelColumn>('K').set_pattern("%H:%M:%S.%e %^%K%$ ");
  }

  std::string_view format(const Line& line) {
    out_.clear();
    if (json_) {
      format_json(line);
    } else {
      format_text(line);
    }
    out_ += '\n';
    return out_;
  }

 private:
  void format_json(const Line& line) {
    out_ += "{\"time\":\"";
    append_utc(out_, line.time.time_since_epoch());
    out_.append("\",\"level\":\"").append(word_for(line.level)).append("\",\"category\":");
    append_json(out_, line.category.view());
    out_ += ",\"text\":";
    append_json(out_, line.text.view());
    out_ += '}';
  }
  void format_text(const Line& line) {
    const spdlog::details::log_msg message{line.time, {}, "", to_spdlog(line.level), ""};
    prefix_.clear();
    pattern_.format(message, prefix_);
    const std::string_view prefix{prefix_.data(), prefix_.size()};
    const std::size_t begin = message.color_range_start, end = message.color_range_end;
    out_ += prefix.substr(0, begin);
    if (coloured_) out_ += colour_for(line.level);
    out_ += prefix.substr(begin, end - begin);
    if (coloured_) out_ += "\033[m";
    out_ += prefix.substr(end);
    append_printable(out_, line.category.view());
    out_ += ": ";
    append_printable(out_, line.text.view());
  }

  bool json_, coloured_;
  spdlog::pattern_formatter pattern_{spdlog::pattern_time_type::local, ""};
  spdlog::memory_buf_t prefix_;
  std::string out_;
};

bool is_colour_terminal(std::FILE* stream) {
  return spdlog::details::os::in_terminal(stream) && spdlog::details::os::is_color_terminal();
}

/// The state that the log shares with its writer. Members below the queue belong to the writer.
struct Core {
  explicit Core(const LogOptions& wanted)
      : options{wanted},
        fd{::fileno(wanted.stream)},
        lines{wanted.queue},
        formatter{wanted.json, !wanted.json && is_colour_terminal(wanted.stream)} {}

  void write_until_stopped() noexcept;
  void drain() noexcept;
  bool put(const Line& line) noexcept;
  bool put(std::string_view text) noexcept;
  void tell_losses() noexcept;

  const LogOptions options;
  const int fd;
  DiskThread thread;
  bool has_thread = false;  // false: none was to be had, and the callers write
  std::mutex writing;       // they do it one at a time
  std::atomic<bool> woken{false};
  std::atomic<std::uint64_t> lost{0};
  EventQueue<Line> lines;

  Formatter formatter;
  std::uint64_t losses_told = 0, losses_behind = 0;  // number of lines before the gap
  bool losses_due = false;
  SteadyClock::time_point give_up = SteadyClock::time_point::max();
};

/// Writes one line, as long as it takes; once the log is to end, for a while only.
bool Core::put(std::string_view text) noexcept {
  const Nanos slice = has_thread ? kSlice : Nanos::zero();
  if (SteadyClock::now() >= give_up) return false;
  while (!text.empty()) {
    const ssize_t written = write_some(fd, text, slice);
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
    if (written > 0) continue;
    if (!has_thread) return false;
    if (!thread.stopping()) continue;
    const auto now = SteadyClock::now();
    if (give_up == SteadyClock::time_point::max()) give_up = now + options.shutdown_limit / 2;
    if (now >= give_up) return false;
  }
  return true;
}

bool Core::put(const Line& line) noexcept {
  try {
    return put(formatter.format(line));
  } catch (...) {  // out of memory: the line is lost, the program continues
    return false;
  }
}

void Core::tell_losses() noexcept {
  if (!losses_due && lost.load(std::memory_order_acquire) > losses_told) {
    losses_due = true;
    losses_behind = lines.pushed();
  }
  if (!losses_due || lines.popped() < losses_behind) return;
  const std::uint64_t count = lost.load(std::memory_order_acquire) - losses_told;
  char text[48];
  std::snprintf(text, sizeof text, "%llu lines dropped", static_cast<unsigned long long>(count));
  if (!put(line_of(LogLevel::warning, "log", text))) return;  // told with those that follow
  losses_told += count;
  losses_due = false;
}

/// Writes what is queued.
void Core::drain() noexcept {
  for (;;) {
    tell_losses();
    const Line* next = lines.front();
    if (next == nullptr) return;
    if (!put(*next)) lost.fetch_add(1, std::memory_order_acq_rel);
    lines.drop_front();
  }
}

void Core::write_until_stopped() noexcept {
  for (bool stopping = false; !stopping;) {
    stopping = thread.stopping();  // before draining: what was written before the stop gets out
    woken.exchange(false, std::memory_order_acq_rel);
    drain();
    if (!stopping) thread.sleep_until(SteadyClock::time_point::max());
  }
}

class StreamLog final : public Log {
 public:
  explicit StreamLog(const LogOptions& options) : core_{std::make_shared<Core>(options)} {
    core_->has_thread = true;
    if (core_->thread.start([core = core_] {
          if (core->options.thread_start) core->options.thread_start();
          core->write_until_stopped();
        }) != 0)
      core_->has_thread = false;
  }
  // A writer that is stuck in a write keeps the core.
  ~StreamLog() override {
    if (core_->has_thread) core_->thread.stop(core_->options.shutdown_limit);
  }
  StreamLog(const StreamLog&) = delete;
  StreamLog& operator=(const StreamLog&) = delete;

  void write(LogLevel level, const char* category, std::string_view text) noexcept override {
    if (level < core_->options.level) return;
    const Line line = line_of(level, category == nullptr ? "" : category, text);
    if (!core_->lines.push(line, level >= LogLevel::warning))
      core_->lost.fetch_add(1, std::memory_order_acq_rel);
    if (!core_->has_thread) {
      const std::lock_guard lock{core_->writing};
      core_->drain();
    } else if (!core_->woken.exchange(true, std::memory_order_acq_rel)) {
      core_->thread.bell().ring();
    }
  }

 private:
  const std::shared_ptr<Core> core_;
};

}  // namespace

std::unique_ptr<Log> make_log(const LogOptions& options) {
  return std::make_unique<StreamLog>(options);
}

}  // namespace kerb
