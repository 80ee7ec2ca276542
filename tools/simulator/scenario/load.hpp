// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/simulator/base/scenario.hpp"

/// Scenario and suite files. docs/simulator.md and docs/suites.md describe their keys.
namespace kerb::sim {

/// Scenarios, or all errors of their files.
struct Loaded {
  std::vector<Scenario> scenarios;  ///< none unless ok(); of a suite: its runs, expanded
  /// One line each: "FILE:LINE:COL: people[0].height_m = 9: must be 0.5..2.3 (m)".
  std::vector<std::string> problems;
  std::string title;  ///< of the suite
  /// Files on the disk that were read: the one asked for, and a suite's templates.
  std::vector<std::string> files;
  /// In a suite: most false information signals per ten minutes of all its runs together.
  std::optional<double> most_informations_per_10min;
  [[nodiscard]] bool ok() const noexcept { return problems.empty(); }
};

/// Reads a scenario or a suite, recognised by its content. A file of at most 1 MiB. Does not throw.
/// A suite's templates are looked for beside it. A `seed` other than 0 draws the variations anew:
/// NAME-v1@SEED instead of NAME-v1, which the name alone determines. Nominal runs stay as they are.
/// Where nothing is drawn otherwise (a group without `draws`, a single scenario) there is one
/// variation, with another `seed` of the scenario.
[[nodiscard]] Loaded load_file(const std::string& path, std::uint32_t seed = 0);
/// Drives of the suite `hours`, where nobody says how many.
inline constexpr int kHoursDrives = 20;
inline constexpr int kMostHoursDrives = 100000;
/// A suite that comes with the program ("euroncap"), or a file by its path. `hours` is no file: its
/// runs are drawn, from `seed`, and are as many as `drives`.
[[nodiscard]] Loaded load_suite(const std::string& name_or_path, std::uint32_t seed = 0,
                                int drives = kHoursDrives);
/// One run of a suite, by its name with `@SEED`: quicker than all of them where runs are drawn.
/// Without a scenario: there is no such run.
[[nodiscard]] Loaded load_run(const std::string& suite, const std::string& run,
                              std::uint32_t seed = 0);
/// Reads a scenario from text; `name` is used as its file name. Any bytes are handled.
[[nodiscard]] Loaded parse_scenario(std::string_view text, const std::string& name);

struct SuiteName {
  std::string name, title;
  bool drawn = false;  ///< has as many runs as one asks for
};
/// The suites that come with the program.
[[nodiscard]] std::vector<SuiteName> shipped_suites();

}  // namespace kerb::sim
