// SPDX-License-Identifier: Apache-2.0
#include "firmware/config/can_schema.hpp"

namespace kerb::config {
namespace {

using namespace schema;

// In the order of their enumerations.
constexpr const char* kSpeedUnits[] = {"m/s", "km/h", "mph"};
constexpr const char* kYawRateUnits[] = {"rad/s", "deg/s"};
constexpr const char* kAngleUnits[] = {"rad", "deg"};
constexpr const char* kSides[] = {"left", "right"};
constexpr const char* kChecksums[] = {"none", "crc8-j1850", "crc8-e2e1", "xor"};

// A limit must not be so narrow that ordinary driving is implausible (cars brake with 10 m/s2, turn
// with 1 rad/s and their wheels by 0.5 rad), or a signal so old that it says nothing: after a
// second a car is elsewhere.
constexpr Field kCanVehicle[] = {
    integer<&VehicleLimits::motion_stale>(
        "motion_stale_ms", 40, 1000, "ms",
        "Speed, yaw rate and steering are stale after this time without a good message."),
    integer<&VehicleLimits::body_stale>(
        "body_stale_ms", 200, 5000, "ms",
        "Turn signal and gear are stale after this time without a good message."),
    number<&VehicleLimits::speed_min_mps>("speed_min_mps", -30, -2, "m/s",
                                          "A lower speed is implausible."),
    number<&VehicleLimits::speed_max_mps>("speed_max_mps", 30, 150, "m/s",
                                          "A higher speed is implausible."),
    number<&VehicleLimits::yaw_rate_max_radps>("yaw_rate_max_radps", 1, 5, "rad/s",
                                               "A faster turn, either way, is implausible."),
    number<&VehicleLimits::acceleration_max_mps2>(
        "acceleration_max_mps2", 10, 50, "m/s2",
        "A faster change of speed, either way, is implausible."),
    number<&VehicleLimits::yaw_acceleration_max_radps2>(
        "yaw_acceleration_max_radps2", 5, 50, "rad/s2",
        "A faster change of yaw rate, either way, is implausible."),
    number<&VehicleLimits::steering_max_rad>(
        "steering_max_rad", 0.5, 1.6, "rad",
        "A larger angle of the front wheels, either way, is implausible."),
    number<&VehicleLimits::steering_rate_max_radps>("steering_rate_max_radps", 1, 20, "rad/s",
                                                    "A faster change of it is implausible."),
    integer<&VehicleLimits::recover_messages>(
        "recover_messages", 1, 25, "messages",
        "Consecutive good messages that end a signal's fault.")};
constexpr Table kCanVehicleTable = table_of<VehicleLimits>(
    "can.vehicle", "Which of the vehicle's signals are accepted; see docs/can.md.", kCanVehicle);

constexpr Field kVehicleMessage[] = {
    text<&VehicleMessageSettings::name>("name", 1, 128, TextRule::name,
                                        "Its name in the DBC file."),
    integer<&VehicleMessageSettings::cycle_ms>(
        "cycle_ms", 0, 1000, "ms",
        "From one to the next; 0: as the DBC file says (GenMsgCycleTime). Its signals are stale "
        "after ten cycles, at most 0.5 s (with speed, yaw rate or steering) or 5 s."),
    text<&VehicleMessageSettings::counter>(
        "counter", 0, 128, TextRule::name,
        "The signal that counts the messages; empty: there is none."),
    integer<&VehicleMessageSettings::counter_values>(
        "counter_values", 0, 256, "",
        "How many values it has before it begins again with 0; 0: as many as its bits can tell."),
    choice<&VehicleMessageSettings::checksum>(
        "checksum", kChecksums, "Its checksum, which must be stated; see docs/can.md."),
    text<&VehicleMessageSettings::checksum_signal>("checksum_signal", 0, 128, TextRule::name,
                                                   "The signal that holds the checksum: a byte."),
    integer<&VehicleMessageSettings::data_id>(
        "data_id", 0, 65535, "",
        "Number that the checksum covers before the message's bytes; unset: none.")};
constexpr Table kVehicleMessageTable = table_of<VehicleMessageSettings>(
    "can.layout.message", "A message of the vehicle: one table for each that can.layout uses.",
    kVehicleMessage);

using Map = VehicleMapping;
template <auto Member>
constexpr Field signal_key(const char* name, const char* doc) {
  return text<Member>(name, 0, 257, TextRule::printable, doc);
}
template <auto Member>
constexpr Field numbers_key(const char* name, const char* doc) {
  return text<Member>(name, 0, 200, TextRule::printable, doc);
}
constexpr Field kCanLayout[] = {
    text<&Map::dbc>("dbc", 0, 255, TextRule::printable,
                    "DBC file of the vehicle's bus, beside this file; empty: the messages "
                    "of kerbwatch.dbc, and no other key of this table."),
    signal_key<&Map::speed>("speed", "MESSAGE.SIGNAL of the speed; backwards is negative."),
    choice<&Map::speed_unit>("speed_unit", kSpeedUnits, "What it is in, scaled as the DBC says."),
    signal_key<&Map::speed_valid>("speed_valid", "0 there: the speed is not available."),
    signal_key<&Map::speed_backwards>("speed_backwards",
                                      "Not 0 there: the speed's number is one backwards."),
    signal_key<&Map::yaw_rate>("yaw_rate", "MESSAGE.SIGNAL of the yaw rate."),
    choice<&Map::yaw_rate_unit>("yaw_rate_unit", kYawRateUnits,
                                "What it is in, scaled as the DBC says."),
    choice<&Map::yaw_rate_positive>("yaw_rate_positive", kSides, "Where a positive one turns to."),
    signal_key<&Map::yaw_rate_valid>("yaw_rate_valid", "0 there: it is not available."),
    signal_key<&Map::yaw_rate_right>(
        "yaw_rate_right", "Not 0 there: its number, which has no sign, is to the right."),
    signal_key<&Map::steering>("steering",
                               "MESSAGE.SIGNAL of the steering angle, if there is one."),
    choice<&Map::steering_unit>("steering_unit", kAngleUnits,
                                "What it is in, scaled as the DBC says."),
    choice<&Map::steering_positive>("steering_positive", kSides, "Where a positive one steers to."),
    number<&Map::steering_ratio>(
        "steering_ratio", 1, 30, "",
        "Angle of the steering wheel for one of the front wheels; 1: it is that of the wheels."),
    signal_key<&Map::steering_valid>("steering_valid", "0 there: it is not available."),
    signal_key<&Map::steering_right>(
        "steering_right", "Not 0 there: its number, which has no sign, is to the right."),
    signal_key<&Map::turn_signal>("turn_signal",
                                  "MESSAGE.SIGNAL of the turn signal, where one signal has both "
                                  "sides; its raw numbers are in the next keys."),
    numbers_key<&Map::turn_signal_off>("turn_signal_off",
                                       "Raw numbers for off; empty: all others."),
    numbers_key<&Map::turn_signal_left>("turn_signal_left", "Raw numbers for left."),
    numbers_key<&Map::turn_signal_right>("turn_signal_right", "Raw numbers for right."),
    numbers_key<&Map::turn_signal_hazard>("turn_signal_hazard", "Raw numbers for both sides."),
    numbers_key<&Map::turn_signal_none>("turn_signal_none", "Raw numbers for not available."),
    signal_key<&Map::left_indicator>("left_indicator",
                                     "MESSAGE.SIGNAL that is not 0 with the left turn signal, "
                                     "where each side has its own (both: hazard)."),
    signal_key<&Map::right_indicator>("right_indicator",
                                      "The same for the right, in the same message."),
    signal_key<&Map::gear>("gear", "MESSAGE.SIGNAL of the gear, or of the reversing light."),
    numbers_key<&Map::gear_reverse>("gear_reverse", "Raw numbers for reverse."),
    numbers_key<&Map::gear_park>("gear_park", "Raw numbers for park."),
    numbers_key<&Map::gear_neutral>("gear_neutral", "Raw numbers for neutral."),
    numbers_key<&Map::gear_drive>("gear_drive", "Raw numbers for driving; empty: all others."),
    numbers_key<&Map::gear_none>("gear_none", "Raw numbers for not available."),
    signal_key<&Map::off_button>("off_button",
                                 "MESSAGE.SIGNAL that is not 0 while the off button is pressed."),
    signal_key<&Map::confirm_button>("confirm_button",
                                     "The same for the confirm button, in the same message."),
    signal_key<&Map::ignition_cycle>("ignition_cycle",
                                     "MESSAGE.SIGNAL that is another number with each ignition "
                                     "(0: not counted), in the same message, if there is one."),
    signal_key<&Map::lamp_brightness>(
        "lamp_brightness",
        "MESSAGE.SIGNAL of the dashboard's brightness, darkest to brightest as its range in the "
        "DBC file."),
    signal_key<&Map::sound_volume>("sound_volume",
                                   "The same of the volume of warnings, quietest to loudest."),
    tables<&Map::messages>("message", 0, VehicleLayout::kMostMessages, "", kVehicleMessageTable)};
constexpr Table kCanLayoutTable = table_of<Map>(
    "can.layout", "Which signals of the vehicle's bus say what Kerbwatch needs; see docs/can.md.",
    kCanLayout);

constexpr Field kCan[] = {
    flag<&CanSettings::enabled>("enabled", "Use the bus."),
    text<&CanSettings::interface>("interface", 1, 15, TextRule::interface,
                                  "Network interface, as ip link shows it."),
    flag<&CanSettings::fd>(
        "fd", "Open the interface for CAN FD, too; Kerbwatch sends classic frames only."),
    flag<&CanSettings::required>("required",
                                 "The state is not ACTIVE without the bus or the vehicle's speed."),
    table<&CanSettings::vehicle>("vehicle", "", kCanVehicleTable),
    table<&CanSettings::mapping>("layout", "", kCanLayoutTable)};

}  // namespace

constexpr TypedTable<CanSettings> kCanTable{
    table_of<CanSettings>("can", "The vehicle's bus.", kCan)};
const Table& can_layout_table() { return kCanLayoutTable; }

}  // namespace kerb::config
