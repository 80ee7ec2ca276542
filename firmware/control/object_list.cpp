// SPDX-License-Identifier: Apache-2.0
#include "firmware/control/object_list.hpp"

#include "firmware/control/warner.hpp"

namespace kerb {
namespace {

can::ObjectMessage object_of(const track::Person& person, int camera, Nanos at, double bumper) {
  can::ObjectMessage object;
  object.id = bus_number(person.id, track::identity_camera(person, camera));
  object.x_m = person.x_m - bumper;
  object.y_m = person.y_m;
  object.vx_mps = person.vx_mps;
  object.vy_mps = person.vy_mps;
  object.height_m = person.height_m;
  object.age_s = static_cast<double>((at - person.first_seen).count()) * 1e-9;
  return object;
}

}  // namespace

std::size_t list_objects(std::span<const risk::PeopleReport* const> reports,
                         double axle_to_bumper_m, ObjectList& out) noexcept {
  std::size_t count = 0;
  for (std::size_t camera = 0; camera < reports.size(); ++camera) {
    if (reports[camera] == nullptr) continue;
    const risk::PeopleReport& report = *reports[camera];
    for (int i = 0; i < report.people.count; ++i) {
      const track::Person& person = report.people.items[i];
      if (!person.confirmed || person.x_m < axle_to_bumper_m) continue;
      const can::ObjectMessage object =
          object_of(person, static_cast<int>(camera), report.at, axle_to_bumper_m);
      // Insert by distance; the farthest is dropped.
      std::size_t place = count < out.size() ? count++ : out.size();
      while (place > 0 && *out[place - 1].x_m > *object.x_m) {
        if (place < out.size()) out[place] = out[place - 1];
        --place;
      }
      if (place < out.size()) out[place] = object;
    }
  }
  return count;
}

}  // namespace kerb
