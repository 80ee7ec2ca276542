// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "firmware/can/codec.hpp"
#include "hal/can_bus.hpp"

namespace kerb::test {

/// A whole list of people, as a car's computer puts it together.
struct HeardList {
  std::uint8_t counter = 0;
  std::vector<can::ObjectMessage> people;
  [[nodiscard]] bool has(std::uint16_t id) const {
    return std::ranges::any_of(people, [id](const can::ObjectMessage& p) { return p.id == id; });
  }
};

/// The other end of the bus: all that Kerbwatch said, in order.
struct Listener {
  std::vector<can::StatusMessage> statuses;
  std::vector<can::WarningMessage> warnings;
  std::vector<can::ReadyMessage> readies;
  std::vector<HeardList> lists;
  int bad_frames = 0;    ///< that nobody can read
  int stray_frames = 0;  ///< of a list, out of order

  void hear(CanBus& bus);
  /// What was said last; nothing said is `none` and `starting`.
  [[nodiscard]] WarningLevel level() const {
    return warnings.empty() ? WarningLevel::none : warnings.back().level;
  }
  [[nodiscard]] Readiness readiness() const {
    return readies.empty() ? Readiness::starting : readies.back().readiness;
  }
  [[nodiscard]] bool ever(WarningLevel level) const {
    return std::ranges::any_of(warnings, [level](const auto& w) { return w.level == level; });
  }

 private:
  void take(const can::ObjectFrame& frame);
  HeardList list_;  // the one being heard
};

}  // namespace kerb::test
