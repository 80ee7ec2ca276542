// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tools/kerblab/app/command.hpp"

/// The commands of `kerblab sim`, each in a file of its own, NAME.cpp. sim.cpp lists them.
namespace kerb::lab {

void add_sim_list(CLI::App& group, Action& action);
void add_sim_check(CLI::App& group, Action& action);
void add_sim_render(CLI::App& group, Action& action);
void add_sim_demo(CLI::App& group, Action& action);
/// Makes a command, or a whole program, the demo.
void set_up_demo(CLI::App& command, Action& action);
void add_sim_run(CLI::App& group, Action& action);
void add_sim_merge(CLI::App& group, Action& action);
void add_sim_ledger(CLI::App& group, Action& action);
void add_sim_sweep(CLI::App& group, Action& action);
void add_sim_explain(CLI::App& group, Action& action);
void add_sim_follow(CLI::App& group, Action& action);
void add_sim_view(CLI::App& group, Action& action);

}  // namespace kerb::lab
