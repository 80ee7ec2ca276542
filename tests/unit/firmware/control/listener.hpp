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

  void hear(CanBus& bus) {
    while (const Result<CanFrame> frame = bus.receive(Nanos::zero())) {
      if (const auto status = can::decode_status(*frame)) {
        statuses.push_back(*status);
      } else if (const auto warning = can::decode_warning(*frame)) {
        warnings.push_back(*warning);
      } else if (const auto ready = can::decode_ready(*frame)) {
        readies.push_back(*ready);
      } else if (const auto object = can::decode_objects(*frame)) {
        take(*object);
      } else {
        ++bad_frames;
      }
    }
  }
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
  void take(const can::ObjectFrame& frame) {
    using Part = can::ObjectFrame::Part;
    if (frame.part == Part::place && frame.index == 0) list_ = {frame.counter, {}};
    const std::size_t heard = list_.people.size();
    const bool in_order =
        frame.counter == list_.counter &&
        (frame.count == 0 ||
         static_cast<std::size_t>(frame.index) + (frame.part == Part::place ? 0 : 1) == heard);
    if (!in_order) ++stray_frames;
    if (frame.count > 0 && frame.part == Part::place) list_.people.push_back(frame.object);
    if (frame.count > 0 && frame.part == Part::motion && heard > 0) {
      can::ObjectMessage& person = list_.people.back();
      person.vx_mps = frame.object.vx_mps;
      person.vy_mps = frame.object.vy_mps;
      person.height_m = frame.object.height_m;
      person.age_s = frame.object.age_s;
    }
    if (frame.count == 0 || (frame.part == Part::motion && frame.index == frame.count - 1))
      lists.push_back(list_);
  }
  HeardList list_;  // the one being heard
};

}  // namespace kerb::test
