// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <mutex>
#include <string>
#include <vector>

#include "hal/base/log.hpp"

namespace kerb {

/// Keeps what was logged.
class FakeLog final : public Log {
 public:
  struct Line {
    LogLevel level;
    std::string category, text;
  };
  void write(LogLevel level, const char* category, std::string_view text) noexcept override {
    const std::lock_guard lock{mutex_};
    lines_.push_back({level, category, std::string{text}});
  }
  [[nodiscard]] std::vector<Line> lines() const {
    const std::lock_guard lock{mutex_};
    return lines_;
  }
  [[nodiscard]] bool has(std::string_view part) const {
    for (const Line& line : lines())
      if (line.text.find(part) != std::string::npos) return true;
    return false;
  }

  [[nodiscard]] std::size_t size() const {
    const std::lock_guard lock{mutex_};
    return lines_.size();
  }
  void clear() {
    const std::lock_guard lock{mutex_};
    lines_ = {};
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Line> lines_;
};

}  // namespace kerb
