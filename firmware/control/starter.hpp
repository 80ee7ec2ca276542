// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <functional>
#include <optional>
#include <thread>

#include "firmware/control/start_round.hpp"

namespace kerb {

/// Tries to start, again and again: half a second after the first failure, then twice as long after
/// each, up to 5 s. Attempts run on a thread of their own, because loading models and opening
/// cameras takes seconds, and a driver may hang. An allocation that fails is a failure like any
/// other. One thread calls this.
class Starter {
 public:
  /// Nothing: the product is open. It may throw.
  using Attempt = std::function<std::optional<StartFailure>()>;

  explicit Starter(Attempt attempt) : attempt_{std::move(attempt)} {}
  /// Waits for an attempt that is under way.
  ~Starter();
  Starter(const Starter&) = delete;
  Starter& operator=(const Starter&) = delete;

  /// Begins an attempt when it is time for one, and takes the result of one that has ended. True as
  /// soon as one has succeeded. Never waits.
  bool step(Nanos now);
  /// Of the last attempt that failed; nothing before.
  [[nodiscard]] const std::optional<StartFailure>& failure() const noexcept { return failure_; }
  /// An attempt is under way.
  [[nodiscard]] bool busy() const noexcept { return thread_.joinable() && !finished_; }

 private:
  static constexpr Nanos kFirstWait = std::chrono::milliseconds{500};
  static constexpr Nanos kLongestWait = std::chrono::seconds{5};
  void begin();
  void failed(const StartFailure& why, Nanos now);

  Attempt attempt_;
  std::thread thread_;
  std::atomic<bool> finished_{false};
  std::optional<StartFailure> result_;  ///< the thread's until finished_
  std::optional<StartFailure> failure_;
  Nanos next_{}, wait_ = kFirstWait;
  bool done_ = false;
};

}  // namespace kerb
