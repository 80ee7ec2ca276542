// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "firmware/warning/reopening.hpp"
#include "hal/can_bus.hpp"
#include "hal/thermal.hpp"
#include "hal/watchdog.hpp"

/// Devices that may be missing at the start and come later; see Reopening. One thread each.
namespace kerb {

/// A bus whose interface may come later. Until then it is down: send() and receive() fail with gone
/// at once. Once open it is kept: a CanBus finds an interface again by itself.
class ReopeningBus final : public CanBus {
 public:
  ReopeningBus(DeviceOpener<CanBus> open, std::string name, const Clock& clock, Log& log)
      : bus_{nullptr, std::move(open), std::move(name), clock, log} {}
  Status send(const CanFrame& frame) override {
    if (CanBus* bus = bus_.reach()) return bus->send(frame);
    ++refused_;
    return bus_.why();
  }
  Result<CanFrame> receive(Nanos timeout) override {
    if (CanBus* bus = bus_.reach()) return bus->receive(timeout);
    return bus_.why();
  }
  /// Why it is not open; null: it is. Tries, if it is time to.
  [[nodiscard]] const Error* missing() { return bus_.reach() != nullptr ? nullptr : &bus_.why(); }
  [[nodiscard]] CanState state() const noexcept override {
    return bus_.get() != nullptr ? bus_.get()->state() : CanState::down;
  }
  [[nodiscard]] CanCounters counters() const noexcept override {
    CanCounters counters;
    if (bus_.get() != nullptr) counters = bus_.get()->counters();
    counters.refused += refused_;
    return counters;
  }
  [[nodiscard]] std::optional<Error> restart_refusal() const noexcept override {
    return bus_.get() != nullptr ? bus_.get()->restart_refusal() : std::nullopt;
  }

 private:
  Reopening<CanBus> bus_;
  std::uint64_t refused_ = 0;  ///< before it was open
};

/// Sensors that may come later: a driver that is not loaded yet.
class ReopeningThermal final : public Thermal {
 public:
  ReopeningThermal(DeviceOpener<Thermal> open, std::string name, const Clock& clock, Log& log)
      : thermal_{nullptr, std::move(open), std::move(name), clock, log} {}
  Result<ThermalReading> hottest() override {
    Thermal* const thermal = thermal_.reach();
    if (thermal == nullptr) return thermal_.why();
    Result<ThermalReading> reading = thermal->hottest();
    if (!reading) thermal_.fails(reading.error());
    return reading;
  }

 private:
  Reopening<Thermal> thermal_;
};

/// A watchdog that is armed by its first kick, not before: what fails until then, such as an
/// allocation of the start, restarts the program and not the board.
class ReopeningWatchdog final : public Watchdog {
 public:
  /// `timeout`: until it is open. `open` arms.
  ReopeningWatchdog(DeviceOpener<Watchdog> open, std::string name, Nanos timeout,
                    const Clock& clock, Log& log)
      : watchdog_{nullptr, std::move(open), std::move(name), clock, log}, timeout_{timeout} {}
  Status kick() override {
    return watchdog_.use([](Watchdog& watchdog) { return watchdog.kick(); });
  }
  Status disarm() override {
    if (watchdog_.get() == nullptr) return Done{};
    return watchdog_.get()->disarm();
  }
  [[nodiscard]] Nanos timeout() const noexcept override {
    return watchdog_.get() != nullptr ? watchdog_.get()->timeout() : timeout_;
  }

 private:
  Reopening<Watchdog> watchdog_;
  Nanos timeout_;
};

}  // namespace kerb
