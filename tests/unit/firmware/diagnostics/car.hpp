// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "firmware/control/service_test.hpp"
#include "firmware/diagnostics/diagnostics.hpp"
#include "firmware/health/health_monitor.hpp"
#include "hal/fake/diagnostic_link.hpp"
#include "hal/fake/log.hpp"

namespace kerb::test {

using Bytes = std::vector<std::uint8_t>;

inline diagnostics::Identity identity() {
  diagnostics::Identity out;
  out.software = "1.2.3";
  out.serial = "KW-0042";
  out.vin = "WKWTEST0000000042";
  out.model = "default.kwm";
  out.model_crc = 0x01020304;
  out.calibration_crc = 0xCAFE0001;
  out.decisions = 5;
  return out;
}

/// A car with diagnostics and a tester: what the controller has around them, in steps of a clock.
class Car {
 public:
  explicit Car(int cameras = 1, bool service = true, bool restarts = true,
               const diagnostics::DtcImage& image = {}, const char* cycle = "boot 1")
      : outputs{service} {
    diagnostics::Setup setup;
    setup.identity = identity();
    setup.link = &link;
    setup.cameras = cameras;
    setup.restarts = restarts;
    setup.image = image;
    setup.cycle = cycle;
    diagnostics.emplace(setup, outputs, log);
  }

  /// Rounds of 10 ms.
  void run(Nanos duration = kRound) {
    for (const Nanos end = now + duration; now < end;) {
      now += kRound;
      diagnostics::Situation s;
      s.now = now;
      s.utc_s = 1'800'000'000;
      s.run_s = static_cast<std::uint32_t>(now / std::chrono::seconds{1});
      s.speed_mps = speed;
      s.readiness = readiness;
      if (fault)
        monitor.report(*fault, PartState::degraded, number, now, camera);
      else if (last_fault_)
        monitor.report(*last_fault_, PartState::fine, 0, now, camera);
      if (fault) last_fault_ = fault;
      monitor.frames_flow();
      s.health = monitor.evaluate(now);
      if (starting) s.health.state = HealthState::starting;
      diagnostics->round(s, monitor);
      outputs.update(speed, now);
    }
  }
  /// Asks, and gives the answer; nothing: there was none.
  std::optional<Bytes> ask(const Bytes& request, bool functional = false) {
    const std::size_t before = link.responses.size();
    link.ask(request, functional);
    run();
    if (link.responses.size() == before) return std::nullopt;
    return link.responses.back();
  }
  [[nodiscard]] std::uint8_t status(Cause cause, int of_camera = 0) const {
    return diagnostics->memory().entry({cause, of_camera}).status;
  }

  static constexpr Nanos kRound = std::chrono::milliseconds{10};
  FakeDiagnosticLink link;
  FakeLog log;
  HealthMonitor monitor{Nanos::zero(), Nanos::zero()};
  ServiceTest outputs;
  std::optional<diagnostics::Diagnostics> diagnostics;

  // The world, at any time.
  Nanos now = std::chrono::seconds{10};
  std::optional<double> speed = 0;
  Readiness readiness = Readiness::ready;
  std::optional<Cause> fault;
  double number = 12.5;
  int camera = 0;
  bool starting = false;

 private:
  std::optional<Cause> last_fault_;
};

}  // namespace kerb::test
