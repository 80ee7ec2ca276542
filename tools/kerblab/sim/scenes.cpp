// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/sim/scenes.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "tools/kerblab/app/command.hpp"

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

/// The same for a file by whatever name or link; never another's name.
std::string identity_of(const SceneSet& set) {
  std::error_code ignored;
  return "at " +
         (set.loaded.files.empty()
              ? set.name
              : std::filesystem::weakly_canonical(set.loaded.files.front(), ignored).string());
}

}  // namespace

void add_scene_options(CLI::App& command, SceneChoice& choice) {
  command.add_option("scenario", choice.files, "Scenario or suite files")
      ->option_text("SCENARIO...");
  command
      .add_option("--suite", choice.suites,
                  "A built-in suite (" + suite_names() + "), or a suite file; repeatable")
      ->option_text("NAME")
      ->allow_extra_args(false)
      ->check(not_empty);
  command
      .add_option(
          "--only,--filter", choice.only,
          "Only runs whose name contains this text, or ends with it if it ends in $; repeatable")
      ->option_text("TEXT")
      ->allow_extra_args(false)
      ->check(not_empty);
  command.add_option("--seed", choice.seed, "Seed of the drives of the suite hours")
      ->option_text("N")
      ->check(CLI::Range(0U, 4294967295U));
  command.add_option("--drives", choice.drives, "Number of drives of the suite hours")
      ->option_text("N")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command.add_option("--most", choice.most, "Only the first N runs; 0: all")
      ->option_text("N")
      ->check(CLI::Range(0, 1000000));
}

std::optional<ChosenScenes> load_scenes(const SceneChoice& choice) {
  if (choice.files.empty() && choice.suites.empty()) {
    fail("expected a SCENARIO file or --suite (" + suite_names() + ")");
    return std::nullopt;
  }
  ChosenScenes out;
  std::vector<SceneSet>& sets = out.sets;
  for (const std::string& suite : choice.suites)
    sets.push_back({suite, sim::load_suite(suite, choice.seed, choice.drives)});
  for (const std::string& file : choice.files) sets.push_back({file, sim::load_file(file)});
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
