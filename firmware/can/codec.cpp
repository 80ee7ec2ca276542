// SPDX-License-Identifier: Apache-2.0
#include "firmware/can/codec.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "firmware/can/crc8.hpp"
#include "firmware/can/vehicle_decoder.hpp"
#include "firmware/health/health_monitor.hpp"

namespace kerb::can {
namespace {

constexpr std::uint8_t kBytes = 8;
constexpr std::uint64_t kServiceMagic = 0x574B;  // "KW" as it stands on the bus

/// Where a signal's bits stand in the payload, read as one little-endian number: SG_
/// start|length@1.
struct Bits {
  unsigned start, length;
  [[nodiscard]] constexpr std::uint64_t mask() const { return (std::uint64_t{1} << length) - 1; }
};

/// A signal that stands for a number. All ones (unsigned) or the lowest number (signed) say "not
/// available".
struct Scaled {
  Bits bits;
  bool is_signed;
  double factor, offset;
  std::int64_t raw_max;

  [[nodiscard]] constexpr std::int64_t raw_min() const { return is_signed ? -raw_max : 0; }
  [[nodiscard]] constexpr std::int64_t not_available() const {
    return is_signed ? -(std::int64_t{1} << (bits.length - 1))
                     : static_cast<std::int64_t>(bits.mask());
  }
};
constexpr Scaled number(unsigned start, unsigned length, double factor, double offset = 0) {
  return {{start, length}, false, factor, offset, (std::int64_t{1} << length) - 2};
}
constexpr Scaled up_to(unsigned start, unsigned length, double factor, std::int64_t raw_max) {
  return {{start, length}, false, factor, 0, raw_max};
}
constexpr Scaled signed_number(unsigned start, unsigned length, double factor) {
  return {{start, length}, true, factor, 0, (std::int64_t{1} << (length - 1)) - 1};
}

// kerbwatch.dbc, line by line.
constexpr Bits kCounter{8, 4};
namespace status {
constexpr Bits kDetector{12, 1}, kSpeedValid{13, 1}, kState{14, 2}, kCause{16, 6}, kCamera{22, 2};
constexpr Scaled kNumber = signed_number(24, 18, 0.1);
constexpr Scaled kRate = number(42, 7, 1);
constexpr Scaled kDropped = up_to(49, 7, 1, 100);
constexpr Scaled kBoard = number(56, 8, 1, -60);
}  // namespace status
namespace warning {
constexpr Bits kLevel{12, 2}, kTest{14, 1};
constexpr Scaled kTimeToCollision = number(16, 16, 0.01);
constexpr Bits kObjectId{32, 16};
}  // namespace warning
namespace objects {
constexpr Bits kPart{12, 2}, kIndex{16, 4}, kCount{20, 4};
constexpr Bits kId{24, 16};
constexpr Scaled kX = number(40, 12, 0.05);
constexpr Scaled kY = signed_number(52, 12, 0.05);
constexpr Scaled kVx = signed_number(24, 11, 0.1);
constexpr Scaled kVy = signed_number(35, 10, 0.1);
constexpr Scaled kHeight = number(45, 8, 0.02);
constexpr Scaled kAge = number(53, 11, 0.1);
}  // namespace objects
namespace motion {
constexpr Bits kSpeedValid{12, 1}, kYawRateValid{13, 1}, kSteeringValid{14, 1};
constexpr Scaled kSpeed = signed_number(16, 16, 0.01);
constexpr Scaled kYawRate = signed_number(32, 16, 0.0005);
constexpr Scaled kSteering = signed_number(48, 16, 0.00005);
}  // namespace motion
namespace body {
constexpr Bits kTurnSignal{12, 3}, kGear{16, 4};
constexpr Bits kLampBrightness{24, 7}, kSoundVolume{32, 7};
constexpr double kDialStep = 0.01;
}  // namespace body
namespace ready {
constexpr Bits kReadiness{12, 4}, kViewLimit{24, 3};
constexpr Scaled kViewDistance = number(16, 8, 0.5);
constexpr Bits test_bits(std::size_t part) { return {static_cast<unsigned>(32 + 2 * part), 2}; }
}  // namespace ready
namespace driver {
constexpr Bits kOff{12, 1}, kConfirm{13, 1}, kIgnitionCycle{16, 8};
}  // namespace driver
namespace service {
constexpr Bits kRequest{12, 4}, kMagic{16, 16}, kLevel{32, 2};
constexpr Scaled kDuration = number(40, 8, 0.1);
}  // namespace service

constexpr std::uint16_t kNoObject = 0xFFFF;

// How the vehicle's messages are read: as those of any other vehicle, by their layout.
constexpr VehicleLayout kVehicle = kerbwatch_layout();
constexpr const VehicleMessage& kMotionMessage =
    kVehicle.messages[static_cast<std::size_t>(kVehicle.speed.message)];
constexpr const VehicleMessage& kBodyMessage =
    kVehicle.messages[static_cast<std::size_t>(kVehicle.gear.message)];
constexpr const VehicleMessage& kDriverMessage =
    kVehicle.messages[static_cast<std::size_t>(kVehicle.off_button.message)];
static_assert(kMotionMessage.id == kVehicleMotionId && kBodyMessage.id == kVehicleBodyId &&
              kDriverMessage.id == kDriverId);

/// The enumeration's value for what was read of it.
template <typename Enum>
Enum value_of(const Choice& read) {
  if (!read.number) return Enum::not_available;
  return static_cast<Enum>(static_cast<std::uint8_t>(*read.number));
}

/// Eight bytes being filled.
class Packer {
 public:
  void put(Bits bits, std::uint64_t raw) { payload_ |= (raw & bits.mask()) << bits.start; }
  template <typename Enum>
  void put_enum(Bits bits, Enum value) {
    put(bits, static_cast<std::uint64_t>(value));
  }
  void put(const Scaled& field, std::optional<double> value) {
    std::int64_t raw = field.not_available();
    if (value && !std::isnan(*value)) {
      const double steps = std::round((*value - field.offset) / field.factor);
      raw = static_cast<std::int64_t>(std::clamp(steps, static_cast<double>(field.raw_min()),
                                                 static_cast<double>(field.raw_max)));
    }
    put(field.bits, static_cast<std::uint64_t>(raw));
  }
  [[nodiscard]] CanFrame frame(std::uint32_t id, std::uint16_t data_id) const {
    CanFrame out;
    out.id = id;
    out.size = kBytes;
    for (unsigned i = 0; i < kBytes; ++i)
      out.data[i] = static_cast<std::uint8_t>(payload_ >> 8 * i);
    out.data[0] = message_crc(data_id, std::span{out.data}.first<kBytes>());
    return out;
  }

 private:
  std::uint64_t payload_ = 0;
};

/// Eight bytes being read.
class Unpacker {
 public:
  explicit Unpacker(const CanFrame& frame) {
    for (unsigned i = 0; i < kBytes; ++i) payload_ |= std::uint64_t{frame.data[i]} << 8 * i;
  }
  [[nodiscard]] std::uint64_t get(Bits bits) const { return payload_ >> bits.start & bits.mask(); }
  template <typename Enum>
  [[nodiscard]] Enum get_enum(Bits bits) const {
    return static_cast<Enum>(get(bits));
  }
  [[nodiscard]] std::uint8_t counter() const { return static_cast<std::uint8_t>(get(kCounter)); }
  /// Nothing for "not available", and for what is past the range that a sender may use.
  [[nodiscard]] std::optional<double> get(const Scaled& field) const {
    auto raw = static_cast<std::int64_t>(get(field.bits));
    if (field.is_signed && raw >> (field.bits.length - 1) != 0)
      raw -= std::int64_t{1} << field.bits.length;
    if (raw < field.raw_min() || raw > field.raw_max) return std::nullopt;
    return static_cast<double>(raw) * field.factor + field.offset;
  }

 private:
  std::uint64_t payload_ = 0;
};

Status check(const CanFrame& frame, std::uint32_t id, std::uint16_t data_id) {
  if (frame.id != id || frame.extended || frame.remote)
    return Error{Errc::invalid_argument, 0, "decode: unexpected message id"};
  if (frame.size != kBytes || frame.fd)
    return Error{Errc::invalid_argument, 0, "decode: not a classic frame of 8 bytes"};
  if (frame.data[0] != message_crc(data_id, std::span{frame.data}.first<kBytes>()))
    return Error{Errc::damaged, 0, "decode: CRC"};
  return Done{};
}

}  // namespace

CanFrame encode(const StatusMessage& message) noexcept {
  Packer p;
  p.put(kCounter, message.counter);
  p.put(status::kDetector, message.detector_present ? 1u : 0u);
  p.put(status::kSpeedValid, message.speed_valid ? 1u : 0u);
  p.put_enum(status::kState, message.health.state);
  p.put_enum(status::kCause, message.health.cause);
  p.put(status::kCamera, static_cast<std::uint64_t>(std::clamp(message.health.camera, 0, 3)));
  p.put(status::kNumber, message.health.number);
  p.put(status::kRate, message.camera_rate_hz);
  p.put(status::kDropped, message.dropped_percent);
  p.put(status::kBoard, message.board_celsius);
  return p.frame(kStatusId, kStatusDataId);
}

Result<StatusMessage> decode_status(const CanFrame& frame) noexcept {
  if (Status s = check(frame, kStatusId, kStatusDataId); !s) return s.error();
  const Unpacker u{frame};
  StatusMessage out;
  out.counter = u.counter();
  out.detector_present = u.get(status::kDetector) != 0;
  out.speed_valid = u.get(status::kSpeedValid) != 0;
  out.health.state = u.get_enum<HealthState>(status::kState);
  out.health.cause = u.get_enum<Cause>(status::kCause);
  if (is_of_camera(out.health.cause)) out.health.camera = static_cast<int>(u.get(status::kCamera));
  out.health.number = u.get(status::kNumber).value_or(std::numeric_limits<double>::quiet_NaN());
  out.camera_rate_hz = u.get(status::kRate);
  out.dropped_percent = u.get(status::kDropped);
  out.board_celsius = u.get(status::kBoard);
  return out;
}

CanFrame encode(const WarningMessage& message) noexcept {
  Packer p;
  p.put(kCounter, message.counter);
  p.put_enum(warning::kLevel, message.level);
  p.put(warning::kTest, message.test ? 1u : 0u);
  p.put(warning::kTimeToCollision, message.time_to_collision_s);
  p.put(warning::kObjectId, message.object_id.value_or(kNoObject));
  return p.frame(kWarningId, kWarningDataId);
}

Result<WarningMessage> decode_warning(const CanFrame& frame) noexcept {
  if (Status s = check(frame, kWarningId, kWarningDataId); !s) return s.error();
  const Unpacker u{frame};
  WarningMessage out;
  out.counter = u.counter();
  out.level = u.get_enum<WarningLevel>(warning::kLevel);
  out.test = u.get(warning::kTest) != 0;
  out.time_to_collision_s = u.get(warning::kTimeToCollision);
  const auto id = static_cast<std::uint16_t>(u.get(warning::kObjectId));
  if (id != kNoObject) out.object_id = id;
  return out;
}

int encode_objects(std::span<const ObjectMessage> list, std::uint8_t counter,
                   std::span<CanFrame, kMaxObjectFrames> out) noexcept {
  const std::size_t count = std::min<std::size_t>(list.size(), kMaxObjects);
  const auto start = [&](std::size_t index, ObjectFrame::Part part) {
    Packer p;
    p.put(kCounter, counter);
    p.put_enum(objects::kPart, part);
    p.put(objects::kIndex, index);
    p.put(objects::kCount, count);
    return p;
  };
  const auto place = [&](std::size_t index, const ObjectMessage& object) {
    Packer p = start(index, ObjectFrame::Part::place);
    p.put(objects::kId, count == 0 ? kNoObject : std::min<std::uint16_t>(object.id, kNoObject - 1));
    p.put(objects::kX, object.x_m);
    p.put(objects::kY, object.y_m);
    return p.frame(kObjectsId, kObjectsDataId);
  };
  const auto motion = [&](std::size_t index, const ObjectMessage& object) {
    Packer p = start(index, ObjectFrame::Part::motion);
    p.put(objects::kVx, object.vx_mps);
    p.put(objects::kVy, object.vy_mps);
    p.put(objects::kHeight, object.height_m);
    p.put(objects::kAge, object.age_s);
    return p.frame(kObjectsId, kObjectsDataId);
  };
  if (count == 0) {
    out[0] = place(0, ObjectMessage{});
    return 1;
  }
  int frames = 0;
  for (std::size_t i = 0; i < count; ++i) {
    out[static_cast<std::size_t>(frames++)] = place(i, list[i]);
    out[static_cast<std::size_t>(frames++)] = motion(i, list[i]);
  }
  return frames;
}

Result<ObjectFrame> decode_objects(const CanFrame& frame) noexcept {
  if (Status s = check(frame, kObjectsId, kObjectsDataId); !s) return s.error();
  const Unpacker u{frame};
  ObjectFrame out;
  out.counter = u.counter();
  out.index = static_cast<int>(u.get(objects::kIndex));
  out.count = static_cast<int>(u.get(objects::kCount));
  if (out.index >= std::max(out.count, 1))
    return Error{Errc::damaged, 0, "decode: object behind the end of its list"};
  switch (u.get(objects::kPart)) {
    case 0:
      out.part = ObjectFrame::Part::place;
      out.object.id = static_cast<std::uint16_t>(u.get(objects::kId));
      out.object.x_m = u.get(objects::kX);
      out.object.y_m = u.get(objects::kY);
      break;
    case 1:
      out.part = ObjectFrame::Part::motion;
      out.object.vx_mps = u.get(objects::kVx);
      out.object.vy_mps = u.get(objects::kVy);
      out.object.height_m = u.get(objects::kHeight);
      out.object.age_s = u.get(objects::kAge);
      break;
    default:
      return Error{Errc::damaged, 0, "decode: part of an object out of range"};
  }
  return out;
}

CanFrame encode(const VehicleMotion& message) noexcept {
  Packer p;
  p.put(kCounter, message.counter);
  p.put(motion::kSpeedValid, message.speed_mps ? 1u : 0u);
  p.put(motion::kYawRateValid, message.yaw_rate_radps ? 1u : 0u);
  p.put(motion::kSpeed, message.speed_mps);
  p.put(motion::kYawRate, message.yaw_rate_radps);
  // Without it as in the first version of the message, whose bits were 0.
  p.put(motion::kSteeringValid, message.steering_rad ? 1u : 0u);
  if (message.steering_rad) p.put(motion::kSteering, message.steering_rad);
  return p.frame(kVehicleMotionId, kVehicleMotionDataId);
}

Result<VehicleMotion> decode_vehicle_motion(const CanFrame& frame) noexcept {
  const Result<VehiclePayload> payload = open(kMotionMessage, frame);
  if (!payload) return payload.error();
  VehicleMotion out;
  out.counter = counter_of(kMotionMessage, *payload).value_or(0);
  out.speed_mps = read(kVehicle.speed, *payload);
  out.yaw_rate_radps = read(kVehicle.yaw_rate, *payload);
  out.steering_rad = read(kVehicle.steering, *payload);
  return out;
}

CanFrame encode(const VehicleBody& message) noexcept {
  const auto dial = [](std::optional<double> share) -> std::uint64_t {
    if (!share || std::isnan(*share)) return 0;  // not told
    return static_cast<std::uint64_t>(1 +
                                      std::lround(std::clamp(*share, 0.0, 1.0) / body::kDialStep));
  };
  Packer p;
  p.put(kCounter, message.counter);
  p.put_enum(body::kTurnSignal, message.turn_signal);
  p.put_enum(body::kGear, message.gear);
  p.put(body::kLampBrightness, dial(message.lamp_brightness));
  p.put(body::kSoundVolume, dial(message.sound_volume));
  return p.frame(kVehicleBodyId, kVehicleBodyDataId);
}

Result<VehicleBody> decode_vehicle_body(const CanFrame& frame) noexcept {
  const Result<VehiclePayload> payload = open(kBodyMessage, frame);
  if (!payload) return payload.error();
  VehicleBody out;
  out.counter = counter_of(kBodyMessage, *payload).value_or(0);
  out.turn_signal = value_of<TurnSignal>(read_turn_signal(kVehicle, *payload));
  out.gear =
      value_of<Gear>(read(kVehicle.gear, *payload, static_cast<std::uint8_t>(Gear::not_available)));
  out.lamp_brightness = read(kVehicle.lamp_brightness, *payload);
  out.sound_volume = read(kVehicle.sound_volume, *payload);
  return out;
}

CanFrame encode(const VehicleDriver& message) noexcept {
  Packer p;
  p.put(kCounter, message.counter);
  p.put(driver::kOff, message.off_pressed ? 1u : 0u);
  p.put(driver::kConfirm, message.confirm_pressed ? 1u : 0u);
  p.put(driver::kIgnitionCycle, message.ignition_cycle);
  return p.frame(kDriverId, kDriverDataId);
}

Result<VehicleDriver> decode_vehicle_driver(const CanFrame& frame) noexcept {
  return decode_vehicle_driver(kVehicle, frame);
}

Result<VehicleDriver> decode_vehicle_driver(const VehicleLayout& layout,
                                            const CanFrame& frame) noexcept {
  const int index = std::max(layout.off_button.message, layout.confirm_button.message);
  if (index < 0) return Error{Errc::invalid_argument, 0, "decode: no buttons"};
  const VehicleMessage& message = layout.messages[static_cast<std::size_t>(index)];
  const Result<VehiclePayload> payload = open(message, frame);
  if (!payload) return payload.error();
  VehicleDriver out;
  out.counter = counter_of(message, *payload).value_or(0);
  out.off_pressed = read(layout.off_button, *payload);
  out.confirm_pressed = read(layout.confirm_button, *payload);
  if (layout.ignition_cycle.message == index)
    out.ignition_cycle = static_cast<std::uint8_t>(payload->get(layout.ignition_cycle.bits));
  return out;
}

CanFrame encode(const ReadyMessage& message) noexcept {
  Packer p;
  p.put(kCounter, message.counter);
  p.put_enum(ready::kReadiness, message.readiness);
  p.put(ready::kViewDistance, message.view_m);
  p.put_enum(ready::kViewLimit, message.view_limit);
  for (std::size_t i = 0; i < kTestParts; ++i)
    p.put_enum(ready::test_bits(i), message.self_test.results[i]);
  return p.frame(kReadyId, kReadyDataId);
}

Result<ReadyMessage> decode_ready(const CanFrame& frame) noexcept {
  if (Status s = check(frame, kReadyId, kReadyDataId); !s) return s.error();
  const Unpacker u{frame};
  ReadyMessage out;
  out.counter = u.counter();
  out.readiness = u.get_enum<Readiness>(ready::kReadiness);
  out.view_m = u.get(ready::kViewDistance);
  out.view_limit = u.get_enum<ViewLimit>(ready::kViewLimit);
  for (std::size_t i = 0; i < kTestParts; ++i)
    out.self_test.results[i] = u.get_enum<TestResult>(ready::test_bits(i));
  return out;
}

CanFrame encode(const ServiceMessage& message) noexcept {
  Packer p;
  p.put(kCounter, message.counter);
  p.put_enum(service::kRequest, message.request);
  p.put(service::kMagic, kServiceMagic);
  p.put_enum(service::kLevel, message.level);
  p.put(service::kDuration, message.duration_s);
  return p.frame(kServiceId, kServiceDataId);
}

Result<ServiceMessage> decode_service(const CanFrame& frame) noexcept {
  if (Status s = check(frame, kServiceId, kServiceDataId); !s) return s.error();
  const Unpacker u{frame};
  const std::optional<double> duration = u.get(service::kDuration);
  if (u.get(service::kMagic) != kServiceMagic || u.get(service::kRequest) > 3 ||
      u.get(service::kLevel) > 2 || !duration)
    return Error{Errc::damaged, 0, "decode: not a service request"};
  ServiceMessage out;
  out.counter = u.counter();
  out.request = u.get_enum<ServiceRequest>(service::kRequest);
  out.level = u.get_enum<WarningLevel>(service::kLevel);
  out.duration_s = *duration;
  return out;
}

}  // namespace kerb::can
