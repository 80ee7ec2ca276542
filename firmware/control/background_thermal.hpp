// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cerrno>
#include <cstdint>
#include <memory>
#include <utility>

#include "firmware/threads/disk_thread.hpp"
#include "firmware/threads/newest.hpp"
#include "hal/thermal.hpp"

namespace kerb {

/// Sensors that are read on a thread of their own: one behind a slow bus, or that hangs, holds
/// nobody. hottest() gives what was read since the call before, and has it read anew; timeout: no
/// sensor has answered since. One thread.
class BackgroundThermal final : public Thermal {
 public:
  static constexpr Nanos kPatience = std::chrono::milliseconds{500};

  /// Fails: io (no thread to be had).
  static Result<std::unique_ptr<BackgroundThermal>> start(std::unique_ptr<Thermal> thermal,
                                                          Nanos patience = kPatience) {
    auto core = std::make_shared<Core>(std::move(thermal));
    if (const int err = core->thread.start([core] { core->run(); }); err != 0)
      return Error{Errc::io, err, "temperature: start its thread"};
    return std::unique_ptr<BackgroundThermal>{new BackgroundThermal{std::move(core), patience}};
  }
  /// Returns within `patience` of real time; a sensor that hangs is left to its thread.
  ~BackgroundThermal() override { core_->thread.stop(patience_); }
  BackgroundThermal(const BackgroundThermal&) = delete;
  BackgroundThermal& operator=(const BackgroundThermal&) = delete;

  Result<ThermalReading> hottest() override {
    const Answer& answer = core_->answers.latest();
    const bool is_new = std::exchange(seen_, answer.number) != answer.number;
    core_->thread.bell().ring();
    if (!is_new) return Error{Errc::timeout, ETIMEDOUT, "read the temperature"};
    return answer.reading;
  }

 private:
  struct Answer {
    std::uint64_t number = 0;  ///< from 1
    Result<ThermalReading> reading{ThermalReading{}};
  };
  struct Core {
    explicit Core(std::unique_ptr<Thermal> of) : thermal{std::move(of)} {}

    std::unique_ptr<Thermal> thermal;
    DiskThread thread;
    Newest<Answer> answers;

    void run() noexcept {
      for (std::uint64_t number = 1; !thread.stopping(); ++number) {  // the first: unasked
        answers.draft() = {number, thermal->hottest()};
        answers.publish();
        thread.sleep_until(SteadyClock::time_point::max());
      }
      thermal.reset();
    }
  };
  BackgroundThermal(std::shared_ptr<Core> core, Nanos patience) noexcept
      : core_{std::move(core)}, patience_{patience} {}

  std::shared_ptr<Core> core_;  // shared with the thread, which outlives this when a sensor hangs
  Nanos patience_;
  std::uint64_t seen_ = 0;  ///< the answer that was given last
};

}  // namespace kerb
