// SPDX-License-Identifier: Apache-2.0
#include "gpu/hog/engine.hpp"

namespace kerb::hog {

Result<std::unique_ptr<Engine>> make_cascade_cuda(const Context&, Model, const SearchSettings&, int,
                                                  int) {
  return Error{Errc::unsupported, 0, "make_cascade_cuda", "not built yet"};
}

}  // namespace kerb::hog
