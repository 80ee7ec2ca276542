// SPDX-License-Identifier: Apache-2.0
#include "gpu/hog/fusion.hpp"

namespace kerb::hog {

Status validate(const FusionSettings&) { return Done{}; }
Result<std::unique_ptr<Fusion>> Fusion::create(const FusionSettings&) {
  return Error{Errc::unsupported, 0, "fusion", "not built yet"};
}

}  // namespace kerb::hog
