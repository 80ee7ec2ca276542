// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpu/image/gradients.hpp"
#include "gpu/image/shapes.hpp"

/// Argument checks of gradients(), the same on both backends. For gpu/image alone.
namespace kerb::shapes {

template <Space S>
Status check_gradients(bool whole, int width, int height, const GradientParams& params,
                       const ImageView<S, std::uint16_t>& out) {
  if (!whole) return Error{Errc::invalid_argument, 0, "gradients", "not a picture"};
  if (params.bins != 9 && params.bins != 6)
    return Error{Errc::invalid_argument, 0, "gradients", "bins: 9 or 6"};
  if (!is_whole(out) || out.width != width || out.height != height)
    return Error{Errc::invalid_argument, 0, "gradients",
                 "the output must be as large as the input"};
  return Done{};
}

/// Calls `fn` with the parameters as types, so that the compiler sees constants.
template <typename Fn>
void with_bins(const GradientParams& params, Fn&& fn) {
  constexpr std::integral_constant<int, 9> kNine{};
  constexpr std::integral_constant<int, 6> kSix{};
  if (params.bins == 9)
    params.half_shifted ? fn(kNine, std::true_type{}) : fn(kNine, std::false_type{});
  else
    params.half_shifted ? fn(kSix, std::true_type{}) : fn(kSix, std::false_type{});
}

}  // namespace kerb::shapes
