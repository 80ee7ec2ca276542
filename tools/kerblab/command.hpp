// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string_view>

#include "hal/base/result.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace kerb::lab {

inline constexpr int kBadInput = 2;

/// Prints "kerblab: error: TEXT", one line, and returns the exit code for it, 2.
int fail(std::string_view text);
int fail(const Error& error);

/// What main() does once the command line is read: the chosen command's work, giving the exit code.
using Action = std::function<int()>;

/// Each adds its sub-command, and sets `action` when that one is chosen. No exception leaves an
/// action.
void add_detect(CLI::App& app, Action& action);
void add_model(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);

}  // namespace kerb::lab
