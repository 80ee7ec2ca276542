// SPDX-License-Identifier: Apache-2.0
#pragma once
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

}  // namespace kerb::net
