// SPDX-License-Identifier: Apache-2.0
// With --write as its argument it first writes what it would compare with: the table of codes in
// docs/diagnostics.md.
#include "firmware/diagnostics/dtc.hpp"

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "tests/support/test.hpp"

using namespace kerb;
using namespace kerb::diagnostics;

namespace {

const std::string kPage = KERB_SOURCE_DIR "/docs/diagnostics.md";
constexpr const char* kBegin =
    "<!-- codes: begin (made by unit_firmware_diagnostics dtc --write) -->\n";
constexpr const char* kEnd = "<!-- codes: end -->";

std::string read_page() {
  std::ifstream in{kPage, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::string with_table(std::string page) {
  const std::size_t begin = page.find(kBegin), end = page.find(kEnd);
  TEST_ASSERT_TRUE_MESSAGE(begin != std::string::npos && end != std::string::npos, "no marks");
  const std::size_t from = begin + std::string{kBegin}.size();
  return page.replace(from, end - from, "\n" + render_dtc_table() + "\n");
}

BEFORE_SUITE(words) {
  if (!words.empty() && words[0] == "--write") {
    const std::string page = with_table(read_page());
    std::ofstream{kPage, std::ios::binary} << page;
  }
  return test::Start::run;
}

TEST(every_cause_has_a_code_and_a_meaning_of_its_own) {
  std::set<std::uint32_t> codes;
  std::set<std::string> meanings;
  for (int c = 1; c < kCauseCount; ++c) {
    const Cause cause = static_cast<Cause>(c);
    TEST_ASSERT_TRUE_MESSAGE(meanings.insert(meaning_of(cause)).second, name_of(cause));
    TEST_ASSERT_GREATER_THAN_size_t(5, std::string{meaning_of(cause)}.size());
    for (int camera = 0; camera < kMostCameras; ++camera)
      TEST_ASSERT_TRUE(codes.insert(dtc_of({cause, camera})).second);
  }
}

TEST(a_code_leads_back_to_its_cause_and_camera) {
  for (int cameras = 0; cameras <= kMostCameras; ++cameras) {
    int found = 0;
    for (std::uint32_t code = 0x9A0000; code <= 0x9AFFFF; ++code) {
      const std::optional<DtcKey> key = key_of(code, cameras);
      if (!key) continue;
      ++found;
      TEST_ASSERT_EQUAL_HEX32(code, dtc_of(*key));
    }
    int expected = 0;
    for (int c = 1; c < kCauseCount; ++c)
      expected += is_of_camera(static_cast<Cause>(c)) ? cameras : 1;
    TEST_ASSERT_EQUAL_INT(expected, found);
  }
  for (const std::uint32_t code :
       {0x000000U, 0xFFFFFFU, 0x9A0000U, 0x9AFF00U, 0x1A0431U, 0x9B0431U})
    TEST_ASSERT_FALSE(key_of(code, kMostCameras));
}

TEST(codes_never_change) {  // workshops have lists of them
  TEST_ASSERT_EQUAL_HEX32(0x9A0431, dtc_of({Cause::camera_silent, 0}));
  TEST_ASSERT_EQUAL_HEX32(0x9A0731, dtc_of({Cause::camera_silent, 3}));
  TEST_ASSERT_EQUAL_HEX32(0x9A244B, dtc_of({Cause::board_hot, 0}));
  TEST_ASSERT_EQUAL_HEX32(0x9A5C96, dtc_of({Cause::bands_missing, 0}));
  TEST_ASSERT_EQUAL_STRING("B1A04-31", name_of_dtc(0x9A0431).c_str());
  TEST_ASSERT_EQUAL_STRING("P0123-00", name_of_dtc(0x012300).c_str());
  TEST_ASSERT_EQUAL_STRING("U3FFF-FF", name_of_dtc(0xFFFFFF).c_str());
}

TEST(the_table_in_docs_is_the_one_in_the_source) {
  const std::string page = read_page();
  TEST_ASSERT_TRUE_MESSAGE(
      page == with_table(page),
      "docs/diagnostics.md is out of date: run unit_firmware_diagnostics dtc --write");
}

}  // namespace
