// SPDX-License-Identifier: Apache-2.0
// The wavelengths of a camera's bands, as text; and what a person is told who gets them wrong.
#include "firmware/config/bands.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/config/config.hpp"
#include "tests/support/test.hpp"

using namespace kerb;

namespace {

TEST(lists_of_wavelengths_are_read) {
  struct Case {
    const char* text;
    std::vector<double> nanometres;
  };
  const Case cases[] = {
      {"", {}},
      {" \t ", {}},
      {"550", {550}},
      {"450, 550, 650", {450, 550, 650}},
      {"450,550,650", {450, 550, 650}},
      {"  450 ,\t550  ", {450, 550}},
      {"650, 450, 650", {650, 450, 650}},  // in the mosaic's order, whatever that is
      {"487.5, 1e3", {487.5, 1000}},
      {"200, 20000", {200, 20000}},  // both ends
      {"450.0000000001", {450.0000000001}},
  };
  for (const Case& c : cases) {
    const std::optional<std::vector<double>> got = parse_bands(c.text);
    TEST_ASSERT_TRUE_MESSAGE(got.has_value(), c.text);
    TEST_ASSERT_EQUAL_size_t_MESSAGE(c.nanometres.size(), got->size(), c.text);
    for (std::size_t i = 0; i < got->size(); ++i)
      TEST_ASSERT_TRUE_MESSAGE((*got)[i] == c.nanometres[i], c.text);
  }
}

const char* const kWrong[] = {
    ",",                                  // nothing in a place
    "450,",       ",450",    "450,,550",  //
    "450, ,550",                          //
    "450 550",    "450;550", "450\n550",  // parted by something else
    "red",        "450nm",   "450, x",    // no numbers
    "+450",       "0x1c2",   "4,5e",      //
    "-450",       "0",       "199.999",   // below what there is,
    "20000.001",  "1e9",     "1e999",     // beyond,
    "450, 20001",                         // in any place
    "nan",        "inf",     "-inf",      // neither
};

TEST(what_is_no_list_of_wavelengths_is_none) {
  for (const char* text : kWrong) TEST_ASSERT_FALSE_MESSAGE(parse_bands(text).has_value(), text);
}

std::string told(const std::string& bands, int mosaic) {
  const LoadResult result =
      parse_config("[[camera]]\nformat = \"grey8\"\nmosaic = " + std::to_string(mosaic) +
                       "\nbands_nm = \"" + bands + "\"\n",
                   "t.toml");
  std::string out;
  for (const std::string& line : result.lines()) out += line + "\n";
  return out;
}

TEST(the_configuration_says_what_a_list_must_be) {
  for (const char* text : kWrong) {
    if (std::string_view{text}.find('\n') != std::string_view::npos) continue;  // another rule's
    TEST_ASSERT_EQUAL_STRING_MESSAGE(
        (std::string{"t.toml:4:1: camera[0].bands_nm = \""} + text +
         "\": must be numbers of 200..20000 (nm), separated by commas\n")
            .c_str(),
        told(text, 2).c_str(), text);
  }
}

TEST(there_is_one_for_each_band_or_none) {
  for (const char* good : {"", "450, 550, 650, 750"})
    TEST_ASSERT_EQUAL_STRING("", told(good, 2).c_str());
  TEST_ASSERT_EQUAL_STRING("", told("", 0).c_str());
  struct Case {
    const char* text;
    int mosaic;
  };
  for (const Case& c : {Case{"450, 550, 650", 2}, Case{"450, 550, 650, 750, 850", 2},
                        Case{"450, 550, 650, 750", 3}, Case{"450", 0}}) {
    const std::string line = told(c.text, c.mosaic);
    TEST_ASSERT_TRUE_MESSAGE(line.find("camera[0].bands_nm") != std::string::npos, line.c_str());
    TEST_ASSERT_TRUE_MESSAGE(
        line.find("must have one wavelength for each band of the mosaic") != std::string::npos,
        line.c_str());
    TEST_ASSERT_TRUE_MESSAGE(line.find('\n') == line.size() - 1, line.c_str());
  }
}

}  // namespace
