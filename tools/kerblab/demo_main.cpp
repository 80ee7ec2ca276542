// SPDX-License-Identifier: Apache-2.0
// `kerblab sim demo` as a program of its own: ./kerb demo builds it in half the time of all of
// kerblab.
#include <CLI/CLI.hpp>

#include "tools/kerblab/app/program.hpp"
#include "tools/kerblab/sim/sim.hpp"

int main(int argc, char** argv) {
  CLI::App app;
  kerb::lab::Action action;
  kerb::lab::set_up_demo(app, action);
  return kerb::lab::run_program(app, action, argc, argv);
}
