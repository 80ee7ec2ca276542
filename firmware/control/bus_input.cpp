// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/bus_input.hpp"

#include <algorithm>

#include "firmware/can/codec.hpp"
#include "firmware/can/vehicle_decoder.hpp"

namespace kerb {
namespace {

constexpr int kFramesPerRound = 128;  // more than 1 Mbit/s brings; a flood must not hold the loop

}  // namespace

void BusInput::read(Nanos now, Warner& warner, ServiceTest& service, ChangeReporter& reporter,
                    ControlTotals& totals) {
  if (bus_ == nullptr) return;
  for (int i = 0; i < kFramesPerRound; ++i) {
    const Result<CanFrame> frame = bus_->receive(Nanos::zero());
    if (!frame) break;  // nothing there, or the bus is lost: BusJudge sees which
    ++totals.frames_received;
    const bool is_vehicles = vehicle_.feed(*frame, frame->received);
    if (is_vehicles && recorder_ != nullptr) recorder_->control().vehicle(now, *frame);
    if (const VehicleMessage* message = buttons_of(*frame)) {
      if (const Result<can::VehicleDriver> buttons = can::decode_vehicle_driver(layout_, *frame))
        take(*frame, *message, *buttons, now, warner);
      else if (!is_vehicles)
        ++corrupt_;
    } else if (is_vehicles) {
      continue;
    } else if (const Result<can::ServiceMessage> request = can::decode_service(*frame)) {
      take(*frame, *request, now, service, reporter);
    } else if (!frame->extended && frame->id == can::kServiceId) {
      ++corrupt_;
    }
  }
  check_.step(now, vehicle_.at(now));
  totals.frames_corrupt = vehicle_.counters().corrupt + corrupt_;
  totals.frames_repeated = vehicle_.counters().repeated + repeated_;
}

/// The message of the driver's buttons; null: the frame is another one.
const VehicleMessage* BusInput::buttons_of(const CanFrame& frame) const noexcept {
  const std::optional<std::size_t> index = can::message_of(layout_, frame);
  const int buttons = std::max(layout_.off_button.message, layout_.confirm_button.message);
  if (!index || buttons < 0 || *index != static_cast<std::size_t>(buttons)) return nullptr;
  return &layout_.messages[*index];
}

void BusInput::take(const CanFrame& frame, const VehicleMessage& message,
                    const can::VehicleDriver& buttons, Nanos now, Warner& warner) {
  // One that is repeated says nothing of the buttons: soon they count as released.
  if (message.counter.length == 0 || driver_.is_new(buttons.counter, frame.received)) {
    warner.press(buttons, now);
  } else {
    ++repeated_;
  }
}

void BusInput::take(const CanFrame& frame, const can::ServiceMessage& request, Nanos now,
                    ServiceTest& service, ChangeReporter& reporter) {
  const bool is_new = service_.is_new(request.counter, frame.received);
  if (!is_new) ++repeated_;
  if (!is_new && request.request != can::ServiceRequest::stop) return;  // to stop never hurts
  const bool taken = service.request(request, vehicle(now).speed_mps.value, now);
  if (is_new) reporter.service_request(now, request.request, taken);
}

void BusInput::tell_pipelines(Nanos now,
                              const std::vector<ControlledCamera>& cameras) const noexcept {
  const can::VehicleState vehicle = this->vehicle(now);
  // Both are of one message, which came a while ago.
  const Nanos age = vehicle.speed_mps.value        ? vehicle.speed_mps.age
                    : vehicle.held_speed.mps       ? Nanos::zero()
                    : vehicle.yaw_rate_radps.value ? vehicle.yaw_rate_radps.age
                                                   : Nanos::zero();
  for (const ControlledCamera& camera : cameras)
    camera.pipeline->set_vehicle(now - age, {vehicle.held_speed.mps, vehicle.yaw_rate_radps.value,
                                             vehicle.steering_rad.value, vehicle.turn_signal.value,
                                             vehicle.held_speed.sigma_mps});
}

void BusInput::compare(Nanos now, const ego::MotionReport& report, ChangeReporter& reporter) {
  check_.see(report, vehicle_.at(now));
  compare_turning(report, reporter);
}

void BusInput::compare_turning(const ego::MotionReport& report, ChangeReporter& reporter) {
  // Signals that seem late are not used, so ego-motion is then from the pictures alone.
  const Nanos lag = vehicle_.lag();
  const std::optional<double> told = vehicle_.told_yaw_rate();
  if (lag == Nanos::zero()) return timeliness_.reset();
  if (report.ego.state != ego::EgoState::valid || !told) return;
  timeliness_.add(report.at, report.ego.yaw_rate_radps, *told, lag);
  if (!timeliness_.is_timely()) return;
  reporter.signals_in_time(report.at);
  vehicle_.are_timely();
}

}  // namespace kerb
