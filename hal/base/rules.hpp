// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <initializer_list>

#include "hal/base/result.hpp"

namespace kerb {

/// What settings must meet, and the words of the Error if they do not.
struct Rule {
  bool holds;
  const char* where;      ///< Error::where: a string literal
  const char* what = "";  ///< Error::what
};

/// Done, or invalid_argument with the words of the first rule that does not hold.
inline Status check_rules(std::initializer_list<Rule> rules) {
  for (const Rule& rule : rules)
    if (!rule.holds) return Error{Errc::invalid_argument, 0, rule.where, rule.what};
  return Done{};
}

}  // namespace kerb
