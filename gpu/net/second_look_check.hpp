// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <new>

#include "gpu/net/network.hpp"
#include "hal/base/result.hpp"
#include "hal/base/view.hpp"
#include "hal/vision.hpp"

/// What both engines do alike, on the CPU. For gpu/net alone.
namespace kerb::net {

inline constexpr const char* kMakeSecondLook = "make second look";

/// Whether an engine can be made.
Status check_made(const Network& network, int width, int height);

/// Whether look() can be done.
template <Space S>
Status check_look(const PlanesView<S, const std::uint8_t>& picture, int planes, int width,
                  int height, const Detection* candidates, int count);

/// The candidate with the network's score and its corrected box. See Network and SecondLook.
[[nodiscard]] Detection corrected(const Detection& candidate, const float* results) noexcept;

/// The result of `make`, or io when there is no memory for it.
template <typename Make>
auto or_no_memory(const Make& make) -> decltype(make()) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    return Error{Errc::io, 0, kMakeSecondLook, "no memory left"};
  }
}

}  // namespace kerb::net
