// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/config/config.hpp"
#include "firmware/config/vehicle_mapping.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using namespace std::chrono_literals;

namespace {

const std::string kRoot = KERB_SOURCE_DIR;
const std::string kOther = kRoot + "/tests/unit/firmware/can/other_vehicle.toml";
/// What the layout that comes with Kerbwatch looks like as a mapping.
const std::string kOwn = kRoot + "/tests/unit/firmware/can/own_vehicle.toml";
const std::string kOtherDbc = kRoot + "/tests/unit/firmware/can/other_vehicle.dbc";

std::string read(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}
std::string joined(const LoadResult& result) {
  std::string out;
  for (const std::string& line : result.lines()) out += line + "\n";
  return out;
}
std::string with(std::string text, std::string_view old, std::string_view other) {
  const std::size_t at = text.find(old);
  TEST_ASSERT_TRUE_MESSAGE(at != std::string::npos, std::string{old}.c_str());
  return text.replace(at, old.size(), other);
}

void order(ChoiceSignal& choice) {
  std::sort(choice.meanings.begin(), choice.meanings.begin() + choice.meaning_count,
            [](const auto& a, const auto& b) { return a.raw < b.raw; });
}

/// So what is compiled in is what the file says, read as any other vehicle's.
TEST(the_built_in_layout_is_that_of_kerbwatch_dbc) {
  const LoadResult result = load_config(kOwn);
  TEST_ASSERT_EQUAL_STRING("", joined(result).c_str());
  VehicleLayout layout = result.config.can.layout;
  for (VehicleMessage& message : layout.messages) {
    if (message.id == 0) continue;
    TEST_ASSERT_TRUE(message.stale == 10 * message.cycle);  // the defaults of can.vehicle
    message.stale = Nanos::zero();
  }
  TEST_ASSERT_TRUE(layout.messages[0].cycle * 10 == VehicleLimits{}.motion_stale);
  TEST_ASSERT_TRUE(layout.messages[1].cycle * 10 == VehicleLimits{}.body_stale);
  order(layout.gear);
  order(layout.turn_signal);
  TEST_ASSERT_TRUE(layout == kerbwatch_layout());
  TEST_ASSERT_TRUE(Config{}.can.layout == kerbwatch_layout());
  TEST_ASSERT_TRUE(config::notes_on(result.config.can.mapping, layout).empty());
}

TEST(keys_of_can_vehicle_replace_the_limits_of_cycles) {
  const LoadResult result =
      parse_config("[can.vehicle]\nmotion_stale_ms = 120\n" + read(kOwn), kOwn);
  TEST_ASSERT_EQUAL_STRING("", joined(result).c_str());
  TEST_ASSERT_TRUE(result.config.can.layout.messages[0].stale == Nanos::zero());
  TEST_ASSERT_TRUE(result.config.can.layout.messages[1].stale == 1s);
}

TEST(another_vehicle_s_layout_is_read) {
  const LoadResult result = load_config(kOther);
  TEST_ASSERT_EQUAL_STRING("", joined(result).c_str());
  const VehicleLayout& layout = result.config.can.layout;
  TEST_ASSERT_EQUAL(3, layout.message_count);
  TEST_ASSERT_EQUAL_HEX32(0x0CF00627, layout.messages[1].id);
  TEST_ASSERT_TRUE(layout.messages[1].extended && layout.messages[1].cycle == 20ms);
  TEST_ASSERT_TRUE(layout.messages[2].cycle == 100ms);  // the file's default
  TEST_ASSERT_TRUE(layout.messages[0].stale == 100ms && layout.messages[2].stale == 1s);
  TEST_ASSERT_EQUAL(15, layout.messages[0].counter_values);
  TEST_ASSERT_EQUAL(8, layout.messages[1].counter_values);
  TEST_ASSERT_EQUAL(7, layout.messages[0].checksum_byte);
  TEST_ASSERT_EQUAL(0, layout.messages[2].checksum_byte);
  const std::vector<std::string> notes = config::notes_on(result.config.can.mapping, layout);
  TEST_ASSERT_EQUAL(2, notes.size());
  TEST_ASSERT_EQUAL_STRING("message Dynamics_2 has no checksum: changed bits are not noticed",
                           notes[0].c_str());
  TEST_ASSERT_EQUAL_STRING(
      "message Comfort_3 has no counter: that it is repeated or late is not noticed",
      notes[1].c_str());
  // What is rendered reads back, tables of messages and all.
  const LoadResult again = parse_config(render_config(result.config), kOther);
  TEST_ASSERT_EQUAL_STRING("", joined(again).c_str());
  TEST_ASSERT_TRUE(again.config.can.layout == layout);
}

struct Wrong {
  const char* old;
  const char* other;
  const char* said;  ///< in one of the lines
};

/// Each is one line or more, with the line of the configuration and, where it is about the DBC
/// file, with that of the file.
TEST(what_is_wrong_with_a_mapping_is_said_with_file_and_line) {
  const std::string good = read(kOther);
  for (const Wrong& wrong : {
           Wrong{"speed = \"Brake_1.B1_Speed\"", "",
                 "can.layout.speed = \"\": must be set: MESSAGE.SIGNAL of can.layout.dbc"},
           Wrong{"\"Brake_1.B1_Speed\"", "\"B1_Speed\"",
                 ":5:1: can.layout.speed = \"B1_Speed\": "
                 "must be MESSAGE.SIGNAL"},
           Wrong{"Brake_1.B1_Speed\"", "Brake_2.B1_Speed\"", "there is no message \"Brake_2\""},
           Wrong{"Brake_1.B1_Speed\"", "Brake_2.B1_Speed\"", "; did you mean 'Brake_1'?"},
           Wrong{"Brake_1.B1_Speed\"", "Brake_1.B1_Sped\"",
                 "the message has no signal \"B1_Sped\" (" KERB_SOURCE_DIR
                 "/tests/unit/firmware/can/other_vehicle.dbc:18); did you mean 'B1_Speed'?"},
           Wrong{"Brake_1.B1_Speed\"", "Radio.R_Speed\"",
                 "is multiplexed, which Kerbwatch cannot read ("},
           Wrong{"Brake_1.B1_Speed\"", "Radio.R_Level\"", "is a floating-point signal"},
           Wrong{"Brake_1.B1_Speed\"", "Engine_FD.E_Speed\"",
                 "message Engine_FD has more than 8 bytes"},
           Wrong{"Brake_1.B1_Speed\"", "Taken.T_Speed\"",
                 "message Taken has an identifier that Kerbwatch uses itself ("},
           Wrong{"Brake_1.B1_SpeedGood", "Comfort_3.C3_Menu",
                 "can.layout.speed_valid = \"Comfort_3.C3_Menu\": must be in the same message as "
                 "can.layout.speed"},
           Wrong{"Comfort_3.C3_Right", "Comfort_3.C3_Left", "overlaps can.layout.left_indicator ("},
           Wrong{"Comfort_3.C3_Right", "Brake_1.B1_Pressure",
                 "must be in the same message as can.layout.left_indicator"},
           Wrong{"right_indicator = \"Comfort_3.C3_Right\"", "",
                 "must be set where can.layout.left_indicator is"},
           Wrong{"speed_unit = \"km/h\"", "speed_unit = \"knots\"", "can.layout.speed_unit"},
           Wrong{"yaw_rate_right = \"Dynamics_2.D2_YawRight\"", "",
                 "can tell 0..2.84 rad/s, must reach 0.5 either way; is can.layout.yaw_rate_unit"},
           Wrong{"steering_ratio = 16", "steering_ratio = 31", "can.layout.steering_ratio"},
           Wrong{"gear_reverse = \"7\"", "", "must be set with can.layout.gear"},
           Wrong{"gear_reverse = \"7\"", "gear_reverse = \"R\"",
                 "must be whole numbers, separated by commas"},
           Wrong{"gear_reverse = \"7\"", "gear_reverse = \"7, 8\"",
                 "8 is in can.layout.gear_reverse, too"},
           Wrong{"gear_none = \"15\"", "gear_none = \"16\"", "must be at most 15: the signal has"},
           Wrong{"gear = \"Comfort_3.C3_Gear\"", "", "must be empty without can.layout.gear"},
           Wrong{"name = \"Comfort_3\"", "name = \"Radio\"",
                 "message Comfort_3 needs its [[can.layout.message]]"},
           Wrong{"name = \"Comfort_3\"", "name = \"Brake_1\"",
                 "there is a table for this message before"},
           Wrong{"name = \"Comfort_3\"", "name = \"Comfort_3\"\ncycle_ms = 1001",
                 "can.layout.message[2].cycle_ms"},
           Wrong{"name = \"Dynamics_2\"", "name = \"Dynamics_2\"\ncycle_ms = 200",
                 "is 200 ms, must be at most 100 ms for what it carries"},
           Wrong{"counter = \"B1_Counter\"", "counter = \"B1_Pressure\"", "must have 2..8 bits"},
           Wrong{"counter = \"B1_Counter\"", "counter = \"Nothing\"",
                 "the message has no signal \"Nothing\""},
           Wrong{"counter_values = 15", "counter_values = 17", "must be 3..16"},
           Wrong{"checksum = \"none\"", "",
                 "can.layout.message[1].checksum = \"none\": must be set"},
           Wrong{"checksum = \"none\"", "checksum = \"crc16\"", "can.layout.message[1].checksum"},
           Wrong{"checksum = \"none\"", "checksum = \"none\"\ndata_id = 1",
                 "must be unset without a checksum"},
           Wrong{"checksum_signal = \"B1_Checksum\"", "checksum_signal = \"B1_Pressure\"",
                 "must be a whole byte"},
           Wrong{"checksum_signal = \"C3_Checksum\"", "", "must be set: the byte that holds it"},
           Wrong{"[can.layout]",
                 "[can.vehicle]\nmotion_stale_ms = 40\nbody_stale_ms = 200\n"
                 "[can.layout]",
                 ""},
           Wrong{"name = \"Dynamics_2\"",
                 "name = \"Dynamics_2\"\ncycle_ms = 25\n[can.vehicle]\nmotion_stale_ms = 40\n"
                 "[[can.layout.message]]\nname = \"Dynamics_2\"",
                 "must be at least two cycles of message Dynamics_2, 50 ms"},
           Wrong{"other_vehicle.dbc\"", "nothing.dbc\"", "nothing.dbc: no such file"},
           Wrong{"dbc = \"other_vehicle.dbc\"", "",
                 "can.layout.speed: has no meaning without can.layout.dbc"},
       }) {
    const std::string lines = joined(parse_config(with(good, wrong.old, wrong.other), kOther));
    if (std::string_view{wrong.said}.empty())
      TEST_ASSERT_EQUAL_STRING("", lines.c_str());
    else
      TEST_ASSERT_TRUE_MESSAGE(lines.find(wrong.said) != std::string::npos,
                               (std::string{wrong.said} + "\nis not in\n" + lines).c_str());
  }
}

/// Another's diagnostics identifiers are Kerbwatch's own, too; and a number without a sign needs a
/// gear to tell backwards.
TEST(identifiers_and_signs_are_checked) {
  const std::string good = read(kOther);
  const test::TempFolder folder;
  const std::string path = folder.at("car.toml");
  folder.write("other_vehicle.dbc", with(read(kOtherDbc), "BO_ 900 ", "BO_ 1974 "));
  TEST_ASSERT_EQUAL_STRING("", joined(parse_config(good, path)).c_str());
  const std::string tester =
      joined(parse_config(good + "\n[diagnostics]\nenabled = true\n", path));  // 0x7B6
  TEST_ASSERT_TRUE_MESSAGE(tester.find("message Comfort_3 has an identifier that Kerbwatch uses "
                                       "itself") != std::string::npos,
                           tester.c_str());
  const std::string dbc = with(read(kOtherDbc), "(0.01,-50) [-50|605.34]", "(0.01,0) [0|655.34]");
  folder.write("other_vehicle.dbc", dbc);
  TEST_ASSERT_EQUAL_STRING("", joined(parse_config(good, path)).c_str());
  std::string without_gear = good;
  for (const char* line :
       {"gear = \"Comfort_3.C3_Gear\"\n", "gear_park = \"8\"\n", "gear_reverse = \"7\"\n",
        "gear_neutral = \"5\"\n", "gear_drive = \"1, 2, 3, 4, 6\"\n", "gear_none = \"15\"\n"})
    without_gear = with(without_gear, line, "");
  const std::string lines = joined(parse_config(without_gear, path));
  TEST_ASSERT_TRUE_MESSAGE(
      lines.find("must be set: the speed has no number for backwards") != std::string::npos,
      lines.c_str());
  // A range that ends at 80 km/h is not that of a car's speed.
  folder.write("other_vehicle.dbc", with(dbc, "(0.01,0) [0|655.34]", "(0.01,0) [0|80]"));
  const std::string slow = joined(parse_config(good, path));
  TEST_ASSERT_TRUE_MESSAGE(
      slow.find("can tell 0..22.22 m/s, must reach 25 m/s; is can.layout.speed_unit right?") !=
          std::string::npos,
      slow.c_str());
}

TEST(what_is_wrong_with_the_dbc_file_has_its_line) {
  const test::TempFolder folder;
  folder.write("other_vehicle.dbc",
               with(read(kOtherDbc), "B1_Counter : 51|4@0+", "B1_Counter : 51|80@0+"));
  const std::string lines = joined(parse_config(read(kOther), folder.at("car.toml")));
  TEST_ASSERT_EQUAL_STRING(
      (folder.at("other_vehicle.dbc") + ":22:2: Brake_1.B1_Counter: must have 1..64 bits\n")
          .c_str(),
      lines.c_str());
}

}  // namespace
