// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "gpu/image/shapes.hpp"
#include "gpu/image/transpose.hpp"

/// Argument checks of transpose(), and the words it moves, the same on both backends. For gpu/image
/// alone.
namespace kerb::transposing {

struct alignas(16) Word16 {
  std::uint64_t low, high;
};

template <typename Fn>
void with_word(std::size_t element, Fn&& fn) {
  if (element == 1) fn(std::uint8_t{});
  if (element == 4) fn(std::uint32_t{});
  if (element == 8) fn(std::uint64_t{});
  if (element == 16) fn(Word16{});
}

inline Status check(std::size_t element, const Side& in, const Side& out) {
  const auto is_whole = [&](const Side& side) {
    return side.data != nullptr && side.width >= 1 && side.height >= 1 &&
           side.width <= shapes::kMaxSide && side.height <= shapes::kMaxSide &&
           side.row_stride >= side.width &&
           reinterpret_cast<std::uintptr_t>(side.data) % element == 0;
  };
  if (!is_whole(in) || !is_whole(out) || in.width != out.height || in.height != out.width)
    return Error{Errc::invalid_argument, 0, "transpose",
                 "the output must be as high as the input is wide, and the other way round"};
  return Done{};
}

}  // namespace kerb::transposing
