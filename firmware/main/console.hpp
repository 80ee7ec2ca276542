// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "hal/base/clock.hpp"

namespace kerb {

inline constexpr int kBadInput = 2;

/// Prints "kerbwatch: error: TEXT" and returns the exit code for it, 2.
int fail(std::string_view text);

/// To stdout. What could not be written is told by finish_output(), not here.
void print_text(std::string_view text);
template <typename... T>
void print(fmt::format_string<T...> format, T&&... values) {
  print_text(fmt::format(format, std::forward<T>(values)...));
}
/// The same at once, and no longer than `limit` of real time: a pipe that nobody reads is full.
void print_within(std::string_view text, Nanos limit);
/// Writes what was printed so far, for whoever waits for it.
void flush_output();

/// Writes what is left, at the end of the program: gives `code`, or 2 with one line when stdout did
/// not take all of it. A result that nobody can read is no success.
int finish_output(int code);

}  // namespace kerb
