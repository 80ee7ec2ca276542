// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "hal/base/result.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace kerb::lab {

inline constexpr int kBadInput = 2;

/// Of kerblab, such as "0.1.0".
[[nodiscard]] const char* version() noexcept;
/// Of the source it was built from, such as "621c73b02c5e", with "+" and eight digits of a checksum
/// of what was changed since; empty where git was not there.
[[nodiscard]] const char* commit() noexcept;

/// Prints "kerblab: error: TEXT", one line, and returns the exit code for it, 2.
int fail(std::string_view text);
int fail(const Error& error);
/// Prints "kerblab: warning: TEXT", one line.
void warn(std::string_view text);

/// A check for CLI11's options: what is wrong with an empty value, or nothing. A script's unset
/// variable must not count as "not given".
std::string not_empty(const std::string& value);

/// What main() does once the command line is read: the chosen command's work, giving the exit code.
using Action = std::function<int()>;

/// A sub-command of kerblab, or of one of its groups.
struct Command {
  const char* name;
  void (*add)(CLI::App& app, Action& action);  ///< null: this build does not have it
};
/// For a Command that needs OpenCV: null where the build has none.
#if KERB_LAB_OPENCV
#define KERB_LAB_WITH_OPENCV(add) (add)
#else
#define KERB_LAB_WITH_OPENCV(add) nullptr
#endif
/// Adds them in this order. One that this build does not have is listed too; choosing it, with
/// whatever arguments, fails with one line that says why.
void add_commands(CLI::App& app, Action& action, std::initializer_list<Command> commands);

/// Each adds its sub-command, and sets `action` when that one is chosen. No exception leaves an
/// action.
void add_detect(CLI::App& app, Action& action);
void add_model(CLI::App& app, Action& action);
void add_eval(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_train(CLI::App& app, Action& action);
void add_flow(CLI::App& app, Action& action);
void add_ego(CLI::App& app, Action& action);
void add_track(CLI::App& app, Action& action);
void add_calibrate(CLI::App& app, Action& action);
void add_night(CLI::App& app, Action& action);
void add_visibility(CLI::App& app, Action& action);
void add_sim(CLI::App& app, Action& action);
void add_emd(CLI::App& app, Action& action);
void add_spectral(CLI::App& app, Action& action);
/// `eval detector`, to the group `eval`.
void add_eval_detector(CLI::App& group, Action& action);
/// `eval flow`, to the same.
void add_eval_flow(CLI::App& group, Action& action);
/// `eval track`, to the same.
void add_eval_track(CLI::App& group, Action& action);
/// `eval spectral`, to the same.
void add_eval_spectral(CLI::App& group, Action& action);
/// `train crops`, to the group `train`.
void add_train_crops(CLI::App& group, Action& action);
void add_train_rejection(CLI::App& group, Action& action);

}  // namespace kerb::lab
