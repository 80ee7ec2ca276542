// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/sim/scenes.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <set>
#include <system_error>

#include "tools/kerblab/app/command.hpp"
#include "tools/simulator/base/mirror.hpp"

namespace kerb::lab {
namespace {

std::string suite_names() {
  std::string out;
  for (const sim::SuiteName& suite : sim::shipped_suites())
    out += (out.empty() ? "" : ", ") + suite.name;
  return out;
}

bool chosen(const SceneChoice& choice, const std::string& name) {
  return choice.only.empty() || std::ranges::any_of(choice.only, [&](const std::string& part) {
           return part.ends_with('$') ? name.ends_with(part.substr(0, part.size() - 1))
                                      : name.find(part) != std::string::npos;
         });
}

constexpr std::size_t kMostSeeds = 1000;

std::optional<std::uint32_t> parse_seed(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

/// The runs of all seeds together; nominal runs, the same for every seed, once.
sim::Loaded load_seeds(const std::string& name, bool suite, const std::vector<std::uint32_t>& seeds,
                       int drives) {
  sim::Loaded all;
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    sim::Loaded one =
        suite ? sim::load_suite(name, seeds[i], drives) : sim::load_file(name, seeds[i]);
    if (i == 0) {
      all = std::move(one);
    } else {
      for (sim::Scenario& scenario : one.scenarios)
        if (scenario.variation) all.scenarios.push_back(std::move(scenario));
      all.problems.insert(all.problems.end(), one.problems.begin(), one.problems.end());
    }
    if (!all.ok()) break;
  }
  return all;
}

void turn_left_hand(std::vector<sim::Scenario>& runs) {
  for (sim::Scenario& run : runs) {
    if (run.street.left_hand) continue;
    run = sim::mirrored(run);
    run.name += kLeftHandSuffix;
  }
}

/// A run by its name: "euroncap/CPNA-25-30kmh-v2@7@lht".
struct NamedRun {
  std::string set;
  std::string name;  ///< as the suite has it: without @lht
  std::uint32_t seed = 0;
  bool left_hand = false;
};
std::optional<NamedRun> parse_run(const std::string& text) {
  const std::size_t slash = text.rfind('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == text.size()) return std::nullopt;
  NamedRun out{text.substr(0, slash), text.substr(slash + 1), 0, false};
  if (out.name.ends_with(kLeftHandSuffix)) {
    out.left_hand = true;
    out.name.resize(out.name.size() - std::string_view{kLeftHandSuffix}.size());
  }
  if (const std::size_t at = out.name.rfind('@'); at != std::string::npos) {
    const std::optional<std::uint32_t> seed = parse_seed(std::string_view{out.name}.substr(at + 1));
    if (!seed || *seed == 0) return std::nullopt;  // "-v2@0" is "-v2"
    out.seed = *seed;
  }
  return out;
}

/// Just these runs, each of its suite.
std::optional<ChosenScenes> load_named(const std::vector<std::string>& runs) {
  ChosenScenes out;
  for (const std::string& text : runs) {
    const std::optional<NamedRun> named = parse_run(text);
    if (!named) {
      fail(fmt::format("--run {}: must be SUITE/RUN, such as euroncap/CPNA-25-30kmh-v2@7", text));
      return std::nullopt;
    }
    std::error_code ignored;
    const bool file = std::filesystem::is_regular_file(named->set, ignored);
    sim::Loaded loaded = file ? sim::load_file(named->set, named->seed)
                              : sim::load_run(named->set, named->name, named->seed);
    for (const std::string& problem : loaded.problems) fail(problem);
    if (!loaded.ok()) return std::nullopt;
    std::erase_if(loaded.scenarios, [&](const sim::Scenario& s) { return s.name != named->name; });
    if (loaded.scenarios.empty()) {
      fail(fmt::format("--run {}: {} has no run {}", text, named->set, named->name));
      return std::nullopt;
    }
    if (named->left_hand && loaded.scenarios.front().street.left_hand) {
      fail(fmt::format("--run {}: {} is in left-hand traffic as it is", text, named->name));
      return std::nullopt;
    }
    if (named->left_hand) turn_left_hand(loaded.scenarios);
    out.files.insert(out.files.end(), loaded.files.begin(), loaded.files.end());
    const auto known = std::ranges::find(out.sets, named->set, &SceneSet::name);
    if (known == out.sets.end()) {
      out.sets.push_back({named->set, std::move(loaded)});
      continue;
    }
    std::vector<sim::Scenario>& before = known->loaded.scenarios;
    if (std::ranges::find(before, loaded.scenarios.front().name, &sim::Scenario::name) !=
        before.end()) {
      fail(fmt::format("--run {}: is given twice", text));
      return std::nullopt;
    }
    before.push_back(std::move(loaded.scenarios.front()));
  }
  return out;
}

/// The same for a file by whatever name or link; never another's name.
std::string identity_of(const SceneSet& set) {
  std::error_code ignored;
  return "at " +
         (set.loaded.files.empty()
              ? set.name
              : std::filesystem::weakly_canonical(set.loaded.files.front(), ignored).string());
}

}  // namespace

std::optional<std::vector<std::uint32_t>> parse_seeds(const std::vector<std::string>& texts) {
  std::vector<std::uint32_t> out;
  for (const std::string& text : texts) {
    const std::size_t dots = text.find("..");
    const bool range = dots != std::string::npos;
    const auto first = parse_seed(std::string_view{text}.substr(0, dots));
    const auto last = range ? parse_seed(std::string_view{text}.substr(dots + 2)) : first;
    if (!first || !last || *last < *first) {
      fail(fmt::format("--seed {}: must be a seed 0..{}, or a range of them like 7..20", text,
                       std::numeric_limits<std::uint32_t>::max()));
      return std::nullopt;
    }
    if (*last - *first >= kMostSeeds || out.size() + (*last - *first) >= kMostSeeds) {
      fail(fmt::format("--seed {}: more than {} seeds", text, kMostSeeds));
      return std::nullopt;
    }
    for (std::uint64_t seed = *first; seed <= *last; ++seed)
      if (std::ranges::find(out, seed) == out.end())
        out.push_back(static_cast<std::uint32_t>(seed));
  }
  if (out.empty()) out.push_back(0);
  return out;
}

void add_scene_options(CLI::App& command, SceneChoice& choice) {
  CLI::Option* files = command.add_option("scenario", choice.files, "Scenario or suite files")
                           ->option_text("SCENARIO...");
  CLI::Option* suites =
      command
          .add_option("--suite", choice.suites,
                      "A built-in suite (" + suite_names() + "), or a suite file; repeatable")
          ->option_text("NAME")
          ->allow_extra_args(false)
          ->check(not_empty);
  CLI::Option* seeds =
      command
          .add_option("--seed,--seeds", choice.seeds,
                      "Draw the variations anew from this seed, or from each of A..B; repeatable.\n"
                      "They are named NAME-v1@SEED; 0: the suite's own")
          ->option_text("N|A..B")
          ->allow_extra_args(false)
          ->check(not_empty);
  CLI::Option* variations =
      command.add_flag("--variations", choice.variations, "Only variations, no nominal runs");
  CLI::Option* left = command.add_flag(
      "--left-hand", choice.left_hand,
      "Mirror every run in which traffic keeps to the right: it then keeps to the\n"
      "left, and the name ends in @lht");
  command
      .add_option("--run", choice.runs,
                  "One run by its full name, such as euroncap/CPNA-25-30kmh-v2@7@lht; repeatable")
      ->option_text("SUITE/RUN")
      ->allow_extra_args(false)
      ->check(not_empty)
      ->excludes(files)
      ->excludes(suites)
      ->excludes(seeds)
      ->excludes(variations)
      ->excludes(left);
  command
      .add_option(
          "--only,--filter", choice.only,
          "Only runs whose name contains this text, or ends with it if it ends in $; repeatable")
      ->option_text("TEXT")
      ->allow_extra_args(false)
      ->check(not_empty);
  command.add_option("--drives", choice.drives, "Number of drives of the suite hours")
      ->option_text("N")
      ->check(CLI::Range(1, sim::kMostHoursDrives))
      ->capture_default_str();
  command.add_option("--most", choice.most, "Only the first N runs; 0: all")
      ->option_text("N")
      ->check(CLI::Range(0, 1000000));
}

std::optional<ChosenScenes> load_scenes(const SceneChoice& choice) {
  if (!choice.runs.empty()) return load_named(choice.runs);
  if (choice.files.empty() && choice.suites.empty()) {
    fail("expected a SCENARIO file or --suite (" + suite_names() + ")");
    return std::nullopt;
  }
  const std::optional<std::vector<std::uint32_t>> seeds = parse_seeds(choice.seeds);
  if (!seeds) return std::nullopt;
  ChosenScenes out;
  std::vector<SceneSet>& sets = out.sets;
  for (const std::string& suite : choice.suites)
    sets.push_back({suite, load_seeds(suite, true, *seeds, choice.drives)});
  for (const std::string& file : choice.files)
    sets.push_back({file, load_seeds(file, false, *seeds, choice.drives)});
  bool ok = true;
  for (const SceneSet& set : sets)
    for (const std::string& problem : set.loaded.problems) {
      fail(problem);
      ok = false;
    }
  if (!ok) return std::nullopt;
  std::set<std::string> known;
  for (const SceneSet& set : sets) {
    if (!known.insert(set.name).second || !known.insert(identity_of(set)).second) {
      fail(set.name + ": is given twice");
      return std::nullopt;
    }
    out.files.insert(out.files.end(), set.loaded.files.begin(), set.loaded.files.end());
  }
  std::size_t left = choice.most == 0 ? static_cast<std::size_t>(-1) : choice.most;
  for (SceneSet& set : sets) {
    std::vector<sim::Scenario>& runs = set.loaded.scenarios;
    if (choice.variations) std::erase_if(runs, [](const sim::Scenario& s) { return !s.variation; });
    if (choice.left_hand) turn_left_hand(runs);
    std::erase_if(runs, [&](const sim::Scenario& s) { return !chosen(choice, s.name); });
    if (runs.size() > left) runs.resize(left);
    left -= runs.size();
  }
  std::erase_if(sets, [](const SceneSet& set) { return set.loaded.scenarios.empty(); });
  if (sets.empty()) {
    fail("no run " + (choice.only.empty()
                          ? std::string{"is selected"}
                          : fmt::format("has '{}' in its name", fmt::join(choice.only, "' or '"))));
    return std::nullopt;
  }
  return out;
}

}  // namespace kerb::lab
