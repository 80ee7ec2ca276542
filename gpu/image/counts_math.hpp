// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "gpu/image/both.hpp"
#include "gpu/image/counts.hpp"
#include "gpu/image/shapes.hpp"

/// The arithmetic and the checks of counts.hpp, once for both backends. For gpu/image alone.
namespace kerb::counts {

/// Levels per count, in 1/65536. Rounded to the nearest, so that span * gain is off by at most
/// span / 2 < 32768, and the rounding of level() still gives 255.
KERB_BOTH std::uint32_t gain_of(const CountMap& map) {
  return ((255u << 16) + map.span / 2) / map.span;
}

/// The largest product is span * gain <= 255 * 65536 + span / 2: far from 32 bits.
KERB_BOTH std::uint8_t level(std::uint32_t count, const CountMap& map, std::uint32_t gain) {
  const std::uint32_t above = count > map.low ? count - map.low : 0;
  const std::uint32_t d = above < map.span ? above : map.span;
  return static_cast<std::uint8_t>((d * gain + 32768u) >> 16);
}

template <Space S>
Status check(const RawImageView<S>& in) {
  if (Status ok = shapes::check_counts(in.format, in.mosaic); !ok) return ok;
  return shapes::check_input(in.data, in.format, in.width, in.height, in.row_stride, in.mosaic);
}

template <Space S>
Status check(const RawImageView<S>& in, const std::uint32_t* histogram) {
  if (histogram == nullptr)
    return Error{Errc::invalid_argument, 0, "count_samples", "no histogram"};
  return check(in);
}

template <Space S>
Status check(const RawImageView<S>& in, const CountMap& map,
             const ImageView<S, std::uint8_t>& out) {
  if (map.span < 1 || map.span > 65535 || map.low > 65535)
    return Error{Errc::invalid_argument, 0, "map_counts", "low: 0..65535, span: 1..65535"};
  if (Status ok = check(in); !ok) return ok;
  return shapes::check(in, out);
}

}  // namespace kerb::counts
