// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <iterator>
#include <limits>
#include <random>
#include <string_view>

#include "firmware/can/codec.hpp"
#include "firmware/can/crc8.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using namespace kerb::can;

namespace {

/// The definition of CRC-8/SAE-J1850, bit by bit: no table, no shared code.
std::uint8_t bitwise_crc(std::span<const std::uint8_t> bytes) {
  unsigned crc = 0xFF;
  for (const std::uint8_t byte : bytes)
    for (int bit = 7; bit >= 0; --bit) {
      const bool invert = ((crc >> 7 ^ byte >> bit) & 1u) != 0;
      crc = crc << 1 & 0xFFu;
      if (invert) crc ^= 0x1Du;
    }
  return static_cast<std::uint8_t>(crc ^ 0xFFu);
}

TEST(crc8_has_the_check_value_of_j1850) {
  constexpr std::uint8_t kDigits[] = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
  static_assert(crc8(kDigits) == 0x4B);
  TEST_ASSERT_EQUAL_HEX8(0x4B, bitwise_crc(kDigits));
  TEST_ASSERT_EQUAL_HEX8(0x00, crc8({}));
}

TEST(crc8_equals_the_bitwise_definition) {
  std::mt19937 random{1};
  for (int round = 0; round < 2000; ++round) {
    std::array<std::uint8_t, 64> bytes;
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    const auto some = std::span<const std::uint8_t>{bytes}.first(random() % 65);
    TEST_ASSERT_EQUAL_HEX8(bitwise_crc(some), crc8(some));
    const auto first = some.first(some.size() / 3);
    TEST_ASSERT_EQUAL_HEX8(crc8(some), crc8(some.subspan(first.size()), crc8(first)));
  }
}

TEST(message_crc_covers_the_data_id_and_all_bytes_but_itself) {
  const CanFrame frame = encode(StatusMessage{});
  std::uint8_t covered[9] = {0x05, 0x4B};  // low byte first
  for (std::size_t i = 1; i < 8; ++i) covered[i + 1] = frame.data[i];
  TEST_ASSERT_EQUAL_HEX8(bitwise_crc(covered), frame.data[0]);
  constexpr std::uint8_t kExample[8] = {0, 0x10};  // of docs/can.md
  TEST_ASSERT_EQUAL_HEX8(0x54, message_crc(kStatusDataId, kExample));
}

TEST(every_flipped_bit_is_noticed) {
  const CanFrame good = encode(VehicleMotion{13.9, 0.1, 7});
  TEST_ASSERT_OK(decode_vehicle_motion(good));
  for (unsigned bit = 0; bit < 64; ++bit) {
    CanFrame bad = good;
    bad.data[bit / 8] = static_cast<std::uint8_t>(bad.data[bit / 8] ^ 1u << bit % 8);
    TEST_ASSERT_ERROR(Errc::damaged, decode_vehicle_motion(bad));
  }
}

TEST(a_message_under_another_id_does_not_pass) {
  CanFrame frame = encode(VehicleMotion{13.9, 0.1, 7});
  frame.id = kVehicleBodyId;
  TEST_ASSERT_ERROR(Errc::damaged, decode_vehicle_body(frame));
  TEST_ASSERT_ERROR(Errc::invalid_argument, decode_vehicle_motion(frame));
}

TEST(wrong_kinds_of_frame_are_refused) {
  const CanFrame good = encode(VehicleMotion{13.9, 0.1, 7});
  CanFrame frame = good;
  frame.extended = true;
  TEST_ASSERT_ERROR(Errc::invalid_argument, decode_vehicle_motion(frame));
  frame = good;
  frame.remote = true;
  TEST_ASSERT_ERROR(Errc::invalid_argument, decode_vehicle_motion(frame));
  for (std::uint8_t size = 0; size <= 64; ++size) {
    frame = good;
    frame.size = size;
    if (size != 8) TEST_ASSERT_ERROR(Errc::invalid_argument, decode_vehicle_motion(frame));
  }
}

TEST(what_we_send_is_a_valid_classic_frame) {
  std::array<CanFrame, kMaxObjectFrames> frames;
  encode_objects({}, 3, frames);
  for (const CanFrame& frame :
       {encode(StatusMessage{}), encode(WarningMessage{}), encode(VehicleMotion{}),
        encode(VehicleBody{}), encode(ServiceMessage{}), frames[0]}) {
    TEST_ASSERT_TRUE(is_valid(frame));
    TEST_ASSERT_FALSE(frame.fd);
    TEST_ASSERT_EQUAL(8, frame.size);
  }
}

TEST(status_comes_back_as_it_went) {
  StatusMessage sent;
  sent.health = {HealthState::degraded, Cause::camera_silent, 420, 2};
  sent.detector_present = true;
  sent.speed_valid = true;
  sent.camera_rate_hz = 30;
  sent.dropped_percent = 12;
  sent.board_celsius = 97;
  sent.counter = 15;
  const Result<StatusMessage> got = decode_status(encode(sent));
  TEST_ASSERT_OK(got);
  TEST_ASSERT_EQUAL(HealthState::degraded, got->health.state);
  TEST_ASSERT_EQUAL(Cause::camera_silent, got->health.cause);
  TEST_ASSERT_EQUAL_DOUBLE(420, got->health.number);
  TEST_ASSERT_EQUAL(2, got->health.camera);
  TEST_ASSERT_TRUE(got->detector_present);
  TEST_ASSERT_TRUE(got->speed_valid);
  TEST_ASSERT_EQUAL_DOUBLE(30, *got->camera_rate_hz);
  TEST_ASSERT_EQUAL_DOUBLE(12, *got->dropped_percent);
  TEST_ASSERT_EQUAL_DOUBLE(97, *got->board_celsius);
  TEST_ASSERT_EQUAL(15, got->counter);
}

TEST(readiness_and_the_drivers_buttons_come_back_as_they_went) {
  for (int i = 0; i < kReadinessCount; ++i) {
    ReadyMessage sent;
    sent.readiness = static_cast<Readiness>(i);
    sent.counter = static_cast<std::uint8_t>(15 - i);
    sent.view_limit = static_cast<ViewLimit>(i % kViewLimitCount);
    if (i > 0) sent.view_m = 14.5 * i;
    for (std::size_t part = 0; part < kTestParts; ++part)
      sent.self_test.results[part] = static_cast<TestResult>((static_cast<int>(part) + i) % 3);
    const Result<ReadyMessage> got = decode_ready(encode(sent));
    TEST_ASSERT_OK(got);
    TEST_ASSERT_EQUAL(sent.readiness, got->readiness);
    TEST_ASSERT_EQUAL(sent.view_limit, got->view_limit);
    TEST_ASSERT_TRUE(sent.self_test == got->self_test);
    TEST_ASSERT_EQUAL(i > 0, got->view_m.has_value());
    if (i > 0) TEST_ASSERT_EQUAL_DOUBLE(14.5 * i, *got->view_m);
    TEST_ASSERT_EQUAL(sent.counter, got->counter);
  }
  ReadyMessage far;
  far.view_m = 500;  // saturates
  TEST_ASSERT_EQUAL_DOUBLE(127, decode_ready(encode(far))->view_m.value_or(0));
  for (const bool off : {false, true})
    for (const bool confirm : {false, true}) {
      const Result<VehicleDriver> got =
          decode_vehicle_driver(encode(VehicleDriver{off, confirm, 9}));
      TEST_ASSERT_OK(got);
      TEST_ASSERT_EQUAL(off, got->off_pressed);
      TEST_ASSERT_EQUAL(confirm, got->confirm_pressed);
      TEST_ASSERT_EQUAL(9, got->counter);
    }
}

TEST(numbers_saturate_and_round) {
  struct Case {
    double sent, expected;
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const Case& c : {Case{1e300, 327.67}, Case{-1e300, -327.67}, Case{kInfinity, 327.67},
                        Case{-kInfinity, -327.67}, Case{327.671, 327.67}, Case{0.004, 0.0},
                        Case{0.006, 0.01}, Case{-0.006, -0.01}, Case{-0.0, 0.0}}) {
    const Result<VehicleMotion> got = decode_vehicle_motion(encode(VehicleMotion{c.sent, 0.0, 0}));
    TEST_ASSERT_OK(got);
    TEST_ASSERT_DOUBLE_WITHIN(1e-9, c.expected, *got->speed_mps);
  }
}

TEST(not_available_is_never_a_number) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::optional<double> none : {std::optional<double>{}, std::optional<double>{nan}}) {
    StatusMessage status;
    status.health.number = nan;
    status.camera_rate_hz = status.dropped_percent = status.board_celsius = none;
    const Result<StatusMessage> s = decode_status(encode(status));
    TEST_ASSERT_OK(s);
    TEST_ASSERT_FALSE(s->camera_rate_hz || s->dropped_percent || s->board_celsius);
    TEST_ASSERT_TRUE(s->health.number != s->health.number);
    const Result<VehicleMotion> m = decode_vehicle_motion(encode(VehicleMotion{none, none, 0}));
    TEST_ASSERT_OK(m);
    TEST_ASSERT_FALSE(m->speed_mps || m->yaw_rate_radps);
  }
  const Result<WarningMessage> w = decode_warning(encode(WarningMessage{}));
  TEST_ASSERT_OK(w);
  TEST_ASSERT_FALSE(w->object_id || w->time_to_collision_s);
}

TEST(an_object_list_comes_back_whole) {
  std::array<ObjectMessage, kMaxObjects + 5> people{};
  for (std::size_t i = 0; i < people.size(); ++i) {
    people[i].id = static_cast<std::uint16_t>(1000 + i);
    people[i].x_m = 10.0 + static_cast<double>(i);
    people[i].vy_mps = -1.5;
  }
  std::array<CanFrame, kMaxObjectFrames> frames;
  TEST_ASSERT_EQUAL(kMaxObjectFrames, encode_objects(people, 9, frames));
  for (int i = 0; i < kMaxObjectFrames; ++i) {
    const Result<ObjectFrame> got = decode_objects(frames[static_cast<std::size_t>(i)]);
    TEST_ASSERT_OK(got);
    TEST_ASSERT_EQUAL(9, got->counter);
    TEST_ASSERT_EQUAL(kMaxObjects, got->count);
    TEST_ASSERT_EQUAL(i / 2, got->index);
    TEST_ASSERT_EQUAL(i % 2, static_cast<int>(got->part));
    if (i % 2 == 0) {
      TEST_ASSERT_EQUAL(1000 + i / 2, got->object.id);
      TEST_ASSERT_DOUBLE_WITHIN(0.025, 10 + i / 2, *got->object.x_m);
      TEST_ASSERT_FALSE(got->object.y_m);
    } else {
      TEST_ASSERT_DOUBLE_WITHIN(0.05, -1.5, *got->object.vy_mps);
      TEST_ASSERT_FALSE(got->object.height_m);
    }
  }
}

TEST(an_empty_object_list_says_so_in_one_frame) {
  std::array<CanFrame, kMaxObjectFrames> frames;
  TEST_ASSERT_EQUAL(1, encode_objects({}, 4, frames));
  const Result<ObjectFrame> got = decode_objects(frames[0]);
  TEST_ASSERT_OK(got);
  TEST_ASSERT_EQUAL(0, got->count);
  TEST_ASSERT_EQUAL(4, got->counter);
}

TEST(an_object_behind_the_end_of_its_list_is_refused) {
  const std::array<ObjectMessage, 2> people{};
  std::array<CanFrame, kMaxObjectFrames> frames;
  TEST_ASSERT_EQUAL(4, encode_objects(people, 4, frames));
  const auto with_index = [](CanFrame frame, unsigned index) {
    // kerbwatch.dbc: the index is the lower half of byte 2.
    frame.data[2] = static_cast<std::uint8_t>((frame.data[2] & 0xF0U) | index);
    frame.data[0] = message_crc(kObjectsDataId, std::span{frame.data}.first<8>());
    return decode_objects(frame);
  };
  TEST_ASSERT_EQUAL(0, with_index(frames[2], 0)->index);
  TEST_ASSERT_ERROR(Errc::damaged, with_index(frames[2], 2));
  TEST_ASSERT_EQUAL(1, encode_objects({}, 4, frames));
  TEST_ASSERT_ERROR(Errc::damaged, with_index(frames[0], 1));
}

TEST(a_service_request_without_the_magic_number_is_refused) {
  const ServiceMessage sent{ServiceRequest::lamp_test, WarningLevel::collision, 2.5, 1};
  CanFrame frame = encode(sent);
  const Result<ServiceMessage> got = decode_service(frame);
  TEST_ASSERT_OK(got);
  TEST_ASSERT_EQUAL(ServiceRequest::lamp_test, got->request);
  TEST_ASSERT_EQUAL(WarningLevel::collision, got->level);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 2.5, got->duration_s);
  frame.data[2] = 0;
  frame.data[0] = message_crc(kServiceDataId, std::span{frame.data}.first<8>());
  TEST_ASSERT_ERROR(Errc::damaged, decode_service(frame));
}

TEST(random_frames_are_survived) {
  std::mt19937 random{2};
  constexpr std::uint32_t kIds[] = {kVehicleMotionId, kVehicleBodyId, kWarningId, kObjectsId,
                                    kStatusId,        kServiceId,     kReadyId,   kDriverId};
  constexpr std::uint16_t kDataIds[] = {kVehicleMotionDataId, kVehicleBodyDataId, kWarningDataId,
                                        kObjectsDataId,       kStatusDataId,      kServiceDataId,
                                        kReadyDataId,         kDriverDataId};
  for (int round = 0; round < 20000; ++round) {
    CanFrame frame;
    const std::size_t kind = random() % std::size(kIds);
    frame.id = kIds[kind];
    frame.size = random() % 16 != 0 ? 8 : static_cast<std::uint8_t>(random() % 65);
    for (std::uint8_t& byte : frame.data) byte = static_cast<std::uint8_t>(random());
    frame.data[0] = message_crc(kDataIds[kind], std::span{frame.data}.first<8>());
    (void)decode_vehicle_motion(frame);
    (void)decode_vehicle_body(frame);
    (void)decode_warning(frame);
    (void)decode_objects(frame);
    (void)decode_status(frame);
    (void)decode_ready(frame);
    (void)decode_vehicle_driver(frame);
    (void)decode_service(frame);
  }
}

TEST(nothing_allocates) {
  const std::array<ObjectMessage, 3> people{};
  std::array<CanFrame, kMaxObjectFrames> frames;
  const std::uint64_t before = test::allocations();
  encode_objects(people, 1, frames);
  bool good = static_cast<bool>(decode_status(encode(StatusMessage{})));
  good &= static_cast<bool>(decode_warning(encode(WarningMessage{})));
  good &= static_cast<bool>(decode_objects(frames[0]));
  good &= !decode_status(frames[0]);
  TEST_ASSERT_EQUAL(before, test::allocations());
  TEST_ASSERT_TRUE(good);
}

}  // namespace
