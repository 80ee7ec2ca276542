// SPDX-License-Identifier: Apache-2.0
// Squares of a field on the device where there is no CUDA.
#include "gpu/flow/field_squares.hpp"

namespace kerb::flow {

Result<std::unique_ptr<FieldSquares>> make_field_squares(const Context& /*context*/, int /*width*/,
                                                         int /*height*/, int /*reduction*/,
                                                         int /*most*/) {
  return Error{Errc::unsupported, 0, "field squares", "this program was built without CUDA"};
}

}  // namespace kerb::flow
