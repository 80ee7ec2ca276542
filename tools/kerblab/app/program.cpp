// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/app/program.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <new>
#include <string>
#include <vector>

#if KERB_LAB_OPENCV
#include "drivers/replay/opencv.hpp"
#endif

namespace kerb::lab {
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

int run_program(CLI::App& app, const Action& action, int argc, char** argv) {
#if KERB_LAB_OPENCV
  replay::quieten_opencv();
#endif
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // prints help or the version
    return fail(usage_fault(app, error) + "; --help shows the usage");
  }
  try {
    return action();
  } catch (const std::bad_alloc&) {
    return fail("not enough memory for a picture of this size");
  } catch (const std::exception& error) {  // OpenCV's own troubles
    return fail(error.what());
  }
}

}  // namespace kerb::lab
