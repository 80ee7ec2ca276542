// SPDX-License-Identifier: Apache-2.0
// Each service by its bytes: what is answered, and every way to be refused.
#include "firmware/diagnostics/uds_server.hpp"

#include <cstdio>
#include <string>

#include "firmware/diagnostics/uds_identifiers.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/diagnostics/car.hpp"

using namespace kerb;
using namespace kerb::diagnostics;
using kerb::test::Bytes;
using kerb::test::Car;
using namespace std::chrono_literals;

namespace {

std::string hex(const std::optional<Bytes>& bytes) {
  if (!bytes) return "nothing";
  std::string out;
  for (const std::uint8_t byte : *bytes) {
    char text[4];
    std::snprintf(text, sizeof text, "%02X ", byte);
    out += text;
  }
  if (!out.empty()) out.pop_back();
  return out;
}

void expect(const char* wanted, const std::optional<Bytes>& got) {
  TEST_ASSERT_EQUAL_STRING(wanted, hex(got).c_str());
}

Bytes dtc(Cause cause, std::initializer_list<std::uint8_t> before,
          std::initializer_list<std::uint8_t> after = {}, int camera = 0) {
  const std::uint32_t code = dtc_of({cause, camera});
  Bytes out{before};
  for (const int shift : {16, 8, 0}) out.push_back(static_cast<std::uint8_t>(code >> shift));
  out.insert(out.end(), after);
  return out;
}

/// A car whose camera was dark for a moment.
void have_fault(Car& car, Cause cause = Cause::camera_dark, Nanos lasting = 3s) {
  car.fault = cause;
  car.run(lasting);
  car.fault.reset();
  car.run(1s);
}

// --- what is common to all services

TEST(an_unknown_service_is_11) {
  Car car;
  for (int sid = 0; sid < 256; ++sid) {
    const auto byte = static_cast<std::uint8_t>(sid);
    const bool known = sid == 0x10 || sid == 0x11 || sid == 0x14 || sid == 0x19 || sid == 0x22 ||
                       sid == 0x2F || sid == 0x3E;
    const std::optional<Bytes> got = car.ask({byte, 0x01, 0x02, 0x03});
    TEST_ASSERT_TRUE(got.has_value());
    const bool refused =
        got->size() == 3 && (*got)[0] == 0x7F && (*got)[1] == byte && (*got)[2] == 0x11;
    TEST_ASSERT_EQUAL_MESSAGE(!known, refused, hex(got).c_str());
  }
}

TEST(an_unknown_sub_function_is_12) {
  Car car;
  for (const Bytes& request :
       {Bytes{0x10, 0x00}, Bytes{0x10, 0x02}, Bytes{0x10, 0x04}, Bytes{0x11, 0x02},
        Bytes{0x11, 0x04}, Bytes{0x19, 0x03}, Bytes{0x19, 0x00}, Bytes{0x19, 0x0B},
        Bytes{0x19, 0x7F}, Bytes{0x3E, 0x01}, Bytes{0x3E, 0x81}, Bytes{0x10, 0x82}}) {
    char wanted[16];
    std::snprintf(wanted, sizeof wanted, "7F %02X 12", request[0]);
    expect(wanted, car.ask(request));
  }
}

TEST(a_wrong_length_is_13) {
  Car car;
  TEST_ASSERT_TRUE(car.ask({0x10, 0x03}));
  for (const Bytes& request : {Bytes{0x10},
                               Bytes{0x10, 0x01, 0x00},
                               Bytes{0x11},
                               Bytes{0x11, 0x01, 0x00},
                               Bytes{0x14},
                               Bytes{0x14, 0xFF, 0xFF},
                               Bytes{0x14, 0xFF, 0xFF, 0xFF, 0x00},
                               Bytes{0x19},
                               Bytes{0x19, 0x01},
                               Bytes{0x19, 0x02, 0xFF, 0xFF},
                               Bytes{0x19, 0x04, 0x9A, 0x04, 0x31},
                               Bytes{0x19, 0x06, 0x9A, 0x04, 0x31, 0xFF, 0x00},
                               Bytes{0x19, 0x0A, 0x00},
                               Bytes{0x22},
                               Bytes{0x22, 0xF1},
                               Bytes{0x22, 0xF1, 0x89, 0xF1},
                               Bytes(35, 0x22),
                               Bytes{0x2F},
                               Bytes{0x2F, 0xFD, 0x20},
                               Bytes{0x2F, 0xFD, 0x20, 0x03},
                               Bytes{0x2F, 0xFD, 0x20, 0x00, 0x01},
                               Bytes{0x2F, 0xFD, 0x20, 0x03, 0x01, 0x01},
                               Bytes{0x3E},
                               Bytes{0x3E, 0x00, 0x00},
                               Bytes{0x3E, 0x80, 0x00}}) {
    char wanted[16];
    std::snprintf(wanted, sizeof wanted, "7F %02X 13", request[0]);
    expect(wanted, car.ask(request));
  }
}

TEST(requests_to_all_are_not_answered_by_who_cannot_help) {
  Car car;
  expect("nothing", car.ask({0x27, 0x01}, true));                    // 11
  expect("nothing", car.ask({0x10, 0x02}, true));                    // 12
  expect("nothing", car.ask({0x22, 0x12, 0x34}, true));              // 31
  expect("nothing", car.ask({0x2F, 0xFD, 0x20, 0x03, 0x01}, true));  // 7F
  expect("7F 3E 13", car.ask({0x3E}, true));
  car.speed = 10;
  expect("7F 14 22", car.ask({0x14, 0xFF, 0xFF, 0xFF}, true));
  expect("7E 00", car.ask({0x3E, 0x00}, true));
  expect("50 03 00 32 01 F4", car.ask({0x10, 0x03}, true));
}

TEST(the_tester_may_ask_for_no_positive_answer) {
  Car car;
  expect("nothing", car.ask({0x3E, 0x80}));
  expect("nothing", car.ask({0x10, 0x83}));
  TEST_ASSERT_TRUE(car.diagnostics->session() == Session::extended);
  expect("nothing", car.ask({0x19, 0x81, 0xFF}));
  expect("7F 19 13", car.ask({0x19, 0x81}));
  expect("7F 10 12", car.ask({0x10, 0x85}));
  car.speed = 10;
  expect("7F 11 22", car.ask({0x11, 0x81}));
  // 0x22, 0x14 and 0x2F have no sub-function: the bit is a part of their data.
  expect("62 FD 03 00 05", car.ask({0x22, 0xFD, 0x03}));
}

// --- 0x10, 0x3E

TEST(sessions_are_entered_and_told) {
  Car car;
  expect("62 F1 86 01", car.ask({0x22, 0xF1, 0x86}));
  expect("50 03 00 32 01 F4", car.ask({0x10, 0x03}));
  expect("62 F1 86 03", car.ask({0x22, 0xF1, 0x86}));
  expect("50 01 00 32 01 F4", car.ask({0x10, 0x01}));
  expect("62 F1 86 01", car.ask({0x22, 0xF1, 0x86}));
}

TEST(a_silent_tester_loses_its_session_after_five_seconds) {
  Car car;
  expect("50 03 00 32 01 F4", car.ask({0x10, 0x03}));
  car.run(5s - Car::kRound);
  TEST_ASSERT_TRUE(car.diagnostics->session() == Session::extended);
  car.run(Car::kRound);
  TEST_ASSERT_TRUE(car.diagnostics->session() == Session::standard);
  expect("7F 2F 7F", car.ask({0x2F, 0xFD, 0x20, 0x03, 0x01}));
}

TEST(tester_present_keeps_the_session) {
  Car car;
  expect("50 03 00 32 01 F4", car.ask({0x10, 0x03}));
  for (int i = 0; i < 10; ++i) {
    car.run(4s);
    if (i % 2 == 0)
      expect("nothing", car.ask({0x3E, 0x80}, true));
    else
      expect("7E 00", car.ask({0x3E, 0x00}));
    TEST_ASSERT_TRUE(car.diagnostics->session() == Session::extended);
  }
}

// --- 0x11

TEST(a_reset_needs_a_car_that_is_known_to_stand) {
  for (const std::uint8_t kind : {std::uint8_t{0x01}, std::uint8_t{0x03}}) {
    Car car;
    car.speed = 3;
    expect("7F 11 22", car.ask({0x11, kind}));
    car.speed = -1;
    expect("7F 11 22", car.ask({0x11, kind}));
    car.speed.reset();
    expect("7F 11 22", car.ask({0x11, kind}));
    TEST_ASSERT_FALSE(car.diagnostics->reset_requested());
    car.speed = 0;
    expect(kind == 1 ? "51 01" : "51 03", car.ask({0x11, kind}));
    TEST_ASSERT_TRUE(car.diagnostics->reset_requested());
  }
}

TEST(where_nothing_starts_it_again_a_reset_is_refused) {
  Car car{1, true, false};
  expect("7F 11 22", car.ask({0x11, 0x01}));
  TEST_ASSERT_FALSE(car.diagnostics->reset_requested());
}

TEST(a_reset_may_be_silent) {
  Car car;
  expect("nothing", car.ask({0x11, 0x81}));
  TEST_ASSERT_TRUE(car.diagnostics->reset_requested());
}

// --- 0x19

TEST(codes_are_counted_and_listed_by_their_status) {
  Car car;
  car.run(1s);
  expect("59 01 FF 01 00 00", car.ask({0x19, 0x01, 0xFF}));
  expect("59 02 FF", car.ask({0x19, 0x02, 0xFF}));
  have_fault(car);
  expect("59 01 FF 01 00 01", car.ask({0x19, 0x01, 0x08}));
  expect("59 02 FF 9A 1C 97 2E", car.ask({0x19, 0x02, 0x08}));
  expect("59 02 FF", car.ask({0x19, 0x02, 0x01}));
  expect("59 02 FF", car.ask({0x19, 0x02, 0x00}));
  car.fault = Cause::board_hot;
  car.run(1s);
  expect("59 02 FF 9A 1C 97 2E 9A 24 4B A7", car.ask({0x19, 0x02, 0x04}));
  expect("59 02 FF 9A 24 4B A7", car.ask({0x19, 0x02, 0x81}));
}

TEST(all_codes_of_this_car_are_listed) {
  for (const int cameras : {1, 4}) {
    Car car{cameras};
    const std::optional<Bytes> got = car.ask({0x19, 0x0A});
    TEST_ASSERT_TRUE(got.has_value());
    std::size_t codes = 0;
    for (int c = 1; c < kCauseCount; ++c)
      codes += is_of_camera(static_cast<Cause>(c)) ? static_cast<std::size_t>(cameras) : 1;
    TEST_ASSERT_EQUAL_size_t(3 + 4 * codes, got->size());
    TEST_ASSERT_EQUAL_HEX8(0x59, (*got)[0]);
    TEST_ASSERT_EQUAL_HEX8(0x0A, (*got)[1]);
    TEST_ASSERT_EQUAL_HEX8(0xFF, (*got)[2]);
  }
}

TEST(a_freeze_frame_tells_the_moment) {
  Car car;
  car.speed = 12.34;
  car.readiness = Readiness::limited_view;
  have_fault(car);
  // 1'800'000'000 s, 10 s, 12.34 m/s, readiness 8, degraded, 12.5
  const std::string frame =
      " 06 FD 10 6B 49 D2 00 FD 11 00 00 00 0A FD 12 04 D2 FD 13 08 FD 14 02 FD 15 00 00 30 D4";
  expect(("59 04 9A 1C 97 2E 01" + frame).c_str(),
         car.ask(dtc(Cause::camera_dark, {0x19, 0x04}, {0x01})));
  expect(("59 04 9A 1C 97 2E 02" + frame).c_str(),
         car.ask(dtc(Cause::camera_dark, {0x19, 0x04}, {0x02})));
  expect(("59 04 9A 1C 97 2E 01" + frame + " 02" + frame).c_str(),
         car.ask(dtc(Cause::camera_dark, {0x19, 0x04}, {0xFF})));
}

TEST(a_code_that_never_failed_has_no_frame) {
  Car car;
  car.run(1s);
  expect("59 04 9A 24 4B 00", car.ask(dtc(Cause::board_hot, {0x19, 0x04}, {0xFF})));
  expect("59 06 9A 24 4B 00", car.ask(dtc(Cause::board_hot, {0x19, 0x06}, {0xFF})));
}

TEST(extended_data_tell_how_often_and_how_long_ago) {
  Car car;
  have_fault(car);
  have_fault(car);
  expect("59 06 9A 1C 97 2E 01 02", car.ask(dtc(Cause::camera_dark, {0x19, 0x06}, {0x01})));
  expect("59 06 9A 1C 97 2E 02 00", car.ask(dtc(Cause::camera_dark, {0x19, 0x06}, {0x02})));
  expect("59 06 9A 1C 97 2E 01 02 02 00", car.ask(dtc(Cause::camera_dark, {0x19, 0x06}, {0xFF})));
}

TEST(an_unknown_code_or_record_is_31) {
  Car car;
  have_fault(car);
  for (const std::uint8_t sub : {std::uint8_t{0x04}, std::uint8_t{0x06}}) {
    for (const std::uint8_t record : Bytes{0x00, 0x03, 0xEF, 0xFE})
      expect("7F 19 31", car.ask(dtc(Cause::camera_dark, {0x19, sub}, {record})));
    expect("7F 19 31", car.ask({0x19, sub, 0x00, 0x00, 0x00, 0x01}));
    expect("7F 19 31", car.ask({0x19, sub, 0xFF, 0xFF, 0xFF, 0x01}));
    expect("7F 19 31", car.ask(dtc(Cause::camera_dark, {0x19, sub}, {0x01}, 1)));  // one camera
  }
}

// --- 0x14

TEST(codes_are_cleared_all_or_one) {
  Car car;
  have_fault(car, Cause::camera_dark);
  have_fault(car, Cause::board_hot);
  expect("54", car.ask(dtc(Cause::camera_dark, {0x14})));
  expect("59 02 FF 9A 24 4B 2E", car.ask({0x19, 0x02, 0x08}));
  expect("54", car.ask({0x14, 0xFF, 0xFF, 0xFF}));
  expect("59 02 FF", car.ask({0x19, 0x02, 0x2F}));
}

TEST(unknown_groups_are_31) {
  Car car;
  expect("7F 14 31", car.ask({0x14, 0x00, 0x00, 0x00}));
  expect("7F 14 31", car.ask({0x14, 0xFF, 0xFF, 0x33}));
  expect("7F 14 31", car.ask(dtc(Cause::camera_dark, {0x14}, {}, 3)));
}

TEST(nothing_is_cleared_on_the_road) {
  Car car;
  have_fault(car);
  car.speed = 8;
  expect("7F 14 22", car.ask({0x14, 0xFF, 0xFF, 0xFF}));
  expect("59 01 FF 01 00 01", car.ask({0x19, 0x01, 0x08}));
  car.speed.reset();  // the very fault may be that there is no speed
  expect("54", car.ask({0x14, 0xFF, 0xFF, 0xFF}));
}

// --- 0x22

TEST(identifiers_tell_who_answers) {
  Car car;
  const auto text = [&](std::uint16_t id) {
    const std::optional<Bytes> got =
        car.ask({0x22, static_cast<std::uint8_t>(id >> 8), static_cast<std::uint8_t>(id)});
    TEST_ASSERT_TRUE(got && got->size() > 3 && (*got)[0] == 0x62);
    return std::string{got->begin() + 3, got->end()};
  };
  TEST_ASSERT_EQUAL_STRING("1.2.3                           ", text(0xF189).c_str());
  TEST_ASSERT_EQUAL_STRING("KW-0042                 ", text(0xF18C).c_str());
  TEST_ASSERT_EQUAL_STRING("WKWTEST0000000042", text(0xF190).c_str());
  TEST_ASSERT_EQUAL_STRING("Kerbwatch       ", text(0xF197).c_str());
  TEST_ASSERT_EQUAL_STRING("default.kwm                     ", text(0xFD00).c_str());
  expect("62 FD 01 01 02 03 04", car.ask({0x22, 0xFD, 0x01}));
  expect("62 FD 02 CA FE 00 01", car.ask({0x22, 0xFD, 0x02}));
  expect("62 FD 03 00 05", car.ask({0x22, 0xFD, 0x03}));
}

TEST(identifiers_tell_the_situation_now) {
  Car car;
  car.speed = -1.5;
  expect("62 FD 12 FF 6A FD 13 00 FD 14 01 FD 16 00 FF",
         car.ask({0x22, 0xFD, 0x12, 0xFD, 0x13, 0xFD, 0x14, 0xFD, 0x16}));
  car.speed.reset();
  car.fault = Cause::camera_frozen;
  car.run(1s);
  expect("62 FD 12 7F FF FD 14 02 FD 15 00 00 30 D4 FD 16 05 00",
         car.ask({0x22, 0xFD, 0x12, 0xFD, 0x14, 0xFD, 0x15, 0xFD, 0x16}));
}

TEST(of_several_identifiers_the_known_are_answered) {
  Car car;
  expect("62 FD 03 00 05", car.ask({0x22, 0x12, 0x34, 0xFD, 0x03, 0xF1, 0xFF}));
  expect("7F 22 31", car.ask({0x22, 0x12, 0x34, 0xF1, 0xFF}));
  expect("7F 22 31", car.ask({0x22, 0xFD, 0x23}));
}

TEST(what_a_car_does_not_know_is_31) {
  DtcMemory memory{1};
  memory.restore({}, "1");
  ServiceTest outputs{true};
  UdsServer server{Identity{}, memory, outputs, false};
  std::array<std::uint8_t, 64> room{};
  for (const int id : {0xF189, 0xF18C, 0xF190, 0xFD00, 0xFD01}) {
    const Bytes request{0x22, static_cast<std::uint8_t>(id >> 8), static_cast<std::uint8_t>(id)};
    TEST_ASSERT_EQUAL_size_t(3, server.answer(request, false, {}, room));
    TEST_ASSERT_EQUAL_HEX8(0x31, room[2]);
  }
}

TEST(counters_are_read_and_saturate) {
  LifeCounters life;
  life.distance_mm = 1'234'567'890'123;  // 12345678 times 0.1 km
  life.run_ms = 7'200'999;
  life.starts = 0x01020304;
  life.collisions = 0xFFFFFFFF;
  life.faults[1] = 3;
  life.faults[63] = 70000;
  std::array<std::uint8_t, 200> room{};
  const auto read = [&](int id) {
    Response out{room};
    TEST_ASSERT_TRUE(append_counter(out, static_cast<std::uint16_t>(id), life));
    return Bytes(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(out.size()));
  };
  expect("00 BC 61 4E", read(0xFD30));
  expect("00 00 1C 20", read(0xFD31));
  expect("00 00 00 00", read(0xFD32));
  expect("00 00 00 00", read(0xFD33));
  expect("01 02 03 04", read(0xFD34));
  expect("FF FF FF FF", read(0xFD37));
  const Bytes faults = read(0xFD38);
  TEST_ASSERT_EQUAL_size_t(128, faults.size());
  TEST_ASSERT_EQUAL_HEX8(3, faults[3]);
  TEST_ASSERT_EQUAL_HEX8(0xFF, faults[126]);
  Response out{room};
  TEST_ASSERT_FALSE(append_counter(out, 0xFD39, life));
}

TEST(a_car_without_counters_says_31) {
  Car car;
  expect("7F 22 31", car.ask({0x22, 0xFD, 0x30}));
}

TEST(what_does_not_fit_is_14) {
  DtcMemory memory{4};
  memory.restore({}, "1");
  ServiceTest outputs{true};
  UdsServer server{test::identity(), memory, outputs, false};
  std::array<std::uint8_t, 20> room{};
  const Bytes request{0x19, 0x0A};
  TEST_ASSERT_EQUAL_size_t(3, server.answer(request, false, {}, room));
  TEST_ASSERT_EQUAL_HEX8(0x7F, room[0]);
  TEST_ASSERT_EQUAL_HEX8(0x14, room[2]);
}

// --- 0x2F

TEST(outputs_are_held_and_given_back) {
  Car car;
  expect("50 03 00 32 01 F4", car.ask({0x10, 0x03}));
  expect("62 FD 20 FF FD 21 FF FD 22 FF", car.ask({0x22, 0xFD, 0x20, 0xFD, 0x21, 0xFD, 0x22}));
  expect("6F FD 20 03 01", car.ask({0x2F, 0xFD, 0x20, 0x03, 0x01}));
  TEST_ASSERT_TRUE(car.outputs.lamp() == WarningLevel::collision);
  TEST_ASSERT_FALSE(car.outputs.sound());
  expect("6F FD 22 03 01", car.ask({0x2F, 0xFD, 0x22, 0x03, 0x01}));
  TEST_ASSERT_TRUE(car.outputs.sound());
  expect("6F FD 21 03 00", car.ask({0x2F, 0xFD, 0x21, 0x03, 0x00}));
  TEST_ASSERT_TRUE(car.outputs.status_lamp() == std::optional{false});
  expect("62 FD 20 01 FD 21 00 FD 22 01", car.ask({0x22, 0xFD, 0x20, 0xFD, 0x21, 0xFD, 0x22}));
  TEST_ASSERT_TRUE(car.outputs.message() == WarningLevel::none);  // nothing of it is on the bus
  expect("6F FD 20 00 FF", car.ask({0x2F, 0xFD, 0x20, 0x00}));
  TEST_ASSERT_TRUE(car.outputs.lamp() == WarningLevel::none);
  TEST_ASSERT_TRUE(car.outputs.sound());
}

TEST(outputs_need_the_extended_session) {
  Car car;
  expect("7F 2F 7F", car.ask({0x2F, 0xFD, 0x20, 0x03, 0x01}));
  expect("7F 2F 7F", car.ask({0x2F}));
}

TEST(outputs_need_a_car_that_is_known_to_stand) {
  for (const std::optional<double> speed :
       {std::optional<double>{0.6}, std::optional<double>{-0.6}, std::optional<double>{}}) {
    Car car;
    expect("50 03 00 32 01 F4", car.ask({0x10, 0x03}));
    car.speed = speed;
    for (const std::uint8_t id : Bytes{0x20, 0x21, 0x22})
      expect("7F 2F 22", car.ask({0x2F, 0xFD, id, 0x03, 0x01}));
    expect("6F FD 20 00 FF", car.ask({0x2F, 0xFD, 0x20, 0x00}));  // giving back is always possible
  }
}

TEST(outputs_need_the_permission_of_the_configuration) {
  Car car{1, false};
  expect("50 03 00 32 01 F4", car.ask({0x10, 0x03}));
  expect("7F 2F 22", car.ask({0x2F, 0xFD, 0x20, 0x03, 0x01}));
}

TEST(unknown_outputs_options_and_levels_are_31) {
  Car car;
  expect("50 03 00 32 01 F4", car.ask({0x10, 0x03}));
  for (const Bytes& request :
       {Bytes{0x2F, 0xFD, 0x23, 0x03, 0x01}, Bytes{0x2F, 0xFD, 0x1F, 0x03, 0x01},
        Bytes{0x2F, 0xF1, 0x89, 0x03, 0x01}, Bytes{0x2F, 0xFD, 0x20, 0x01},
        Bytes{0x2F, 0xFD, 0x20, 0x02}, Bytes{0x2F, 0xFD, 0x20, 0x04, 0x01},
        Bytes{0x2F, 0xFD, 0x20, 0x03, 0x02}, Bytes{0x2F, 0xFD, 0x20, 0x03, 0xFF}})
    expect("7F 2F 31", car.ask(request));
  TEST_ASSERT_TRUE(car.outputs.lamp() == WarningLevel::none);
}

TEST(outputs_are_let_go_when_the_session_ends_or_the_car_moves) {
  struct Case {
    const char* name;
    void (*end)(Car&);
  };
  for (const Case& c : {Case{"default session",
                             [](Car& car) {
                               static_cast<void>(car.ask({0x10, 0x01}));
                             }},
                        Case{"session again",
                             [](Car& car) {
                               static_cast<void>(car.ask({0x10, 0x83}));
                             }},
                        Case{"silence", [](Car& car) { car.run(5100ms); }},
                        Case{"drives", [](Car& car) { car.speed = 1, car.run(); }},
                        Case{"speed lost", [](Car& car) { car.speed.reset(), car.run(); }}}) {
    Car car;
    expect("50 03 00 32 01 F4", car.ask({0x10, 0x03}));
    expect("6F FD 22 03 01", car.ask({0x2F, 0xFD, 0x22, 0x03, 0x01}));
    expect("6F FD 21 03 01", car.ask({0x2F, 0xFD, 0x21, 0x03, 0x01}));
    TEST_ASSERT_TRUE(car.outputs.sound());
    c.end(car);
    TEST_ASSERT_FALSE_MESSAGE(car.outputs.sound(), c.name);
    TEST_ASSERT_FALSE_MESSAGE(car.outputs.status_lamp().has_value(), c.name);
    car.speed = 0;
    car.run();
    TEST_ASSERT_FALSE_MESSAGE(car.outputs.sound(), "it stays let go");
  }
}

}  // namespace
