// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/types/people_report.hpp"
#include "firmware/types/person_fields.hpp"
#include "firmware/types/view_fields.hpp"

/// What is said of everybody who is followed, as records of warnings hold it: every field. A
/// struct that grows fails to compile here: list the new field too.
/// If decisions depend on it, raise records::kDecisionsVersion.
namespace kerb::risk {

template <typename F>
void fields(F& f, FieldsOf<F, Contact>& c) {
  static_assert(sizeof(Contact) == 8 + 2 * 16 + 5 * 8, "a new field? list it, see above");
  f.structure("Contact")("probability", c.probability)("expected_s", c.expected_s);
  f("expected_sigma_s", c.expected_sigma_s)("time_s", c.time_s)("closest_m", c.closest_m);
  f("closest_in_s", c.closest_in_s)("ahead_m", c.ahead_m)("beside_m", c.beside_m);
}
template <typename F>
void fields(F& f, FieldsOf<F, TurnOutlook>& t) {
  static_assert(sizeof(TurnOutlook) == 24, "a new field? list it, see above");
  f.structure("TurnOutlook")("share", t.share)("turned_rad", t.turned_rad)("side", t.side);
}
/// The entries in use alone.
template <typename F>
void fields(F& f, FieldsOf<F, PeopleReport>& r) {
  static_assert(sizeof(PeopleReport) ==
                    72 + sizeof(TurnOutlook) + sizeof(ViewReport) + 8 +
                        track::PersonList::kCapacity * (sizeof(track::Person) + sizeof(Contact)),
                "a new field? list it, see above");
  f.structure("PeopleReport")("at", r.at)("looked_at", r.looked_at)("path_known", r.path_known);
  f("speed_mps", r.speed_mps)("speed_sigma_mps", r.speed_sigma_mps);
  f("acceleration_mps2", r.acceleration_mps2)("yaw_rate_radps", r.yaw_rate_radps);
  f("yaw_rate_known", r.yaw_rate_known)("yaw_acceleration_radps2", r.yaw_acceleration_radps2);
  f("yaw_sigma_radps", r.yaw_sigma_radps)("turn", r.turn)("view", r.view);
  f.list("people", r.people.count, track::PersonList::kCapacity,
         [&](std::size_t i) { f("person", r.people.items[i])("contact", r.contacts[i]); });
}

}  // namespace kerb::risk
