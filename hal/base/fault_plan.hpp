// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hal/base/clock.hpp"
#include "hal/base/result.hpp"
#include "hal/base/splitmix.hpp"

namespace kerb {

/// What a fault point does instead of its call.
struct Fault {
  enum class Kind : std::uint8_t { fail, hang, no_memory };
  Kind kind = Kind::fail;
  int error = 0;  ///< fail: the errno
  Nanos hang{};   ///< hang: real time; the call is then made
};

/// Which fault points fail, how and when, for tests: rules with ';' between, each
///
///   NAME:KIND[:WHEN]...        such as  gpio.set:fail=EIO:calls=10-20 ;
///   vision.detect:hang=500:from=2000
///
/// NAME is that of a point; with a '*' at its end, of all that begin so. KIND is fail=ERRNO (a name
/// or a number), hang=MS or no_memory. WHEN, of which all must hold: calls=N or N-M (of this
/// point, from 1), from=MS and to=MS since the start of the plan, chance=P. A rule `seed=N` makes
/// the chances others. The first rule that applies counts. One thread.
class FaultPlan {
 public:
  FaultPlan() = default;
  /// Fails: invalid_argument, naming the rule.
  static Result<FaultPlan> parse(std::string_view text);

  /// A call of this point, `at` since the start of the plan: its fault, or nothing.
  std::optional<Fault> at(std::string_view name, Nanos since_start);
  [[nodiscard]] bool empty() const noexcept { return rules_.empty(); }

 private:
  struct Rule {
    std::string name;
    bool prefix = false;
    Fault fault;
    std::uint64_t first = 1, last = UINT64_MAX;  // calls
    Nanos from{}, to = Nanos::max();
    double chance = 1;
  };
  struct Calls {
    std::string name;
    std::uint64_t count = 0;
  };
  static bool parse_rule(std::string_view text, Rule& rule);
  static bool parse_word(std::string_view word, Rule& rule);

  std::vector<Rule> rules_;
  std::vector<Calls> calls_;
  SplitMix64 random_{1};
};

/// The plan of this program from now on, for one that has fault points (fault_point.hpp); its times
/// begin now. Before the first call, or without one: that of the variable KERB_FAULTS; one that
/// cannot be read ends the program with 2. Any thread.
void set_faults(FaultPlan plan);

}  // namespace kerb
