// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/firmware/soak/soak_judge.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace kerb::test {

void SoakJudge::hold(const char* name, bool broken, Nanos now) {
  if (!std::exchange(broken_[name], broken) && broken) {
    ++breaches_;
    ++by_name_[name];
    char text[96];
    std::snprintf(text, sizeof text, "%s at %.2f s", name, static_cast<double>(now.count()) * 1e-9);
    fresh_ = text;
  }
}

void SoakJudge::take(const SoakRound& r) {
  fresh_.reset();
  const bool warned = r.decided && (r.red || !r.red_works) && (r.heard || !r.bus_works);
  const bool due = r.danger && r.ready;
  if (due) ++due_;
  if (due && warned) ++given_;
  if (!due || warned) silent_since_.reset();
  if (due && !warned && !silent_since_) silent_since_ = r.now;
  hold("silent", silent_since_ && r.now - *silent_since_ > kSilent, r.now);
  hold("dark", r.amber_works && !r.amber && !(r.ready && r.active), r.now);
  hold("unnoticed", r.amber_works && !r.amber && r.must_show, r.now);
  hold("false_alarm", r.nobody && r.decided, r.now);
  hold("bitten", r.bitten, r.now);

  if (r.faulty) healed_at_.reset();
  if (std::exchange(was_faulty_, r.faulty) && !r.faulty) healed_at_ = r.now;
  const Nanos since = healed_at_ ? r.now - *healed_at_ : Nanos::zero();
  hold("stays", healed_at_ && ((!r.ready && since > kReady) || (!r.active && since > kActive)),
       r.now);
  if (healed_at_ && r.ready && r.active) {
    longest_recovery_ = std::max(longest_recovery_, since);
    ++recoveries_;
    healed_at_.reset();
  }
}

}  // namespace kerb::test
