// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "hal/exposure_control.hpp"

namespace kerb {

/// Exposure and gain of a camera that a test plays. The test's side (all but the interface) may be
/// used from any thread.
class FakeExposureControl final : public ExposureControl {
 public:
  explicit FakeExposureControl(const ExposureRange& range = default_range(),
                               bool has_automatic = true)
      : range_{range}, has_automatic_{has_automatic} {
    now_.time = range.nearest(range.longest / 4);
  }

  /// 0.1 to 33 ms in steps of 0.1 ms; gain 1 to 16 in steps of 1/16.
  static ExposureRange default_range() {
    ExposureRange range;
    range.shortest = range.step = std::chrono::microseconds{100};
    range.longest = std::chrono::milliseconds{33};
    range.gain.minimum = 16;
    range.gain.maximum = 256;
    return range;
  }

  [[nodiscard]] ExposureRange range() const noexcept override { return range_; }
  Result<Exposure> read() override {
    const std::lock_guard lock{mutex_};
    if (std::optional<Error> error = take_failure()) return *error;
    return now_;
  }
  Result<Exposure> set(const Exposure& wanted) override {
    const std::lock_guard lock{mutex_};
    if (std::optional<Error> error = take_failure()) return *error;
    automatic_ = false;
    now_.time = range_.has_time() ? range_.nearest(wanted.time) : Nanos::zero();
    now_.gain = range_.gain.gain_of(range_.gain.steps_for(wanted.gain));
    history_.push_back(now_);
    return now_;
  }
  Status set_automatic() override {
    const std::lock_guard lock{mutex_};
    if (std::optional<Error> error = take_failure()) return *error;
    if (!has_automatic_) return Error{Errc::unsupported, 0, "set camera exposure", "fake"};
    automatic_ = true;
    return Done{};
  }

  /// The next call fails with this; several calls, several failures, in order.
  void fail_next(const Error& error) {
    const std::lock_guard lock{mutex_};
    failures_.push_back(error);
  }
  [[nodiscard]] bool automatic() const {
    const std::lock_guard lock{mutex_};
    return automatic_;
  }
  [[nodiscard]] Exposure now() const {
    const std::lock_guard lock{mutex_};
    return now_;
  }
  /// Everything that was set, in order.
  [[nodiscard]] std::vector<Exposure> history() const {
    const std::lock_guard lock{mutex_};
    return history_;
  }

 private:
  std::optional<Error> take_failure() {
    if (failures_.empty()) return std::nullopt;
    const Error error = failures_.front();
    failures_.pop_front();
    return error;
  }

  const ExposureRange range_;
  const bool has_automatic_;
  mutable std::mutex mutex_;
  Exposure now_;
  bool automatic_ = true;
  std::deque<Error> failures_;
  std::vector<Exposure> history_;
};

}  // namespace kerb
