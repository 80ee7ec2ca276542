// SPDX-License-Identifier: Apache-2.0
#include "gpu/hog/search.hpp"

namespace kerb::hog {

Status validate(const SearchSettings&) { return Done{}; }
Detection SearchPlan::box(const Geometry&, int, int, int, float) const noexcept { return {}; }
Result<SearchPlan> plan_search(const Geometry&, const SearchSettings&, int, int) {
  return Error{Errc::unsupported, 0, "plan_search", "not built yet"};
}

}  // namespace kerb::hog
