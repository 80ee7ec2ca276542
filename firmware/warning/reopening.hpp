// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "hal/base/clock.hpp"
#include "hal/base/log.hpp"
#include "hal/base/result.hpp"

namespace kerb {

/// Opens a device; called again each time it was lost.
template <typename Device>
using DeviceOpener = std::function<Result<std::unique_ptr<Device>>()>;

/// Holds a device that may be unplugged, or not there yet at the start. One that fails with `gone`
/// is closed, and opened again at its next use, 100 ms later at the earliest; the wait doubles with
/// each failure, up to 5 s. It stays long for a device that is lost again within 5 s of its
/// opening.
///
/// Opening happens on the caller's thread, the control loop: the opener must not block. A GPIO line
/// takes a few system calls, ALSA opens in non-blocking mode within milliseconds, and a sound
/// device that is gone has ended its thread before it is closed. One thread.
template <typename Device>
class Reopening {
 public:
  /// `name` is for the log: "status lamp". `first` may be null: it is then opened at its first use.
  Reopening(std::unique_ptr<Device> first, DeviceOpener<Device> open, std::string name,
            const Clock& clock, Log& log)
      : device_{std::move(first)},
        open_{std::move(open)},
        name_{std::move(name)},
        clock_{clock},
        log_{log},
        opened_at_{clock.now()},
        retry_at_{opened_at_} {}

  /// The result of `action(device)`; while there is no device, `gone` with the reason. The caller
  /// logs it.
  template <typename Action>
  Status use(const Action& action) {
    Device* const device = reach();
    if (device == nullptr) return why_;
    const Status done = action(*device);
    if (!done) fails(done.error());
    return done;
  }
  /// The device, opened if it is time to try; null while it is gone.
  Device* reach() {
    const Nanos now = clock_.now();
    if (!device_ && (now < retry_at_ || !try_open(now))) return nullptr;
    return device_.get();
  }
  /// What a call on the device failed with: closes one that is gone.
  void fails(const Error& error) {
    if (device_ && error.code == Errc::gone) lose(error, clock_.now());
  }
  /// The device; null while it is gone.
  [[nodiscard]] const Device* get() const noexcept { return device_.get(); }
  [[nodiscard]] Device* get() noexcept { return device_.get(); }
  /// Why there is none.
  [[nodiscard]] const Error& why() const noexcept { return why_; }

 private:
  static constexpr Nanos kFirstWait = std::chrono::milliseconds{100};
  static constexpr Nanos kLongestWait = std::chrono::seconds{5};

  void lose(const Error& why, Nanos now) {
    why_ = why;
    was_lost_ = true;
    device_.reset();
    if (now - opened_at_ >= kLongestWait) wait_ = kFirstWait;  // it had worked
    back_off(now);
  }
  bool try_open(Nanos now) {
    Result<std::unique_ptr<Device>> opened = open_();
    if (!opened) {
      why_ = opened.error();
      if (!std::exchange(was_lost_, true))  // it was not there at the start
        log_.warning("device", name_ + ": " + describe(why_) + "; retrying");
      why_.code = Errc::gone;
      back_off(now);
      return false;
    }
    device_ = std::move(*opened);
    opened_at_ = now;
    if (was_lost_) log_.info("device", name_ + " is back");
    return true;
  }
  void back_off(Nanos now) noexcept {
    retry_at_ = now + wait_;
    wait_ = std::min(wait_ * 2, kLongestWait);
  }

  std::unique_ptr<Device> device_;
  DeviceOpener<Device> open_;
  std::string name_;
  const Clock& clock_;
  Log& log_;
  Error why_{Errc::gone, 0, "open device"};
  Nanos opened_at_, retry_at_, wait_ = kFirstWait;
  bool was_lost_ = false;  ///< or has been missing from the start
};

}  // namespace kerb
