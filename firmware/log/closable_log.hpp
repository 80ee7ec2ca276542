// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <mutex>

#include "hal/base/log.hpp"

namespace kerb {

/// A log for what a DiskThread owns, which may outlive the log behind this one: after close() what
/// is written goes nowhere.
class ClosableLog final : public Log {
 public:
  explicit ClosableLog(Log& log) noexcept : log_{&log} {}
  void close() noexcept {
    const std::lock_guard lock{mutex_};
    log_ = nullptr;
  }
  void write(LogLevel level, const char* category, std::string_view text) noexcept override {
    const std::lock_guard lock{mutex_};
    if (log_ != nullptr) log_->write(level, category, text);
  }

 private:
  std::mutex mutex_;
  Log* log_;
};

}  // namespace kerb
