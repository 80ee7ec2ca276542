// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <functional>
#include <memory>

#include "hal/base/log.hpp"
#include "hal/frame_source.hpp"

namespace kerb {

/// Opens a camera; called again each time it was lost.
using SourceOpener = std::function<Result<std::unique_ptr<FrameSource>>()>;

/// A FrameSource that is reopened after a loss: when the one inside fails with `gone`, or with an
/// error that no FrameSource should give, it is closed and opened again, first after 50 ms; the
/// wait doubles with each failure, up to a second. Without a source, next() waits its time-out and
/// fails with `gone`. Sequence numbers keep rising over a reopening. The first damaged frame is
/// logged, and then at most one every 10 s; all are counted. One thread, except for reopened().
class ReopeningSource final : public FrameSource {
 public:
  /// `first` may be null: it then starts as after a loss, and its info() is `expected`.
  ReopeningSource(std::unique_ptr<FrameSource> first, FrameSourceInfo expected, SourceOpener open,
                  const Clock& clock, Log& log);
  Result<Frame> next(Nanos timeout) override;
  [[nodiscard]] FrameSourceInfo info() const override { return info_; }
  [[nodiscard]] FrameCounters counters() const override;
  /// That of the source inside: another one after each reopening, null while there is no source.
  [[nodiscard]] ExposureControl* exposure_control() noexcept override {
    return source_ ? source_->exposure_control() : nullptr;
  }
  /// Whether there is a source.
  [[nodiscard]] bool is_open() const noexcept { return source_ != nullptr; }
  /// How often it was reopened.
  [[nodiscard]] std::uint64_t reopened() const noexcept { return reopened_.load(); }

 private:
  static constexpr Nanos kFirstWait = std::chrono::milliseconds{50};
  static constexpr Nanos kLongestWait = std::chrono::seconds{1};
  static constexpr Nanos kDamageSilence = std::chrono::seconds{10};

  void lose(const Error& why, Nanos now);
  void log_damage(const Error& what, Nanos now);
  bool try_open(Nanos now);

  std::unique_ptr<FrameSource> source_;
  FrameSourceInfo info_;
  SourceOpener open_;
  const Clock& clock_;
  Log& log_;
  FrameCounters before_{};  // of the sources that are gone
  std::uint64_t sequence_offset_ = 0, last_sequence_ = 0;
  bool any_frame_ = false, rebase_ = false;
  Error last_error_{Errc::gone, 0, "open camera"};
  Nanos retry_at_{}, wait_ = kFirstWait;
  Nanos last_captured_{}, log_damage_at_{};
  std::atomic<std::uint64_t> reopened_{0};
};

}  // namespace kerb
