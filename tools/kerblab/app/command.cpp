// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/app/command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>

namespace kerb::lab {
namespace {

void say(const char* kind, std::string_view text) {
  std::string line{text};
  std::replace(line.begin(), line.end(), '\n', ' ');  // OpenCV's messages have several lines
  std::fprintf(stderr, "kerblab: %s: %s\n", kind, line.c_str());
}

}  // namespace

const char* version() noexcept { return KERB_VERSION; }

int fail(std::string_view text) {
  say("error", text);
  return kBadInput;
}

void warn(std::string_view text) { say("warning", text); }

std::string not_empty(const std::string& value) {
  return value.empty() ? "the value is empty" : std::string{};
}

int fail(const Error& error) { return fail(describe(error)); }

void add_commands(CLI::App& app, Action& action, std::initializer_list<Command> commands) {
  for (const Command& command : commands) {
    if (command.add != nullptr) {
      command.add(app, action);
      continue;
    }
    CLI::App* missing = app.add_subcommand(command.name, "Not available: this build has no OpenCV");
    missing->prefix_command();  // whatever follows, --help too, is not looked at
    missing->set_help_flag();
    missing->callback([name = command.name, &action] {
      action = [name] {
        return fail(std::string{name} + ": not available: this build of kerblab has no OpenCV");
      };
    });
  }
}

}  // namespace kerb::lab
