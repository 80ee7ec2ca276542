// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firmware/can/publisher.hpp"
#include "firmware/can/vehicle_signals.hpp"
#include "firmware/config/config.hpp"
#include "firmware/control/camera_judge.hpp"
#include "firmware/control/service_test.hpp"
#include "firmware/control/timeliness.hpp"
#include "firmware/control/warner.hpp"
#include "firmware/events/event_log.hpp"
#include "firmware/health/health_monitor.hpp"
#include "firmware/pipeline/camera_pipeline.hpp"
#include "firmware/records/warning_recorder.hpp"
#include "firmware/warning/alert_outputs.hpp"
#include "hal/base/log.hpp"
#include "hal/can_bus.hpp"
#include "hal/output_line.hpp"
#include "hal/thermal.hpp"
#include "hal/tone.hpp"
#include "hal/watchdog.hpp"

namespace kerb {

/// Whatever the machine has; null for what it has not, or is told not to use. Owned elsewhere.
struct ControlDevices {
  CanBus* bus = nullptr;
  OutputLine* warning_lamp = nullptr;
  OutputLine* status_lamp = nullptr;
  Tone* tone = nullptr;
  Thermal* thermal = nullptr;
  EventLog* events = nullptr;
  Watchdog* watchdog = nullptr;
  records::WarningRecorder* recorder = nullptr;
};

/// One camera's pipeline and the name people know it by.
struct ControlledCamera {
  std::string name;
  CameraPipeline* pipeline = nullptr;
  /// Why the detector that the configuration asks for is not there; nothing when it is, or when
  /// none is asked for. Such a camera's vision has failed.
  std::optional<Error> detector_error{};
  /// The same of the flow. People are found, but not whether they move: DEGRADED.
  std::optional<Error> flow_error{};
  /// The same of what looks at bands. People are told apart by colours: DEGRADED.
  std::optional<Error> spectral_error{};
};

struct ControlTotals {
  std::uint64_t status_sent = 0, warnings_sent = 0, frames_received = 0;
  std::uint64_t lists_sent = 0;                    ///< of people, whole ones
  std::uint64_t informations = 0, collisions = 0;  ///< warnings of people, begun
  std::uint64_t send_refused = 0;                  ///< the bus was full or gone
  std::uint64_t watchdog_kicks = 0;
  std::uint64_t state_changes = 0;
};

/// The slow half of the product: a hundred times a second it looks at everything and says what it
/// sees, on the bus, on the lamps, to the watchdog and in the event log. The frame loop never waits
/// for it. One thread.
class Controller {
 public:
  static constexpr Nanos kTick = std::chrono::milliseconds{10};

  Controller(const Config& config, const ControlDevices& devices,
             std::vector<ControlledCamera> cameras, const Clock& clock, Log& log);

  /// One round.
  void tick(Nanos now);
  /// Says good-bye: warning lamp and sound off, status lamp on, watchdog disarmed. After it, no
  /// tick().
  void finish(Nanos now);

  [[nodiscard]] const HealthReport& health() const noexcept { return health_; }
  [[nodiscard]] const ControlTotals& totals() const noexcept { return totals_; }
  [[nodiscard]] const CameraRates& rates(std::size_t camera) const noexcept {
    return cameras_[camera].judge.rates();
  }
  [[nodiscard]] can::VehicleState vehicle(Nanos now) const noexcept { return vehicle_.at(now); }
  [[nodiscard]] std::optional<double> board_celsius() const noexcept { return celsius_; }
  /// From a frame's exposure to its people's messages on the bus; of cameras on our clock.
  [[nodiscard]] StageReport reaction_times() const noexcept { return reaction_times_.report(); }
  /// What telling the world costs, each round.
  [[nodiscard]] StageReport publish_times() const noexcept { return publish_times_.report(); }
  [[nodiscard]] const WarningDecision& decision() const noexcept { return warner_.decision(); }
  [[nodiscard]] Readiness readiness() const noexcept { return warner_.readiness(); }
  /// Every camera is a recording that has been played to its end.
  [[nodiscard]] bool ended() const noexcept { return ended_; }

 private:
  struct Camera {
    std::string name;
    CameraPipeline* pipeline;
    CameraJudge judge;
    int detector_error = -1;  // Errc; -1: none
    std::optional<Error> flow_error{}, spectral_error{};
    int index = 0;
    CameraCondition condition = CameraCondition::silent;
    std::uint64_t capture_beats = 0, process_beats = 0;
    bool flowed = false;
    std::array<std::uint64_t, kStageCount> over_budget{};
    Nanos told_of{};  ///< when the frame was taken whose people were told last
    FrameCounters summarised{};
    StageReport total_summarised{};
    std::uint64_t processed_summarised = 0;
    ego::EgoState ego = ego::EgoState::off;  ///< as told last
    bool yaw_distrusted = false, speed_distrusted = false;
    bool flow_missing = false, flow_too_slow = false, bands_missing = false;
    Nanos ego_told{}, mover_told{};  ///< when; zero: never
    Nanos motion_at{};               ///< of the last report looked at
    ego::MotionTotals motion_summarised{};
  };

  void read_bus(Nanos now);
  void obey(const can::ServiceMessage& request, Nanos now);
  void judge_cameras(Nanos now);
  void judge_bus(Nanos now);
  void judge_board(Nanos now);
  void judge_outputs(Nanos now);
  void tell_vehicle(Nanos now);
  void note_flow(Camera& camera, const PipelineFacts& facts, Nanos now);
  void note_motion(Camera& camera, Nanos now);
  void note_bands(Camera& camera, const PipelineFacts& facts, Nanos now);
  void judge_lateness(const ego::MotionReport& report);
  void summarise_motion(Camera& camera, Nanos now);
  void note_camera(Camera& camera, const PipelineFacts& facts, Nanos now);
  void change_state(Nanos now);
  void gather_reports() noexcept;
  void warn(Nanos now);
  void publish(Nanos now);
  void publish_objects(Nanos now);
  void note_reactions() noexcept;
  void send(const CanFrame& frame, std::uint64_t& counter);
  void kick_watchdog(Nanos now);
  void summarise(Nanos now);
  void post(const Event& event) noexcept {
    if (devices_.events != nullptr) devices_.events->post(event);
  }

  const Config& config_;
  ControlDevices devices_;
  const Clock& clock_;
  Log& log_;
  const Nanos start_;
  std::vector<Camera> cameras_;
  HealthMonitor monitor_;
  HealthReport health_{};
  can::VehicleSignals vehicle_;
  Timeliness timeliness_;  ///< of the vehicle's signals, while they seem late
  can::StatusPublisher status_;
  can::WarningPublisher warning_;
  can::ReadyPublisher ready_;
  can::ObjectPublisher objects_;
  bool detects_ = false;  ///< every camera has a detector, and whom it finds is followed
  ServiceTest service_;
  Warner warner_;
  std::array<const risk::PeopleReport*, WarningLogic::kMostCameras> reports_{};
  WarningLevel warned_ = WarningLevel::none;  ///< of people, as told last
  std::optional<Readiness> ready_told_;
  AlertOutputs outputs_;
  ControlTotals totals_;
  StageTimes publish_times_, reaction_times_;
  CanState bus_state_ = CanState::active;
  Nanos bus_good_at_;
  std::optional<double> celsius_;
  Nanos celsius_at_, next_thermal_, next_kick_, next_summary_, last_summary_;
  PartState heat_ = PartState::fine;
  WarningLevel shown_ = WarningLevel::none;
  Nanos beat_at_;  ///< when every pipeline thread was last seen alive
  bool shown_by_test_ = false;
  bool watchdog_withheld_ = false, watchdog_obeys_ = true, output_refused_ = false, ended_ = false;
};

}  // namespace kerb
