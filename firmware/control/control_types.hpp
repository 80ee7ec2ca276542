// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "firmware/diagnostics/diagnostics.hpp"
#include "firmware/diagnostics/life_book.hpp"
#include "firmware/events/event_log.hpp"
#include "firmware/events/storage_test.hpp"
#include "firmware/pipeline/camera_pipeline.hpp"
#include "firmware/records/warning_recorder.hpp"
#include "firmware/types/self_test.hpp"
#include "hal/base/result.hpp"
#include "hal/camera_settings.hpp"
#include "hal/can_bus.hpp"
#include "hal/diagnostic_link.hpp"
#include "hal/dimmer.hpp"
#include "hal/output_line.hpp"
#include "hal/thermal.hpp"
#include "hal/tone.hpp"
#include "hal/watchdog.hpp"

namespace kerb {

/// What could not be made at the start, without which warnings are given all the same. Each is a
/// cause of health until the next start.
struct StartGaps {
  std::optional<Error> events{}, recorder{}, gpu{};
};

/// The devices of the machine. Null: it has none, or the configuration turns it off. Owned
/// elsewhere.
struct ControlDevices {
  CanBus* bus = nullptr;
  OutputLine* warning_lamp = nullptr;
  OutputLine* status_lamp = nullptr;
  Tone* tone = nullptr;
  Dimmer* dimmer = nullptr;  ///< of both lamps
  Thermal* thermal = nullptr;
  EventLog* events = nullptr;
  Watchdog* watchdog = nullptr;
  records::WarningRecorder* recorder = nullptr;
  StartGaps gaps{};
  DiagnosticLink* tester = nullptr;                 ///< the way to a workshop's tester
  const diagnostics::Setup* diagnostics = nullptr;  ///< with diagnostics.enabled
  const StorageTest* storage = nullptr;             ///< of the self-test; with self_test.enabled
  diagnostics::LifeBook* life = nullptr;            ///< with life.enabled
  /// The last run ended without order: the car may be on the road, and a red lamp would be a
  /// warning.
  bool resumes = false;
};

/// One camera's pipeline and its name in the configuration.
struct ControlledCamera {
  std::string name;
  CameraPipeline* pipeline = nullptr;
  /// Why the configured detector is missing; nothing when it is there, or when none is configured.
  /// Such a camera's vision has failed.
  std::optional<Error> detector_error{};
  /// Why optical flow is missing. People are detected, but not whether they move: DEGRADED.
  std::optional<Error> flow_error{};
  /// Why the spectral search is missing. People are told apart by colours: DEGRADED.
  std::optional<Error> spectral_error{};
  /// A thermal camera may show its closed shutter for health.shutter_ms.
  Imaging imaging = Imaging::visible;
  /// Of its detector, by the self-test at the start.
  TestResult detector_test = TestResult::not_run;
};

/// What the controller has counted since its start.
struct ControlTotals {
  std::uint64_t status_sent = 0, warnings_sent = 0, frames_received = 0;
  std::uint64_t frames_corrupt = 0;   ///< messages for Kerbwatch with a wrong CRC or length
  std::uint64_t frames_repeated = 0;  ///< whose counter stood still
  std::uint64_t lists_sent = 0;       ///< complete lists of people
  std::uint64_t informations = 0, collisions = 0;  ///< warnings of people that began
  std::uint64_t send_refused = 0;                  ///< the bus was full or gone
  std::uint64_t watchdog_kicks = 0;
  std::uint64_t state_changes = 0;
};

}  // namespace kerb
