// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/firmware/control/listener.hpp"

namespace kerb::test {

void Listener::hear(CanBus& bus) {
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

void Listener::take(const can::ObjectFrame& frame) {
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

}  // namespace kerb::test
