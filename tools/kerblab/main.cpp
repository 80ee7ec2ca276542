// SPDX-License-Identifier: Apache-2.0
// The program on the desk: command line to exit code. Each sub-command has a file of its own.
#include <CLI/CLI.hpp>
#include <string>

#include "tools/kerblab/app/command.hpp"
#include "tools/kerblab/app/program.hpp"

int main(int argc, char** argv) {
  using namespace kerb;
  CLI::App app{"The desk program of Kerbwatch: detects, trains, converts, simulates, measures."};
  app.footer(
      "Examples:\n"
      "  kerblab detect --draw drawn --json found.jsonl street.jpg\n"
      "  kerblab model info people.kwm\n"
      "  kerblab eval detector --images street --truth street.csv\n"
      "  kerblab flow frame10.png frame11.png --out flow.flo --draw flow.png\n"
      "  kerblab bench hog --json bench.json\n"
      "  kerblab emd 3,1,0,4 0,4,2,2\n"
      "  kerblab calibrate drive --camera lens.toml --height 1.3 drive.mp4\n"
      "  kerblab sim list --suite euroncap\n"
      "kerblab COMMAND --help describes a command.\n"
      "Exit codes: 0 success, 2 bad input (one error line; no incomplete output is left behind).");
  app.set_version_flag("--version", std::string{"kerblab "} + lab::version());
  app.require_subcommand(1);
  lab::Action action;
  lab::add_commands(app, action,
                    {{"detect", KERB_LAB_WITH_OPENCV(lab::add_detect)},
                     {"model", lab::add_model},
                     {"eval", lab::add_eval},
                     {"bench", lab::add_bench},
                     {"train", KERB_LAB_WITH_OPENCV(lab::add_train)},
                     {"flow", KERB_LAB_WITH_OPENCV(lab::add_flow)},
                     {"ego", KERB_LAB_WITH_OPENCV(lab::add_ego)},
                     {"track", KERB_LAB_WITH_OPENCV(lab::add_track)},
                     {"calibrate", KERB_LAB_WITH_OPENCV(lab::add_calibrate)},
                     {"night", KERB_LAB_WITH_OPENCV(lab::add_night)},
                     {"visibility", KERB_LAB_WITH_OPENCV(lab::add_visibility)},
                     {"sim", lab::add_sim},
                     {"emd", lab::add_emd},
                     {"spectral", KERB_LAB_WITH_OPENCV(lab::add_spectral)}});
  return lab::run_program(app, action, argc, argv);
}
