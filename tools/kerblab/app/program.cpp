// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/app/program.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
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

/// The first word that should be a sub-command and is none, with those there are; before anything
/// else is read: with "--help" after it, CLI11 would print the help and be content.
std::optional<std::string> unknown_command(const CLI::App& app, int argc, char** argv) {
  const auto all = [](const CLI::App*) { return true; };
  const CLI::App* at = &app;
  for (int i = 1; i < argc && at->get_require_subcommand_min() > 0; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with('-')) return std::nullopt;  // for the parser
    const CLI::App* next = nullptr;
    std::string known;
    for (const CLI::App* command : at->get_subcommands(all)) {
      if (command->get_name().empty()) continue;  // a group of options
      if (command->check_name(argv[i])) next = command;
      known += (known.empty() ? "" : ", ") + command->get_name();
    }
    if (next == nullptr) return fmt::format("unknown sub-command '{}'; there are {}", word, known);
    at = next;
  }
  return std::nullopt;
}

/// What stdout has not taken, if anything: text for an error line.
std::optional<std::string> output_fault() {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return std::nullopt;
  return std::string{"write: stdout: "} +
         (errno != 0 ? std::strerror(errno) : "it did not take all of the output");
}

/// The action's work, to its exit code.
int run_action(const Action& action) {
  try {
    return action();
  } catch (const std::bad_alloc&) {
    return fail("not enough memory for a picture of this size");
  } catch (const std::system_error& error) {
    // fmt's, when stdout takes no more.
    return fail(std::ferror(stdout) != 0 ? "write: stdout: " + error.code().message()
                                         : std::string{error.what()});
  } catch (const std::exception& error) {  // OpenCV's own troubles
    return fail(error.what());
  }
}

}  // namespace

int run_program(CLI::App& app, const Action& action, int argc, char** argv) {
#if KERB_LAB_OPENCV
  replay::quieten_opencv();
#endif
  if (const std::optional<std::string> fault = unknown_command(app, argc, argv))
    return fail(*fault + "; --help shows the usage");
  int code = 0;
  try {
    app.parse(argc, argv);
    code = run_action(action);
  } catch (const CLI::ParseError& error) {
    std::ostringstream text;
    if (app.exit(error, text, text) != 0)
      return fail(usage_fault(app, error) + "; --help shows the usage");
    std::fputs(text.str().c_str(), stdout);  // help or the version
  }
  // A result that nobody can read is no success.
  if (code == kBadInput) return code;
  if (const std::optional<std::string> fault = output_fault()) return fail(*fault);
  return code;
}

}  // namespace kerb::lab
