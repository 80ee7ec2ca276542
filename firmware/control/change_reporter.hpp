// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "firmware/can/messages.hpp"
#include "firmware/config/config.hpp"
#include "firmware/control/control_types.hpp"
#include "firmware/control/report_limit.hpp"
#include "firmware/types/ego_motion.hpp"
#include "firmware/types/health_state.hpp"
#include "firmware/types/view.hpp"
#include "firmware/types/warning_level.hpp"
#include "hal/base/log.hpp"

namespace kerb {

/// Turns what changed into events and log lines. It keeps what it reported last, so that its
/// callers may report the same state in every round. What the bus can cause is limited in its rate
/// (ReportLimit), and the next event says how much was left out: whatever comes in, the log files
/// keep what else happened. One thread; allocates only where a log line is written.
class ChangeReporter {
 public:
  /// `config` and `cameras` must outlive this. `events` may be null.
  ChangeReporter(const Config& config, const std::vector<ControlledCamera>& cameras,
                 EventLog* events, Log& log, ControlTotals& totals);

  /// At the start: which detector each camera has, or why none.
  void detectors(Nanos now) noexcept;
  void service_request(Nanos now, can::ServiceRequest request, bool accepted);
  /// The pictures show that the vehicle's signals are not late.
  void signals_in_time(Nanos now);
  /// Once a round: reports what had to wait. `last`: what still waits, too.
  void tick(Nanos now, bool last = false);

  // Of one camera, by its index.
  void condition(Nanos now, std::size_t camera, CameraCondition condition) noexcept;
  void flow(Nanos now, std::size_t camera, const PipelineFacts& facts, bool missing);
  void motion(Nanos now, std::size_t camera, const ego::MotionReport& report) noexcept;
  void bands(Nanos now, std::size_t camera, const PipelineFacts& facts, bool missing);

  void bus(Nanos now, const CanBus& bus);
  /// Whether the bus refuses messages, though it is neither down nor bus-off; `why`: the last.
  void sending(Nanos now, bool refused, const std::optional<Error>& why);
  void outputs(Nanos now, const std::optional<Error>& refusal);
  void health(Nanos now, const HealthReport& before, const HealthReport& after);
  void self_test(Nanos now, const SelfTestReport& report);
  void warning(WarningLevel level);
  /// `view`: how far people are seen, where it is known.
  void readiness(Nanos now, Readiness readiness, const std::optional<ViewReport>& view);
  void lamp(Nanos now, WarningLevel before, WarningLevel after, bool by_test) noexcept;

  void post(const Event& event) noexcept {
    if (events_ != nullptr) events_->post(event);
  }

 private:
  /// What was reported last about one camera.
  struct Camera {
    CameraCondition condition = CameraCondition::silent;
    ego::EgoState ego = ego::EgoState::off;
    bool yaw_distrusted = false, speed_distrusted = false;
    bool flow_missing = false, flow_too_slow = false, bands_missing = false;
    Nanos ego_at{}, mover_at{};  ///< when ego-motion and a moving person were reported; zero: never
    ReportLimit ego_limit{30, std::chrono::seconds{10}};  ///< a signal on the bus may come and go
  };

  struct Request {
    Nanos at{};
    can::ServiceRequest request{};
  };
  /// Those of one outcome; else a flood of refused ones would hide one that was accepted.
  struct Requests {
    ReportLimit limit{10, std::chrono::seconds{10}};
    std::optional<Request> waiting;  ///< the last that was left out
  };
  using Health = std::pair<HealthState, Cause>;

  void write(const Request& request, bool accepted, std::uint64_t left_out);
  void restart(Nanos now, const CanBus& bus);

  const Config& config_;
  const std::vector<ControlledCamera>& cameras_;
  EventLog* events_;
  Log& log_;
  ControlTotals& totals_;
  std::vector<Camera> reported_;
  bool output_refused_ = false, sending_refused_ = false, restart_refused_ = false;
  WarningLevel warning_ = WarningLevel::none;  ///< of people

  std::array<Requests, 2> requests_;  ///< refused, accepted
  LimitedChanges<CanState> bus_{CanState::active, {10, std::chrono::seconds{10}}};
  LimitedChanges<Health> health_{{HealthState::starting, Cause::none},
                                 {30, std::chrono::seconds{5}}};
  LimitedChanges<std::optional<Readiness>> readiness_{std::nullopt, {20, std::chrono::seconds{5}}};
  ReportLimit in_time_{5, std::chrono::seconds{60}}, sending_{5, std::chrono::seconds{60}},
      restarts_{5, std::chrono::seconds{60}};
};

}  // namespace kerb
