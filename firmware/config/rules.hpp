// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <initializer_list>
#include <string>

#include "firmware/config/config.hpp"

namespace kerb::config {

/// What the rules between keys need in addition to the values. Keys are named as in a Problem:
/// "camera[0].width".
struct RuleContext {
  std::function<bool(const std::string& key)>
      is_set;  ///< the file says it; otherwise it is the default
  std::function<bool(const std::string& key)>
      is_bad;                                   ///< already a problem: no rule may build on it
  std::function<void(Problem problem)> report;  ///< takes key, value and rule; adds the place
};

/// Reports every rule between keys that does not hold.
void check_rules(const Config& config, const RuleContext& context);

}  // namespace kerb::config
