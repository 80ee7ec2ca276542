// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>
#include <type_traits>

#include "tools/kerblab/app/command.hpp"

/// Common options, and the connection from a chosen command to main().
namespace kerb::lab {

/// A check for CLI11's options: a number within least..most. Unlike CLI::Range it refuses NaN.
inline CLI::Validator between(double least, double most) {
  return CLI::Validator{[least, most](const std::string& text) {
                          char* end = nullptr;
                          const double number = std::strtod(text.c_str(), &end);
                          return !text.empty() && *end == '\0' && number >= least && number <= most
                                     ? std::string{}
                                     : fmt::format("{}: must be {:g}..{:g}", text, least, most);
                        },
                        fmt::format("in [{:g} - {:g}]", least, most)};
}

/// A file or a folder, or anything else (or several) that is not empty when it is given. `out` must
/// live until the command line is read; so it is for all of these.
template <typename Text>
CLI::Option* add_name_option(CLI::App& command, const char* name, Text& out,
                             const std::string& help) {
  return command.add_option(name, out, help)->check(not_empty);
}

/// --backend auto|cpu|cuda.
inline CLI::Option* add_backend_option(
    CLI::App& command, std::string& backend,
    const std::string& help = "Where image operators run: auto, cpu or cuda") {
  return command.add_option("--backend", backend, help)
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
}

/// --draw auto|cpu|cuda.
inline CLI::Option* add_draw_option(CLI::App& command, std::string& draw) {
  return command
      .add_option("--draw", draw,
                  "Where pictures are drawn: auto (a GPU if there is one), cpu, cuda")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
}

/// --threads N.
inline CLI::Option* add_threads_option(
    CLI::App& command, int& threads,
    const std::string& help = "Threads of the CPU backend; 0: one per core") {
  return command.add_option("--threads", threads, help)
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
}

/// Makes `work` the action of main() when the command is chosen. It returns the exit code, or a
/// Status whose error is printed.
template <typename Work>
void run_when_chosen(CLI::App& command, Action& action, Work work) {
  command.callback([work, &action] {
    action = [work] {
      if constexpr (std::is_same_v<std::invoke_result_t<Work>, int>) {
        return work();
      } else {
        const Status done = work();
        return done ? 0 : fail(done.error());
      }
    };
  });
}

}  // namespace kerb::lab
