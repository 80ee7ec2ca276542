// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>

#include "firmware/can/alive_counter.hpp"
#include "firmware/can/codec.hpp"
#include "firmware/can/crc8.hpp"
#include "firmware/can/vehicle_signals.hpp"
#include "firmware/control/signal_check.hpp"
#include "tests/fuzz/promise.hpp"
#include "tests/fuzz/targets.hpp"

namespace kerb::fuzz {
namespace {

using namespace kerb::can;

struct Message {
  std::uint32_t id;
  std::uint16_t data_id;
};
constexpr Message kMessages[] = {{kVehicleMotionId, kVehicleMotionDataId},
                                 {kVehicleBodyId, kVehicleBodyDataId},
                                 {kDriverId, kDriverDataId},
                                 {kServiceId, kServiceDataId},
                                 {kWarningId, kWarningDataId},
                                 {kStatusId, kStatusDataId},
                                 {kReadyId, kReadyDataId},
                                 {kObjectsId, kObjectsDataId}};

/// What is decoded is written as a frame that is decoded to the same: nothing depends on bits that
/// no signal has.
template <typename Decode>
void check_codec(const CanFrame& frame, Decode decode) {
  const auto message = decode(frame);
  if (!message) return;
  const CanFrame written = encode(*message);
  demand(written.id == frame.id && is_valid(written), "it is written as the same message");
  const auto again = decode(written);
  demand(again && encode(*again).data == written.data, "it is read as it was written");
}

void check_codecs(const CanFrame& frame) {
  check_codec(frame, decode_status);
  check_codec(frame, decode_warning);
  check_codec(frame, decode_ready);
  check_codec(frame, decode_vehicle_motion);
  check_codec(frame, decode_vehicle_body);
  check_codec(frame, [](const CanFrame& f) { return decode_vehicle_driver(f); });
  check_codec(frame, decode_service);
  const Result<ObjectFrame> object = decode_objects(frame);
  if (!object) return;
  demand(object->count >= 0 && object->count <= kMaxObjects && object->index >= 0 &&
             (object->count == 0 || object->index < object->count),
         "an object is of its list");
}

bool holds(const std::optional<double>& value, double least, double most) {
  return !value || (*value >= least && *value <= most);  // no NaN either
}

void check_state(const VehicleState& state, const VehicleLimits& limits) {
  demand(holds(state.speed_mps.value, limits.speed_min_mps, limits.speed_max_mps),
         "a speed that is believed is in range");
  demand(holds(state.yaw_rate_radps.value, -limits.yaw_rate_max_radps, limits.yaw_rate_max_radps),
         "a yaw rate that is believed is in range");
  demand(holds(state.steering_rad.value, -limits.steering_max_rad, limits.steering_max_rad),
         "a steering angle that is believed is in range");
  demand(holds(state.held_speed.mps, limits.speed_min_mps, limits.speed_max_mps) &&
             std::isfinite(state.held_speed.sigma_mps) && state.held_speed.sigma_mps >= 0,
         "a speed that is held is in range");
  demand(state.speed_mps.value.has_value() == (state.speed_mps.validity == Validity::valid),
         "only a valid signal has a value");
}

}  // namespace

void bus(const std::uint8_t* data, std::size_t size) {
  const VehicleLimits limits;
  Nanos now = std::chrono::seconds{1};
  VehicleSignals vehicle{limits, now};
  SignalCheck check;
  // Each message: which one and how it came, how much later, its bytes.
  std::span<const std::uint8_t> rest{data, size};
  while (rest.size() >= 10) {
    const std::uint8_t how = rest[0];
    now += std::chrono::milliseconds{rest[1]};
    const Message& message = kMessages[how & 7U];
    CanFrame frame;
    frame.id = message.id ^ ((how & 0x80U) != 0 ? 1U : 0U);
    frame.extended = (how & 0x40U) != 0;
    frame.size = static_cast<std::uint8_t>((how & 0x20U) != 0 ? rest[2] % 9 : 8);
    frame.received = now;
    std::copy_n(rest.begin() + 2, 8, frame.data.begin());
    if ((how & 0x10U) == 0)  // else as it came: its CRC is as good as always wrong
      frame.data[0] = message_crc(message.data_id, std::span{frame.data}.first<8>());
    check_codecs(frame);
    (void)vehicle.feed(frame, now);
    const VehicleState told = vehicle.at(now);
    check_state(told, limits);
    ego::MotionReport motion;
    motion.at = now;
    motion.ego.state = ego::EgoState::valid;
    motion.ego.interval = std::chrono::milliseconds{33};
    motion.ego.travel = static_cast<ego::Travel>(rest[1] % 3);
    motion.ego.travel_from_flow = motion.ego.speed_distrusted = (how & 8U) != 0;
    check.see(motion, told);
    check.step(now, told);
    check_state(check.believed(now, told), limits);
    const std::optional<HealthFault> fault = vehicle.fault(now);
    demand(!fault || (fault->cause != Cause::none && std::isfinite(fault->number)),
           "a fault has a cause and a number");
    rest = rest.subspan(10);
  }
}

std::vector<Bytes> bus_seeds() {
  std::vector<Bytes> seeds;
  Bytes drive;
  for (std::uint8_t i = 0; i < 40; ++i) {
    VehicleMotion motion;
    motion.speed_mps = 10 + 0.1 * i;
    motion.yaw_rate_radps = 0.01 * i;
    motion.counter = i % 16;
    if (i > 20) motion.steering_rad = 0.02;
    const CanFrame frame = encode(motion);
    drive.insert(drive.end(), {static_cast<std::uint8_t>(i % 3 == 0 ? 8 : 0), 20});
    drive.insert(drive.end(), frame.data.begin(), frame.data.begin() + 8);
    if (i % 5 != 0) continue;
    VehicleBody body;
    body.gear = i > 25 ? Gear::reverse : Gear::drive;
    body.counter = static_cast<std::uint8_t>(i / 5);
    const CanFrame other = encode(body);
    drive.insert(drive.end(), {1, 0});
    drive.insert(drive.end(), other.data.begin(), other.data.begin() + 8);
  }
  seeds.push_back(drive);
  Bytes others;
  const auto add = [&others](std::uint8_t which, const CanFrame& frame) {
    others.insert(others.end(), {which, 10});
    others.insert(others.end(), frame.data.begin(), frame.data.begin() + 8);
  };
  add(2, encode(VehicleDriver{}));
  add(3, encode(ServiceMessage{}));
  add(4, encode(WarningMessage{}));
  add(5, encode(StatusMessage{}));
  add(6, encode(ReadyMessage{}));
  std::array<CanFrame, kMaxObjectFrames> frames{};
  const std::array<ObjectMessage, 2> objects{};
  const int count = encode_objects(objects, 3, frames);
  for (int i = 0; i < count; ++i) add(7, frames[static_cast<std::size_t>(i)]);
  seeds.push_back(others);
  return seeds;
}

}  // namespace kerb::fuzz
