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
      "  kerblab sim run --suite euroncap --seed 7 --variations --report 7.json\n"
      "  kerblab sim merge 7.json 8.json --report all.json\n"
      "  kerblab sim ledger all.json\n"
      "  kerblab sim sweep --suite hours --vision logs --vary "
      "decisions.warning.likelihood=0.4,0.6\n"
      "docs/simulator.md explains how to write a scenario, run a suite and read a report;\n"
      "docs/suites.md has the suites.");
  add_commands(*group, action,
               {{"list", add_sim_list},
                {"check", add_sim_check},
                {"render", KERB_LAB_WITH_OPENCV(add_sim_render)},
                {"demo", KERB_LAB_WITH_OPENCV(add_sim_demo)},
                {"run", add_sim_run},
                {"merge", add_sim_merge},
                {"ledger", add_sim_ledger},
                {"sweep", add_sim_sweep},
                {"explain", add_sim_explain},
                {"follow", KERB_LAB_WITH_OPENCV(add_sim_follow)},
                {"view", KERB_LAB_WITH_OPENCV(add_sim_view)}});
}

}  // namespace kerb::lab
