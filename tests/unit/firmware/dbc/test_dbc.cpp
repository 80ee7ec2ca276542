// SPDX-License-Identifier: Apache-2.0
#include "firmware/dbc/dbc.hpp"

#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/test.hpp"

using namespace kerb;

namespace {

const std::string kRoot = KERB_SOURCE_DIR;

std::string lines_of(const dbc::File& file) {
  std::string out;
  for (const schema::Problem& problem : file.problems) out += problem.line() + "\n";
  return out;
}

TEST(the_files_of_both_vehicles_are_read) {
  const dbc::File own = dbc::read(kRoot + "/firmware/can/kerbwatch.dbc");
  TEST_ASSERT_EQUAL_STRING("", lines_of(own).c_str());
  TEST_ASSERT_EQUAL(8, own.messages.size());
  const dbc::Message* motion = own.find("VEH_Motion");
  TEST_ASSERT_NOT_NULL(motion);
  TEST_ASSERT_EQUAL(288, motion->id);
  TEST_ASSERT_EQUAL(20, motion->cycle_ms.value_or(0));
  const dbc::Signal* steering = motion->find("VEH_Steering");
  TEST_ASSERT_NOT_NULL(steering);
  TEST_ASSERT_EQUAL(48, steering->start);
  TEST_ASSERT_EQUAL_DOUBLE(5e-05, steering->factor);
  TEST_ASSERT_EQUAL_DOUBLE(-1.63835, steering->low);
  TEST_ASSERT_TRUE(steering->is_signed && !steering->big_endian);
  const dbc::Message* objects = own.find("KW_Objects");
  TEST_ASSERT_NOT_NULL(objects);
  TEST_ASSERT_TRUE(objects->find("KW_ObjectPart")->multiplex == dbc::Multiplex::selector);
  TEST_ASSERT_TRUE(objects->find("KW_ObjectX")->multiplex == dbc::Multiplex::selected);

  const dbc::File other = dbc::read(kRoot + "/tests/unit/firmware/can/other_vehicle.dbc");
  TEST_ASSERT_EQUAL_STRING("", lines_of(other).c_str());
  TEST_ASSERT_EQUAL(6, other.messages.size());  // none of comments, none of loose signals
  const dbc::Message* dynamics = other.find("Dynamics_2");
  TEST_ASSERT_NOT_NULL(dynamics);
  TEST_ASSERT_TRUE(dynamics->extended);
  TEST_ASSERT_EQUAL_HEX32(0x0CF00627, dynamics->id);
  TEST_ASSERT_EQUAL(6, dynamics->size);
  TEST_ASSERT_FALSE(other.find("Radio")->cycle_ms.has_value());  // 0: it says that there is none
  TEST_ASSERT_EQUAL(100, other.find("Comfort_3")->cycle_ms.value_or(0));
  TEST_ASSERT_TRUE(other.find("Radio")->find("R_Level")->is_float);
  TEST_ASSERT_FALSE(other.find("Radio")->find("R_Volume")->is_float);
  TEST_ASSERT_NULL(other.find("NotThere"));
}

TEST(places_of_bits_are_those_of_both_byte_orders) {
  dbc::Signal motorola;
  motorola.start = 12;
  motorola.length = 13;
  motorola.big_endian = true;
  TEST_ASSERT_EQUAL(11, dbc::place_of_bit(motorola, 0));  // byte 1, its fourth bit from the top
  TEST_ASSERT_EQUAL(23, dbc::place_of_bit(motorola, 12));
  dbc::Signal intel;
  intel.start = 12;
  intel.length = 6;
  TEST_ASSERT_EQUAL(22, dbc::place_of_bit(intel, 0));  // bit 17: byte 2, the second from below
  TEST_ASSERT_EQUAL(11, dbc::place_of_bit(intel, 5));
}

struct Wrong {
  const char* text;
  const char* said;
};

TEST(what_is_wrong_has_its_line_and_the_rest_is_passed_over) {
  for (const Wrong& wrong : {
           Wrong{"", ""},
           Wrong{"// nothing\n\nWhat is this\nCM_ \"a ; b\nBO_ 1 X\" ;\n", ""},
           Wrong{"BO_ 1 A: 8 X\n\n SG_ B : 0|8@1+ (1,0) [0|0] \"\" X\n", ""},
           Wrong{"BO_ x A: 8 X\n SG_ B : 0|8@1+ (1,0) [0|0] \"\" X\n",
                 "t:1:1: must be a message: BO_ ID NAME: BYTES SENDER\n"},
           Wrong{"BO_ 1 A 8 X\n", "t:1:1: must be a message: BO_ ID NAME: BYTES SENDER\n"},
           Wrong{"BO_ 2048 A: 8 X\n",
                 "t:1:1: message A: an identifier has 11 bits, or 29 and bit 31 set\n"},
           Wrong{"BO_ 1 A: 65 X\n", "t:1:1: message A: has more than 64 bytes\n"},
           Wrong{"BO_ 1 A: 8 X\nBO_ 2 A: 8 X\n",
                 "t:2:1: message A is there twice; first in line 1\n"},
           Wrong{"BO_ 1 A: 8 X\nBO_ 1 B: 8 X\n", "t:2:1: message B has the identifier of A\n"},
           // A message that was refused leaves no name behind: found by the fuzzer.
           Wrong{"BO_ 1 A: 8 X\nBO_ 1 B: 8 X\nBO_ 2 B: 8 X\nBO_ 2 C: 8 X\n",
                 "t:2:1: message B has the identifier of A\n"
                 "t:4:1: message C has the identifier of B\n"},
           Wrong{" SG_ B : 0|8@1+ (1,0) [0|0] \"\" X\n", "t:1:2: a signal outside a message\n"},
           Wrong{"BO_ 1 A: 8 X\n SG_ B : 0|8@2+ (1,0) [0|0] \"\" X\n",
                 "t:2:2: must be a signal: SG_ NAME : START|BITS@ORDER+ (FACTOR,OFFSET) [MIN|MAX] "
                 "...\n"},
           Wrong{"BO_ 1 A: 8 X\n SG_ B : 0|8@1+ (nan,0) [0|0] \"\" X\n",
                 "t:2:2: must be a signal: SG_ NAME : START|BITS@ORDER+ (FACTOR,OFFSET) [MIN|MAX] "
                 "...\n"},
           Wrong{"BO_ 1 A: 8 X\n SG_ B : 0|8@1+ (0,0) [0|0] \"\" X\n",
                 "t:2:2: A.B: its factor must not be 0\n"},
           Wrong{"BO_ 1 A: 8 X\n SG_ B : 0|0@1+ (1,0) [0|0] \"\" X\n",
                 "t:2:2: A.B: must have 1..64 bits\n"},
           Wrong{"BO_ 1 A: 2 X\n SG_ B : 9|8@1+ (1,0) [0|0] \"\" X\n",
                 "t:2:2: A.B: is not within the 2 bytes of its message\n"},
           Wrong{"BO_ 1 A: 2 X\n SG_ B : 8|8@0+ (1,0) [0|0] \"\" X\n",
                 "t:2:2: A.B: is not within the 2 bytes of its message\n"},
           Wrong{"BO_ 1 A: 2 X\n SG_ B : 15|8@0+ (1,0) [0|0] \"\" X\n", ""},
           Wrong{"BO_ 1 A: 8 X\n SG_ B : 0|8@1+ (1,0) [0|0] \"\" X\n SG_ B : 8|8@1+ (1,0) [0|0] "
                 "\"\" X\n",
                 "t:3:2: A.B is there twice; first in line 2\n"},
           Wrong{"CM_ \"without an end;\nBO_ 1 A: 8 X\n",
                 "t:1:1: a text without its closing '\"'\n"},
           Wrong{"VAL_ 1 B 0 \"x\"\nBO_ 1 A: 8 X\n",
                 "t:1:1: a section without ';' before the next message\n"},
           Wrong{"VAL_ 1 B 0 \"x\"\n", "t:1:1: a section without ';' at its end\n"},
       })
    TEST_ASSERT_EQUAL_STRING_MESSAGE(wrong.said, lines_of(dbc::parse(wrong.text, "t")).c_str(),
                                     wrong.text);
}

TEST(what_cannot_be_a_file_says_so) {
  TEST_ASSERT_EQUAL_STRING("/nowhere/x.dbc: no such file\n",
                           lines_of(dbc::read("/nowhere/x.dbc")).c_str());
  TEST_ASSERT_EQUAL_STRING("/: must be a regular file\n", lines_of(dbc::read("/")).c_str());
  TEST_ASSERT_EQUAL_STRING("t: is larger than 4 MiB\n",
                           lines_of(dbc::parse(std::string((4 << 20) + 1, ' '), "t")).c_str());
}

}  // namespace
