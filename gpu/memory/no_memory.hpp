// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <new>
#include <stdexcept>

#include "hal/base/result.hpp"

namespace kerb {

/// The result of `make`, or io when there is no memory for it: a picture of 16k x 16k pixels is
/// valid, and no reason to terminate. For all that make engines and
/// operators.
template <typename Make>
auto or_no_memory(const char* where, const Make& make) -> decltype(make()) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    return Error{Errc::io, 0, where, "no memory left"};
  } catch (const std::length_error&) {  // more than a vector could ever hold
    return Error{Errc::io, 0, where, "no memory left"};
  }
}

}  // namespace kerb
