// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/risk/contact.hpp"
#include "firmware/types/fields.hpp"

/// What the judge of contacts is set to, as records of warnings hold it: every field. A struct
/// that grows fails to compile here: list the new field too.
/// If decisions depend on it, raise records::kDecisionsVersion.
namespace kerb::risk {

template <typename F>
void fields(F& f, FieldsOf<F, CarShape>& c) {
  static_assert(sizeof(CarShape) == 24, "a new field? list it, see above");
  f.structure("CarShape")("width_m", c.width_m)("length_m", c.length_m);
  f("axle_to_bumper_m", c.axle_to_bumper_m);
}
template <typename F>
void fields(F& f, FieldsOf<F, ContactSettings>& c) {
  static_assert(sizeof(ContactSettings) == 16, "a new field? list it, see above");
  f.structure("ContactSettings")("horizon_s", c.horizon_s)("person_radius_m", c.person_radius_m);
}

}  // namespace kerb::risk
