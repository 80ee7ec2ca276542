// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tools/kerblab/app/command.hpp"

namespace kerb::lab {

/// What main() does with its command line, which `app` describes: reads it, runs the action that it
/// chose, and gives the exit code. Whatever is wrong, exceptions of libraries too, is one line on
/// stderr.
int run_program(CLI::App& app, const Action& action, int argc, char** argv);

}  // namespace kerb::lab
