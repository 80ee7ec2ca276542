// SPDX-License-Identifier: Apache-2.0
// kerblab eval: the group; each of its commands has a file of its own.
#include <CLI/CLI.hpp>

#include "tools/kerblab/app/command.hpp"

namespace kerb::lab {

void add_eval(CLI::App& app, Action& action) {
  CLI::App* group = app.add_subcommand(
      "eval", "Evaluate detectors, flow methods, trackers and spectral distances");
  group->footer("Example: kerblab eval detector --images street --truth street.csv");
  group->require_subcommand(1);
  add_commands(*group, action,
               {{"detector", KERB_LAB_WITH_OPENCV(add_eval_detector)},
                {"flow", KERB_LAB_WITH_OPENCV(add_eval_flow)},
                {"track", add_eval_track},
                {"spectral", KERB_LAB_WITH_OPENCV(add_eval_spectral)}});
}

}  // namespace kerb::lab
