// SPDX-License-Identifier: Apache-2.0
// A tree like /sys/class/thermal in a temporary folder, with a cooling device and a zone's other
// files for company.
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "drivers/thermal/sysfs_thermal.hpp"
#include "tests/contract/thermal_suite.hpp"
#include "tests/support/test.hpp"

namespace fs = std::filesystem;

SUITE_MAIN(words) {
  using namespace kerb;
  const fs::path root =
      fs::temp_directory_path() / ("kerb-test-thermal-" + std::to_string(::getpid()));
  ThermalFixture fixture;
  const auto write = [&](const std::vector<WantedZone>& wanted) {
    int number = 0;
    for (const WantedZone& zone : wanted) {
      const fs::path folder = root / ("thermal_zone" + std::to_string(number++));
      fs::create_directories(folder);
      std::ofstream{folder / "type"} << zone.name << '\n';
      std::ofstream temp{folder / "temp"};  // the same file as before: what has it open sees this
      if (zone.celsius) temp << std::lround(*zone.celsius * 1000) << '\n';
    }
  };
  fixture.change = [&](Thermal&, const std::vector<WantedZone>& wanted) { write(wanted); };
  fixture.open = [&](const std::vector<WantedZone>& wanted) -> std::unique_ptr<Thermal> {
    fs::remove_all(root);
    fs::create_directories(root / "cooling_device0");
    std::ofstream{root / "cooling_device0" / "temp"} << "199000\n";
    write(wanted);
    auto thermal = SysfsThermal::open({root.string()});
    if (thermal) return std::move(*thermal);
    std::printf("%s\n", describe(thermal.error()).c_str());
    std::exit(1);
  };
  const int failed = run_thermal_suite(fixture);
  fs::remove_all(root);
  return failed;
}
