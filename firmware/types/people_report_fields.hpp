// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/types/people_report.hpp"
#include "firmware/types/person_fields.hpp"

/// What is said of everybody who is followed, as records of warnings hold it: every field. A
/// struct that grows fails to compile here: list the new field too, and raise records::kFormat.
namespace kerb::risk {

template <typename F>
void fields(F& f, FieldsOf<F, Contact>& c) {
  static_assert(sizeof(Contact) == 8 + 2 * 16 + 5 * 8, "a new field? list it, see above");
  f(c.probability, c.expected_s, c.expected_sigma_s, c.time_s, c.closest_m, c.closest_in_s,
    c.ahead_m, c.beside_m);
}
/// The entries in use alone.
template <typename F>
void fields(F& f, FieldsOf<F, PeopleReport>& r) {
  static_assert(
      sizeof(PeopleReport) ==
          40 + 8 + track::PersonList::kCapacity * (sizeof(track::Person) + sizeof(Contact)),
      "a new field? list it, see above");
  f(r.at, r.path_known, r.speed_mps, r.acceleration_mps2, r.yaw_rate_radps);
  f.count(r.people.count, track::PersonList::kCapacity);
  for (int i = 0; i < r.people.count; ++i) f(r.people.items[i], r.contacts[i]);
}

}  // namespace kerb::risk
