// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "drivers/thermal/sysfs_thermal.hpp"
#include "tests/support/test.hpp"

namespace fs = std::filesystem;

namespace {
fs::path root;
}

SET_UP() {
  root = fs::temp_directory_path() / ("kerb-unit-thermal-" + std::to_string(::getpid()));
  fs::remove_all(root);
  fs::create_directories(root);
}
TEAR_DOWN() { fs::remove_all(root); }

namespace {

using namespace kerb;

void make_zone(const std::string& name, const std::string& temp, const char* type) {
  fs::create_directories(root / name);
  std::ofstream{root / name / "temp"} << temp;
  if (type != nullptr) std::ofstream{root / name / "type"} << type;
}

TEST(temperatures_are_read_and_nonsense_is_not) {
  struct Case {
    const char* text;
    std::optional<double> celsius;
  };
  for (const Case& c : {Case{"42000\n", 42.0}, Case{"42500", 42.5},    Case{"-5250\n", -5.25},
                        Case{"0\n", 0.0},      Case{" 1000 \n", 1.0},  Case{"-50000", -50.0},
                        Case{"200000", 200.0}, Case{"-50001", {}},     Case{"200001", {}},
                        Case{"-273150", {}},   Case{"2147483647", {}}, Case{"99999999999999", {}},
                        Case{"", {}},          Case{"\n", {}},         Case{"-", {}},
                        Case{"hot", {}},       Case{"42.5", {}},       Case{"42000 C", {}},
                        Case{"0x10", {}},      Case{"+42000", {}}}) {
    const std::optional<double> celsius = parse_millidegrees(c.text);
    TEST_ASSERT_EQUAL_MESSAGE(c.celsius.has_value(), celsius.has_value(), c.text);
    if (c.celsius) TEST_ASSERT_EQUAL_DOUBLE(*c.celsius, *celsius);
  }
}

TEST(no_folder_and_no_zones_are_not_found) {
  const auto none = SysfsThermal::open({(root / "none").string()});
  TEST_ASSERT_ERROR(Errc::not_found, none);
  TEST_ASSERT_NOT_NULL(strstr(describe(none.error()).c_str(), "none: No such file"));
  TEST_ASSERT_ERROR(Errc::not_found, SysfsThermal::open({root.string()}));
  fs::create_directories(root / "cooling_device0");
  fs::create_directories(root / "thermal_zone0");     // without a temp file
  make_zone("thermal_zoneX", "42000", "not-a-zone");  // without a number
  TEST_ASSERT_ERROR(Errc::not_found, SysfsThermal::open({root.string()}));
}

TEST(garbage_is_passed_over) {
  make_zone("thermal_zone0", "rubbish", "a");
  make_zone("thermal_zone1", "999999999", "b");
  make_zone("thermal_zone2", std::string(10'000, '9'), "c");
  make_zone("thermal_zone3", std::string("\0\0\0", 3), "d");
  make_zone("thermal_zone10", "31000\n", "  good-thermal \n");
  auto thermal = SysfsThermal::open({root.string()});
  TEST_ASSERT_OK(thermal);
  TEST_ASSERT_EQUAL(5, (*thermal)->zones());
  const Result<ThermalReading> reading = (*thermal)->hottest();
  TEST_ASSERT_OK(reading);
  TEST_ASSERT_EQUAL_DOUBLE(31.0, reading->celsius);
  TEST_ASSERT_EQUAL_STRING("good-thermal", reading->zone.c_str());
}

TEST(a_zone_without_a_name_is_called_by_its_folder) {
  make_zone("thermal_zone7", "31000\n", nullptr);
  auto thermal = SysfsThermal::open({root.string()});
  TEST_ASSERT_OK(thermal);
  const Result<ThermalReading> reading = (*thermal)->hottest();
  TEST_ASSERT_OK(reading);
  TEST_ASSERT_EQUAL_STRING("thermal_zone7", reading->zone.c_str());
}

TEST(a_zone_that_is_a_folder_does_not_answer) {
  fs::create_directories(root / "thermal_zone0" / "temp");  // opens, but reads with an error
  auto thermal = SysfsThermal::open({root.string()});
  TEST_ASSERT_OK(thermal);
  TEST_ASSERT_ERROR(Errc::io, (*thermal)->hottest());
}

}  // namespace
