// SPDX-License-Identifier: Apache-2.0
// kerblab sim: the proving ground.
#include "tools/kerblab/sim/sim.hpp"

#include <CLI/CLI.hpp>

namespace kerb::lab {

void add_sim(CLI::App& app, Action& action) {
  CLI::App* group =
      app.add_subcommand("sim", "Simulate traffic scenarios with known truth: the proving ground");
  group->require_subcommand(1);
  group->footer(
      "Examples:\n"
      "  kerblab sim demo\n"
      "  kerblab sim list --suite euroncap\n"
      "  kerblab sim check my-street.toml\n"
      "  kerblab sim run --suite euroncap --html report.html\n"
      "docs/simulator.md explains how to write a scenario, run a suite and read a report.");
  add_commands(*group, action,
               {{"list", add_sim_list},
                {"check", add_sim_check},
                {"render", KERB_LAB_WITH_OPENCV(add_sim_render)},
                {"demo", KERB_LAB_WITH_OPENCV(add_sim_demo)},
                {"run", add_sim_run},
                {"follow", KERB_LAB_WITH_OPENCV(add_sim_follow)},
                {"view", KERB_LAB_WITH_OPENCV(add_sim_view)}});
}

}  // namespace kerb::lab
