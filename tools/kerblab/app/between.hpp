// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string>

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

}  // namespace kerb::lab
