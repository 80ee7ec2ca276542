// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <utility>

#include "firmware/threads/disk_thread.hpp"
#include "hal/dimmer.hpp"

namespace kerb {

/// A Dimmer that is set on a thread of its own: a PWM chip behind a slow bus, or one that hangs,
/// holds nobody. set() says what became of the last brightness that was written: io with its errno,
/// ETIMEDOUT while the chip has not answered for `patience` of real time. One thread.
class BackgroundDimmer final : public Dimmer {
 public:
  static constexpr Nanos kPatience = std::chrono::milliseconds{500};

  /// Fails: io (no thread to be had).
  static Result<std::unique_ptr<BackgroundDimmer>> start(std::unique_ptr<Dimmer> dimmer,
                                                         Nanos patience = kPatience) {
    auto core = std::make_shared<Core>(std::move(dimmer));
    if (const int err = core->thread.start([core] { core->run(); }); err != 0)
      return Error{Errc::io, err, "dimmer: start its thread"};
    return std::unique_ptr<BackgroundDimmer>{new BackgroundDimmer{std::move(core), patience}};
  }
  /// Writes what waits, and returns within `patience`; a chip that hangs is left to its thread.
  ~BackgroundDimmer() override { core_->thread.stop(patience_); }
  BackgroundDimmer(const BackgroundDimmer&) = delete;
  BackgroundDimmer& operator=(const BackgroundDimmer&) = delete;

  Status set(double share) override {
    if (!(share >= 0 && share <= 1)) return Error{Errc::invalid_argument, 0, "set the dimmer"};
    core_->wanted.store(share, std::memory_order_relaxed);
    core_->asked.fetch_add(1, std::memory_order_release);
    core_->thread.bell().ring();
    if (core_->thread.stuck_for() > patience_) return Error{Errc::io, ETIMEDOUT, "set the dimmer"};
    if (const int err = core_->error.load(std::memory_order_relaxed); err != 0)
      return Error{Errc::io, err, "set the dimmer"};
    return Done{};
  }

 private:
  struct Core {
    explicit Core(std::unique_ptr<Dimmer> of) : dimmer{std::move(of)} {}

    std::unique_ptr<Dimmer> dimmer;
    DiskThread thread;
    std::atomic<double> wanted{1};
    std::atomic<std::uint64_t> asked{0};
    std::atomic<int> error{0};  ///< errno of the last write; 0: it succeeded

    void run() noexcept {
      for (std::uint64_t done = 0;;) {
        const bool stopping = thread.stopping();  // before looking: the last wish is fulfilled
        const std::uint64_t next = asked.load(std::memory_order_acquire);
        if (std::exchange(done, next) != next) {
          const Status set = dimmer->set(wanted.load(std::memory_order_relaxed));
          error.store(set ? 0 : errno_of(set.error()), std::memory_order_relaxed);
        }
        if (stopping) break;
        thread.sleep_until(SteadyClock::time_point::max());
      }
      dimmer.reset();
    }
    static int errno_of(const Error& error) noexcept {
      return error.native != 0 ? error.native : EIO;
    }
  };
  BackgroundDimmer(std::shared_ptr<Core> core, Nanos patience) noexcept
      : core_{std::move(core)}, patience_{patience} {}

  std::shared_ptr<Core> core_;  // shared with the thread, which outlives this when the chip hangs
  Nanos patience_;
};

}  // namespace kerb
