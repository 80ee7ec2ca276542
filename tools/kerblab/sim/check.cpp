// SPDX-License-Identifier: Apache-2.0
// kerblab sim check: all that is wrong with scenario and suite files.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/sim/sim.hpp"
#include "tools/simulator/scenario/load.hpp"

namespace kerb::lab {
namespace {

int check(const std::vector<std::string>& files) {
  int code = 0;
  for (const std::string& file : files) {
    const sim::Loaded loaded = sim::load_file(file);
    for (const std::string& problem : loaded.problems) code = fail(problem);
    if (loaded.ok())
      std::printf("%s: ok, %zu run%s\n", file.c_str(), loaded.scenarios.size(),
                  loaded.scenarios.size() == 1 ? "" : "s");
  }
  return code;
}

}  // namespace

void add_sim_check(CLI::App& group, Action& action) {
  CLI::App* command =
      group.add_subcommand("check", "List every error of a scenario or suite file, one per line");
  command->footer("Example: kerblab sim check my-street.toml");
  const auto files = std::make_shared<std::vector<std::string>>();
  command->add_option("file", *files, "Scenario or suite files")
      ->required()
      ->option_text("FILE...");
  run_when_chosen(*command, action, [files] { return check(*files); });
}

}  // namespace kerb::lab
