// SPDX-License-Identifier: Apache-2.0
#include "firmware/schema/words.hpp"

#include <limits>

#include "tests/support/test.hpp"

using namespace kerb::schema;

namespace {

TEST(edit_distance_counts_letters) {
  struct Case {
    const char *a, *b;
    int distance;
  };
  for (const Case& c :
       {Case{"", "", 0}, Case{"width", "width", 0}, Case{"", "abc", 3}, Case{"abc", "", 3},
        Case{"widht", "width", 1}, Case{"with", "width", 1}, Case{"wwidth", "width", 1},
        Case{"wixth", "width", 1}, Case{"kitten", "sitting", 3}}) {
    TEST_ASSERT_EQUAL_MESSAGE(c.distance, edit_distance(c.a, c.b), c.a);
    TEST_ASSERT_EQUAL_MESSAGE(c.distance, edit_distance(c.b, c.a), c.a);
  }
}

TEST(only_a_near_word_is_suggested) {
  constexpr std::string_view kWords[] = {"width", "height", "device", "fd"};
  struct Case {
    const char *word, *expected;
  };
  for (const Case& c :
       {Case{"widht", "width"}, Case{"Height", "height"}, Case{"devise", "device"},
        Case{"baud", ""}, Case{"", ""}, Case{"f", ""}, Case{"dev", "device"}, Case{"xy", ""}})
    TEST_ASSERT_EQUAL_STRING_MESSAGE(c.expected, std::string{nearest(c.word, kWords)}.c_str(),
                                     c.word);
  TEST_ASSERT_TRUE(nearest(std::string(100000, 'w'), kWords).empty());
}

TEST(printable_is_one_line_of_valid_text) {
  struct Case {
    std::string_view text;
    const char* expected;
  };
  using namespace std::string_view_literals;
  for (const Case& c :
       {Case{"plain"sv, "plain"}, Case{"a\nb\r\t"sv, "a\\x0ab\\x0d\\x09"}, Case{"\0"sv, "\\x00"},
        Case{"\x1b[31m"sv, "\\x1b[31m"}, Case{"gr\xc3\xbc\xc3\x9f"sv, "gr\xc3\xbc\xc3\x9f"},
        Case{"\xff\xfe"sv, "\\xff\\xfe"}, Case{"\xc3"sv, "\\xc3"},
        Case{"\xe2\x80\xae"sv, "\\xe2\\x80\\xae"}, Case{"\xc0\xaf"sv, "\\xc0\\xaf"},
        Case{"\xc2\x85"sv, "\\xc2\\x85"}})
    TEST_ASSERT_EQUAL_STRING(c.expected, printable(c.text).c_str());
  TEST_ASSERT_EQUAL_STRING("xxxxx...", printable(std::string(10, 'x'), 5).c_str());
  TEST_ASSERT_EQUAL_STRING("\"a\\\"b\\\\\"", quoted("a\"b\\").c_str());
}

TEST(decimals_are_short_and_have_no_exponent) {
  struct Case {
    double value;
    const char* expected;
  };
  for (const Case& c :
       {Case{1, "1"}, Case{0.1, "0.1"}, Case{-20, "-20"}, Case{1e6, "1000000"},
        Case{0.00001, "0.00001"}, Case{1e300, "more than 1e15"}, Case{-1e300, "less than -1e15"},
        Case{std::numeric_limits<double>::infinity(), "inf"},
        Case{std::numeric_limits<double>::quiet_NaN(), "nan"}})
    TEST_ASSERT_EQUAL_STRING(c.expected, decimal(c.value).c_str());
}

}  // namespace
