// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/types/fields.hpp"
#include "firmware/types/view.hpp"

/// How far a camera sees, as records of warnings hold it: every field. A struct that grows fails to
/// compile here: list the new field too.
/// If decisions depend on it, raise records::kDecisionsVersion.
namespace kerb {

template <typename F>
void fields(F& f, FieldsOf<F, ViewMeasurement>& v) {
  static_assert(sizeof(ViewMeasurement) == 8 + 6 * 8 + 8, "a new field? list it, see above");
  f.structure("ViewMeasurement")("known", v.known)("clear_m", v.clear_m);
  f("distance_m", v.distance_m)("spread", v.spread)("visibility_m", v.visibility_m);
  f("sharpness", v.sharpness)("noise", v.noise)("limit", v.limit);
}
template <typename F>
void fields(F& f, FieldsOf<F, ViewReport>& v) {
  static_assert(sizeof(ViewReport) == 8 + 3 * 8 + 8, "a new field? list it, see above");
  f.structure("ViewReport")("known", v.known)("distance_m", v.distance_m)("sigma_m", v.sigma_m);
  f("clear_m", v.clear_m)("limit", v.limit);
}

}  // namespace kerb
