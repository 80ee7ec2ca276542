// SPDX-License-Identifier: Apache-2.0
// The C++ side of check_with_cantools.py, one JSON object a line:
//   can_vectors encode COUNT SEED   random messages: {"message", "id", "data", "signals"}, extremes
//   included can_vectors layout FILE.toml    reads {"id", "extended", "data"} lines; prints what
//   they say by that layout, or {"error"} can_vectors decode              reads {"message", "data"}
//   lines; prints {"signals"} or
//   {"error"} can_vectors tables              identifiers, periods and the names of the
//   enumerations' numbers
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "firmware/can/codec.hpp"
#include "firmware/can/publisher.hpp"
#include "firmware/can/vehicle_decoder.hpp"
#include "firmware/config/config.hpp"
#include "firmware/health/health_monitor.hpp"

namespace {

using namespace kerb;
using namespace kerb::can;
using Json = nlohmann::json;

Json json_of(std::optional<double> value) { return value ? Json(*value) : Json(nullptr); }

std::string hex_of(const CanFrame& frame) {
  std::string out;
  char byte[3];
  for (int i = 0; i < frame.size; ++i) {
    std::snprintf(byte, sizeof byte, "%02x", frame.data[static_cast<std::size_t>(i)]);
    out += byte;
  }
  return out;
}

CanFrame frame_of(std::uint32_t id, const std::string& hex) {
  CanFrame frame;
  frame.id = id;
  frame.size = static_cast<std::uint8_t>(hex.size() / 2);
  for (std::size_t i = 0; i < frame.size; ++i)
    frame.data[i] = static_cast<std::uint8_t>(std::stoul(hex.substr(2 * i, 2), nullptr, 16));
  return frame;
}

Json signals_of(const StatusMessage& m) {
  return {{"KW_Status_Counter", m.counter},
          {"KW_Detector", m.detector_present ? 1 : 0},
          {"KW_SpeedValid", m.speed_valid ? 1 : 0},
          {"KW_State", static_cast<int>(m.health.state)},
          {"KW_Cause", static_cast<int>(m.health.cause)},
          {"KW_CauseCamera", std::max(m.health.camera, 0)},
          {"KW_CauseNumber", std::isnan(m.health.number) ? Json(nullptr) : Json(m.health.number)},
          {"KW_CameraRate", json_of(m.camera_rate_hz)},
          {"KW_FramesDropped", json_of(m.dropped_percent)},
          {"KW_BoardTemperature", json_of(m.board_celsius)}};
}
Json signals_of(const WarningMessage& m) {
  return {{"KW_Warning_Counter", m.counter},
          {"KW_WarningLevel", static_cast<int>(m.level)},
          {"KW_WarningTest", m.test ? 1 : 0},
          {"KW_TimeToCollision", json_of(m.time_to_collision_s)},
          {"KW_WarningObjectId", m.object_id ? Json(*m.object_id) : Json(nullptr)}};
}
Json signals_of(const ObjectFrame& m) {
  Json out = {{"KW_Objects_Counter", m.counter},
              {"KW_ObjectPart", static_cast<int>(m.part)},
              {"KW_ObjectIndex", m.index},
              {"KW_ObjectCount", m.count}};
  if (m.part == ObjectFrame::Part::place) {
    out["KW_ObjectId"] = m.object.id;
    out["KW_ObjectX"] = json_of(m.object.x_m);
    out["KW_ObjectY"] = json_of(m.object.y_m);
  } else {
    out["KW_ObjectVx"] = json_of(m.object.vx_mps);
    out["KW_ObjectVy"] = json_of(m.object.vy_mps);
    out["KW_ObjectHeight"] = json_of(m.object.height_m);
    out["KW_ObjectAge"] = json_of(m.object.age_s);
  }
  return out;
}
Json signals_of(const VehicleMotion& m) {
  return {{"VEH_Motion_Counter", m.counter},
          {"VEH_Speed", json_of(m.speed_mps)},
          {"VEH_YawRate", json_of(m.yaw_rate_radps)},
          {"VEH_Steering", json_of(m.steering_rad)}};
}
Json percent_of(std::optional<double> share) { return share ? Json(*share * 100) : Json(nullptr); }
Json signals_of(const VehicleBody& m) {
  return {{"VEH_Body_Counter", m.counter},
          {"VEH_TurnSignal", static_cast<int>(m.turn_signal)},
          {"VEH_Gear", static_cast<int>(m.gear)},
          {"VEH_LampBrightness", percent_of(m.lamp_brightness)},
          {"VEH_SoundVolume", percent_of(m.sound_volume)}};
}
Json signals_of(const VehicleDriver& m) {
  return {{"VEH_Driver_Counter", m.counter},
          {"VEH_OffButton", m.off_pressed ? 1 : 0},
          {"VEH_ConfirmButton", m.confirm_pressed ? 1 : 0},
          {"VEH_IgnitionCycle", m.ignition_cycle}};
}
Json signals_of(const ReadyMessage& m) {
  const auto test = [&](TestPart part) { return static_cast<int>(m.self_test[part]); };
  return {{"KW_Ready_Counter", m.counter},
          {"KW_Readiness", static_cast<int>(m.readiness)},
          {"KW_ViewDistance", json_of(m.view_m)},
          {"KW_ViewLimit", static_cast<int>(m.view_limit)},
          {"KW_TestDetector", test(TestPart::detector)},
          {"KW_TestWarningLamp", test(TestPart::warning_lamp)},
          {"KW_TestStatusLamp", test(TestPart::status_lamp)},
          {"KW_TestSound", test(TestPart::sound)},
          {"KW_TestWatchdog", test(TestPart::watchdog)},
          {"KW_TestStorage", test(TestPart::storage)}};
}
Json signals_of(const ServiceMessage& m) {
  return {{"KW_Service_Counter", m.counter},
          {"KW_ServiceRequest", static_cast<int>(m.request)},
          {"KW_ServiceLevel", static_cast<int>(m.level)},
          {"KW_ServiceDuration", m.duration_s}};
}

/// Random values: inside the range mostly, at and past its ends sometimes, now and then none.
class Dice {
 public:
  explicit Dice(unsigned seed) : engine_{seed} {}
  int number(int low, int high) { return std::uniform_int_distribution{low, high}(engine_); }
  bool coin() { return number(0, 1) == 1; }
  double inside(double low, double high) {
    switch (number(0, 9)) {
      case 0:
        return low;
      case 1:
        return high;
      case 2:
        return low - 1e6;
      case 3:
        return high + 1e6;
      case 4:
        return 0;
      default:
        return std::uniform_real_distribution{low, high}(engine_);
    }
  }
  std::optional<double> maybe(double low, double high) {
    if (number(0, 9) == 0) return std::nullopt;
    return inside(low, high);
  }

 private:
  std::mt19937 engine_;
};

void print(const char* name, const CanFrame& frame, const Json& signals) {
  std::cout << Json{{"message", name},
                    {"id", frame.id},
                    {"data", hex_of(frame)},
                    {"signals", signals}}
            << '\n';
}

void encode_all(int count, unsigned seed) {
  Dice dice{seed};
  for (int i = 0; i < count; ++i) {
    const auto counter = static_cast<std::uint8_t>(i & 0xF);
    StatusMessage status;
    status.counter = counter;
    status.health = {static_cast<HealthState>(dice.number(0, 3)),
                     static_cast<Cause>(dice.number(0, kCauseCount - 1)),
                     dice.inside(-13107.1, 13107.1), -1};
    if (dice.number(0, 9) == 0) status.health.number = std::numeric_limits<double>::quiet_NaN();
    if (is_of_camera(status.health.cause)) status.health.camera = dice.number(0, 3);
    status.detector_present = dice.coin();
    status.speed_valid = dice.coin();
    status.camera_rate_hz = dice.maybe(0, 126);
    status.dropped_percent = dice.maybe(0, 100);
    status.board_celsius = dice.maybe(-60, 194);
    print("KW_Status", encode(status), signals_of(status));

    WarningMessage warning;
    warning.counter = counter;
    warning.level = static_cast<WarningLevel>(dice.number(0, 2));
    warning.test = dice.coin();
    warning.time_to_collision_s = dice.maybe(0, 655.34);
    if (dice.coin()) warning.object_id = static_cast<std::uint16_t>(dice.number(0, 65534));
    print("KW_Warning", encode(warning), signals_of(warning));

    std::array<ObjectMessage, kMaxObjects + 2> people;
    const int people_count = dice.number(0, kMaxObjects + 2);
    for (int k = 0; k < people_count; ++k)
      people[static_cast<std::size_t>(k)] = {static_cast<std::uint16_t>(dice.number(0, 65534)),
                                             dice.maybe(0, 204.7),
                                             dice.maybe(-102.35, 102.35),
                                             dice.maybe(-102.3, 102.3),
                                             dice.maybe(-51.1, 51.1),
                                             dice.maybe(0, 5.08),
                                             dice.maybe(0, 204.6)};
    std::array<CanFrame, kMaxObjectFrames> frames;
    const int written = encode_objects(
        std::span{people}.first(static_cast<std::size_t>(people_count)), counter, frames);
    for (int k = 0; k < written && people_count > 0; ++k)
      print("KW_Objects", frames[static_cast<std::size_t>(k)],
            signals_of(ObjectFrame{static_cast<ObjectFrame::Part>(k % 2), k / 2,
                                   std::min(people_count, kMaxObjects), counter,
                                   people[static_cast<std::size_t>(k / 2)]}));

    const VehicleMotion motion{dice.maybe(-327.67, 327.67), dice.maybe(-16.3835, 16.3835), counter,
                               dice.maybe(-1.63835, 1.63835)};
    print("VEH_Motion", encode(motion), signals_of(motion));

    constexpr int kTurns[] = {0, 1, 2, 3, 7};
    constexpr int kGears[] = {0, 1, 2, 3, 15};
    const VehicleBody body{static_cast<TurnSignal>(kTurns[dice.number(0, 4)]),
                           static_cast<Gear>(kGears[dice.number(0, 4)]), counter, dice.maybe(0, 1),
                           dice.maybe(0, 1)};
    print("VEH_Body", encode(body), signals_of(body));

    const VehicleDriver driver{dice.coin(), dice.coin(), counter,
                               static_cast<std::uint8_t>(dice.number(0, 255))};
    print("VEH_Driver", encode(driver), signals_of(driver));
    ReadyMessage ready{static_cast<Readiness>(dice.number(0, kReadinessCount - 1)),
                       dice.maybe(0, 127),
                       static_cast<ViewLimit>(dice.number(0, kViewLimitCount - 1)), counter};
    for (TestResult& result : ready.self_test.results)
      result = static_cast<TestResult>(dice.number(0, 2));
    print("KW_Ready", encode(ready), signals_of(ready));

    const ServiceMessage service{static_cast<ServiceRequest>(dice.number(0, 3)),
                                 static_cast<WarningLevel>(dice.number(0, 2)), dice.inside(0, 25.4),
                                 counter};
    print("KW_Service", encode(service), signals_of(service));
  }
}

template <typename T>
Json report(const Result<T>& decoded) {
  if (!decoded) return {{"error", name_of(decoded.error().code)}};
  return {{"signals", signals_of(*decoded)}};
}

void decode_all() {
  for (std::string line; std::getline(std::cin, line);) {
    const Json in = Json::parse(line);
    const std::string name = in["message"], hex = in["data"];
    Json out;
    if (name == "KW_Status") out = report(decode_status(frame_of(kStatusId, hex)));
    if (name == "KW_Warning") out = report(decode_warning(frame_of(kWarningId, hex)));
    if (name == "KW_Objects") out = report(decode_objects(frame_of(kObjectsId, hex)));
    if (name == "VEH_Motion") out = report(decode_vehicle_motion(frame_of(kVehicleMotionId, hex)));
    if (name == "VEH_Body") out = report(decode_vehicle_body(frame_of(kVehicleBodyId, hex)));
    if (name == "VEH_Driver") out = report(decode_vehicle_driver(frame_of(kDriverId, hex)));
    if (name == "KW_Ready") out = report(decode_ready(frame_of(kReadyId, hex)));
    if (name == "KW_Service") out = report(decode_service(frame_of(kServiceId, hex)));
    std::cout << out << '\n';
  }
}

Json json_of(const Choice& choice) {
  return {{"number", json_of(choice.number)}, {"defined", choice.is_defined}};
}

/// Each signal that is in the message, in SI units.
Json values_of(const VehicleLayout& layout, std::size_t index, const VehiclePayload& payload) {
  const auto is_here = [&](int message) { return message == static_cast<int>(index); };
  Json out = Json::object();
  const auto add = [&](const char* name, const auto& signal) {
    if (!is_here(signal.message)) return;
    if constexpr (std::is_same_v<std::decay_t<decltype(signal)>, NumberSignal>)
      out[name] = json_of(read(signal, payload));
    else
      out[name] = read(signal, payload);
  };
  add("speed", layout.speed);
  add("yaw_rate", layout.yaw_rate);
  add("steering", layout.steering);
  add("lamp_brightness", layout.lamp_brightness);
  add("sound_volume", layout.sound_volume);
  add("off_button", layout.off_button);
  add("confirm_button", layout.confirm_button);
  if (is_here(message_of_turn_signal(layout)))
    out["turn_signal"] = json_of(read_turn_signal(layout, payload));
  if (is_here(layout.gear.message))
    out["gear"] =
        json_of(read(layout.gear, payload, static_cast<std::uint8_t>(Gear::not_available)));
  if (const auto counter = counter_of(layout.messages[index], payload)) out["counter"] = *counter;
  return out;
}

int decode_by_layout(const std::string& path) {
  const LoadResult loaded = load_config(path);
  for (const std::string& line : loaded.lines()) std::cerr << line << '\n';
  if (!loaded.ok()) return 1;
  const VehicleLayout& layout = loaded.config.can.layout;
  for (std::string line; std::getline(std::cin, line);) {
    const Json in = Json::parse(line);
    CanFrame frame = frame_of(in["id"], in["data"]);
    frame.extended = in["extended"];
    const std::optional<std::size_t> index = message_of(layout, frame);
    if (!index) {
      std::cout << Json{{"error", "unknown"}} << '\n';
      continue;
    }
    const Result<VehiclePayload> payload = open(layout.messages[*index], frame);
    std::cout << (payload ? values_of(layout, *index, *payload)
                          : Json{{"error", name_of(payload.error().code)}})
              << '\n';
  }
  return 0;
}

void print_tables() {
  Json causes, states, levels, readiness, limits;
  for (int i = 0; i < kViewLimitCount; ++i)
    limits[std::to_string(i)] = name_of(static_cast<ViewLimit>(i));
  for (int i = 0; i < kReadinessCount; ++i)
    readiness[std::to_string(i)] = name_of(static_cast<Readiness>(i));
  for (int i = 0; i < kCauseCount; ++i) causes[std::to_string(i)] = name_of(static_cast<Cause>(i));
  for (int i = 0; i < 4; ++i) states[std::to_string(i)] = name_of(static_cast<HealthState>(i));
  for (int i = 0; i < 3; ++i) levels[std::to_string(i)] = name_of(static_cast<WarningLevel>(i));
  const auto ms = [](Nanos time) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
  };
  Json tests;
  for (int i = 0; i < 3; ++i) tests[std::to_string(i)] = name_of(static_cast<TestResult>(i));
  std::cout
      << Json{{"choices",
               {{"KW_Cause", causes},
                {"KW_State", states},
                {"KW_WarningLevel", levels},
                {"KW_Readiness", readiness},
                {"KW_ViewLimit", limits},
                {"KW_TestDetector", tests},
                {"KW_TestWarningLamp", tests},
                {"KW_TestStatusLamp", tests},
                {"KW_TestSound", tests},
                {"KW_TestWatchdog", tests},
                {"KW_TestStorage", tests},
                {"KW_ServiceLevel", levels},
                {"KW_Detector", {{"0", "none"}, {"1", "present"}}},
                {"KW_ObjectPart", {{"0", "place"}, {"1", "motion"}}},
                {"VEH_TurnSignal",
                 {{std::to_string(static_cast<int>(TurnSignal::off)), "off"},
                  {std::to_string(static_cast<int>(TurnSignal::left)), "left"},
                  {std::to_string(static_cast<int>(TurnSignal::right)), "right"},
                  {std::to_string(static_cast<int>(TurnSignal::hazard)), "hazard"},
                  {std::to_string(static_cast<int>(TurnSignal::not_available)), "not_available"}}},
                {"VEH_Gear",
                 {{std::to_string(static_cast<int>(Gear::park)), "park"},
                  {std::to_string(static_cast<int>(Gear::reverse)), "reverse"},
                  {std::to_string(static_cast<int>(Gear::neutral)), "neutral"},
                  {std::to_string(static_cast<int>(Gear::drive)), "drive"},
                  {std::to_string(static_cast<int>(Gear::not_available)), "not_available"}}},
                {"KW_ServiceRequest",
                 {{std::to_string(static_cast<int>(ServiceRequest::stop)), "stop"},
                  {std::to_string(static_cast<int>(ServiceRequest::lamp_test)), "lamp_test"},
                  {std::to_string(static_cast<int>(ServiceRequest::sound_test)), "sound_test"},
                  {std::to_string(static_cast<int>(ServiceRequest::warning_test)),
                   "warning_test"}}}}},
              {"ids",
               {{"KW_Status", kStatusId},
                {"KW_Warning", kWarningId},
                {"KW_Objects", kObjectsId},
                {"VEH_Motion", kVehicleMotionId},
                {"VEH_Body", kVehicleBodyId},
                {"VEH_Driver", kDriverId},
                {"KW_Ready", kReadyId},
                {"KW_Service", kServiceId}}},
              {"periods",
               {{"KW_Status", ms(kStatusPeriod)},
                {"KW_Warning", ms(kWarningIdlePeriod)},
                {"KW_Ready", ms(kReadyPeriod)},
                {"KW_Objects", ms(kObjectsPeriod)}}},
              {"fast_periods", {{"KW_Warning", ms(kWarningPeriod)}}}}
      << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "encode" && argc == 4) {
    encode_all(std::atoi(argv[2]), static_cast<unsigned>(std::atoi(argv[3])));
  } else if (mode == "decode") {
    decode_all();
  } else if (mode == "layout" && argc == 3) {
    return decode_by_layout(argv[2]);
  } else if (mode == "tables") {
    print_tables();
  } else {
    std::cerr << "usage: can_vectors encode COUNT SEED | decode | layout FILE | tables\n";
    return 2;
  }
  return 0;
}
