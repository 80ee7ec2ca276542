// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/simulator/scenario/load.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace kerb::lab {

/// Which scenarios a `kerblab sim` command is about.
struct SceneChoice {
  std::vector<std::string> files;   ///< scenario or suite files
  std::vector<std::string> suites;  ///< by name or file
  std::vector<std::string> only;    ///< parts of names, ends of them with $; empty: all
  std::size_t most = 0;             ///< only the first N runs; 0: all
  std::vector<std::string> seeds;   ///< of the variations, "7" or "7..20"; empty: 0, their own
  bool variations = false;          ///< without nominal runs
  bool left_hand = false;           ///< mirrored
  std::vector<std::string> runs;    ///< "SUITE/NAME", instead of all other choices
  int drives = sim::kHoursDrives;   ///< of the suite `hours`
};

/// Adds SCENARIO..., --suite, --run, --seed, --variations, --left-hand, --only and --most. `choice`
/// must outlive the parsing.
void add_scene_options(CLI::App& command, SceneChoice& choice);

/// A file or a suite, with those of its runs that were chosen.
struct SceneSet {
  std::string name;  ///< of the suite; of a scenario its file
  sim::Loaded loaded;
};
struct ChosenScenes {
  std::vector<SceneSet> sets;      ///< none without a run
  std::vector<std::string> files;  ///< all that was read: not to be overwritten
};
/// "7", "7..20", or nothing after what is wrong was printed. No more than 1000 seeds together.
std::optional<std::vector<std::uint32_t>> parse_seeds(const std::vector<std::string>& texts);
/// Ends the name of a run in left-hand traffic.
inline constexpr const char* kLeftHandSuffix = "@lht";

/// What was chosen; or nothing, after each thing that is wrong was printed as one line on stderr.
/// The exit code is then kBadInput. It is wrong to choose nothing, or runs that are not there, or
/// one file or suite twice.
std::optional<ChosenScenes> load_scenes(const SceneChoice& choice);

}  // namespace kerb::lab
