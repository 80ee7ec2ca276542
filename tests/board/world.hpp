// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "firmware/config/config.hpp"
#include "tests/board/car.hpp"
#include "tests/board/events.hpp"
#include "tests/board/lamps.hpp"
#include "tests/board/process.hpp"
#include "tests/board/vivid.hpp"

namespace kerb::board {

/// "DEGRADED: camera_silent 251", as a status says it.
std::string in_words(const can::StatusMessage& status);

/// All that is around the firmware: a camera that sees numbered frames, a vehicle, eyes on the
/// lamps; and the firmware itself in a process of its own. Times are real; firmware_ms() and
/// real() carry them to the firmware's clock and back.
class World {
 public:
  static constexpr const char* kConfig = "/etc/kerbwatch.toml";

  /// Throws BoardError when the board or the configuration is not as it must be.
  explicit World(std::string config_path = kConfig);
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  const Config& config() const { return config_; }
  const VividNodes& nodes() const { return nodes_; }
  Car& car() { return car_; }
  LampWatch& lamps() { return lamps_; }
  FrameWriter& writer() { return *writer_; }
  Process& firmware() { return *firmware_; }
  EventFile events() const { return EventFile(config_.events.path); }

  /// With a new event log; `guarded`: by `kerbwatch guard`, which firmware() is then.
  void start_firmware(bool guarded = false);
  /// The process that runs the product: firmware(), or what the guard runs at the moment.
  std::optional<pid_t> product();
  /// Prints the last lines of the firmware's log, for whoever reads a failure.
  void tell_log() const;

  double firmware_ms(RealClock::duration real) const {
    return Seconds(real).count() * config_.clock_rate * 1000;
  }
  RealClock::duration real(double firmware_ms) const {
    return std::chrono::duration_cast<RealClock::duration>(
        Seconds(firmware_ms / 1000 / config_.clock_rate));
  }
  void sleep(double firmware_ms) const { std::this_thread::sleep_for(real(firmware_ms)); }

  using Wanted = std::function<bool(const can::StatusMessage&)>;
  /// The first status at or after `from` that is wanted; nothing when none came `limit_ms` of
  /// firmware time after it.
  std::optional<HeardStatus> await_status(RealClock::time_point from, const Wanted& wanted,
                                          double limit_ms) const;
  /// The first ACTIVE status at or after `from`, with the status lamp dark soon after it.
  std::optional<HeardStatus> await_active(RealClock::time_point from, double limit_ms) const;
  /// Whether `holds` became true within `limit_ms` of firmware time.
  bool await(const std::function<bool()>& holds, double limit_ms) const;

 private:
  void kill_firmware();

  std::string config_path_;
  Config config_;
  VividNodes nodes_;
  std::unique_ptr<FrameWriter> writer_;
  Car car_;
  LampWatch lamps_;
  std::unique_ptr<Process> firmware_;
  bool guarded_ = false;
};

}  // namespace kerb::board
