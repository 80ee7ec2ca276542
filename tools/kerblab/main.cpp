// SPDX-License-Identifier: Apache-2.0
// The program on the desk: command line to exit code. Each sub-command has a file of its own.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "tools/kerblab/app/command.hpp"
#if KERB_LAB_OPENCV
#include "drivers/replay/opencv.hpp"
#endif

namespace {

/// What the parser could not place comes first: "a sub-command is required" says little about a
/// misspelt one.
std::string usage_fault(const CLI::App& app, const CLI::ParseError& error) {
  for (const CLI::App* at = &app; at != nullptr;) {
    for (const std::string& word : at->remaining()) {
      if (word == "--") continue;
      if (word.size() > 1 && word.front() == '-')
        return fmt::format("unknown option '{0}' (for a file of this name, write './{0}')", word);
      return (at->get_require_subcommand_min() > 0 ? "unknown sub-command '"
                                                   : "unexpected argument '") +
             word + "'";
    }
    const std::vector<CLI::App*> chosen = at->get_subcommands();
    at = chosen.empty() ? nullptr : chosen.front();
  }
  return error.what();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace kerb;
#if KERB_LAB_OPENCV
  replay::quieten_opencv();
#endif
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
                     {"sim", lab::add_sim},
                     {"emd", lab::add_emd},
                     {"spectral", KERB_LAB_WITH_OPENCV(lab::add_spectral)}});
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // prints help or the version
    return lab::fail(usage_fault(app, error) + "; --help shows the usage");
  }
  try {
    return action();
  } catch (const std::bad_alloc&) {
    return lab::fail("not enough memory for a picture of this size");
  } catch (const std::exception& error) {  // OpenCV's own troubles
    return lab::fail(error.what());
  }
}
