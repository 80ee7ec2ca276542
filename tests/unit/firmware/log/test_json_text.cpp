// SPDX-License-Identifier: Apache-2.0
#include "firmware/log/json_text.hpp"
#include "tests/support/test.hpp"

#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

using kerb::append_json;
using kerb::append_printable;
using kerb::append_utc;

namespace {

std::string json(std::string_view text) {
  std::string out;
  append_json(out, text);
  return out;
}

std::string json(double value) {
  std::string out;
  append_json(out, value);
  return out;
}

std::string utc(std::int64_t ns) {
  std::string out;
  append_utc(out, std::chrono::nanoseconds{ns});
  return out;
}

TEST(text_is_escaped_as_json_wants_it) {
  struct Case {
    std::string_view in;
    const char* out;
  };
  using namespace std::string_view_literals;
  const Case cases[] = {
      {"plain", R"("plain")"},
      {"", R"("")"},
      {R"(a"b\c)", R"("a\"b\\c")"},
      {"a\nb\rc\td", R"("a\nb\rc\td")"},
      {"\0\x01\x1f\x7f"sv, R"("\u0000\u0001\u001f\u007f")"},
      {"gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x9A\xB6",
       "\"gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x9A\xB6\""},
      {"cut \xE2\x82", "\"cut \xEF\xBF\xBD\""},
      {"\xC3", "\"\xEF\xBF\xBD\""},
      {"\x80x", "\"\xEF\xBF\xBDx\""},
      {"\xC0\xAF", "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},                                  // overlong
      {"\xED\xA0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},                  // a surrogate
      {"\xF4\x90\x80\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},  // too high
      {"\xE2\x82\"", "\"\xEF\xBF\xBD\\\"\""},  // a broken sequence does not swallow the quote
  };
  for (const Case& c : cases) TEST_ASSERT_EQUAL_STRING(c.out, json(c.in).c_str());
}

TEST(any_bytes_give_json_that_parses_on_one_line) {
  std::mt19937 random{1};
  for (int i = 0; i < 5000; ++i) {
    std::string bytes(random() % 40, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    const std::string text = json(bytes);
    TEST_ASSERT_TRUE(nlohmann::json::accept(text));
    TEST_ASSERT_TRUE(text.find('\n') == std::string::npos);
  }
}

TEST(well_formed_text_comes_back_unchanged) {
  std::string text;
  for (char32_t c : {0x1U, 0x22U, 0x5CU, 0x7FU, 0x80U, 0x7FFU, 0x800U, 0xD7FFU, 0xE000U, 0xFFFFU,
                     0x10000U, 0x10FFFFU}) {
    if (c < 0x80) {
      text += static_cast<char>(c);
    } else if (c < 0x800) {
      text += {static_cast<char>(0xC0 | (c >> 6)), static_cast<char>(0x80 | (c & 63))};
    } else if (c < 0x10000) {
      text += {static_cast<char>(0xE0 | (c >> 12)), static_cast<char>(0x80 | ((c >> 6) & 63)),
               static_cast<char>(0x80 | (c & 63))};
    } else {
      text += {static_cast<char>(0xF0 | (c >> 18)), static_cast<char>(0x80 | ((c >> 12) & 63)),
               static_cast<char>(0x80 | ((c >> 6) & 63)), static_cast<char>(0x80 | (c & 63))};
    }
  }
  TEST_ASSERT_TRUE(nlohmann::json::parse(json(text)).get<std::string>() == text);
}

TEST(numbers_read_back_exactly_and_the_rest_is_null) {
  for (const double v :
       {0.0, -0.0, 0.1, 420.0, 1e300, 5e-324, -1.0 / 3.0, std::numeric_limits<double>::max()})
    TEST_ASSERT_TRUE(nlohmann::json::parse(json(v)).get<double>() == v);
  TEST_ASSERT_EQUAL_STRING("420", json(420.0).c_str());
  TEST_ASSERT_EQUAL_STRING("null", json(std::numeric_limits<double>::quiet_NaN()).c_str());
  TEST_ASSERT_EQUAL_STRING("null", json(std::numeric_limits<double>::infinity()).c_str());
  TEST_ASSERT_EQUAL_STRING("null", json(-std::numeric_limits<double>::infinity()).c_str());
}

TEST(text_for_people_has_no_control_characters) {
  std::string out;
  append_printable(out, "a\nb\tc\x1b[2Jd\r\xFF\"e\"");
  TEST_ASSERT_EQUAL_STRING("a\\nb\\tc\\x1b[2Jd\\x0d\xEF\xBF\xBD\"e\"", out.c_str());
}

TEST(utc_is_iso_8601_to_the_millisecond) {
  TEST_ASSERT_EQUAL_STRING("1970-01-01T00:00:00.000Z", utc(0).c_str());
  TEST_ASSERT_EQUAL_STRING("1970-01-01T00:00:00.000Z", utc(-1).c_str());
  TEST_ASSERT_EQUAL_STRING("2024-02-29T23:59:59.999Z", utc(1709251199'999'999'999).c_str());
  TEST_ASSERT_EQUAL_STRING("2262-04-11T23:47:16.854Z",
                           utc(std::numeric_limits<std::int64_t>::max()).c_str());
}

}  // namespace
