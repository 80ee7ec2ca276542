// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "gpu/memory/stream.hpp"
#include "hal/base/result.hpp"
#include "hal/base/view.hpp"

/// Pictures of counts: what a thermal camera measures, in more bits than the vision code takes.
/// Their histogram, and the 8-bit picture of a part of their range. CountRange finds that part.
/// Integer arithmetic, the same on both backends bit for bit. Of a sample only the format's bits
/// count.
namespace kerb {

/// The part of the range that is shown: `low` becomes 0, `low` + `span` becomes 255.
struct CountMap {
  std::uint32_t low = 0;       ///< 0..65535
  std::uint32_t span = 65535;  ///< 1..65535
};

/// histogram[c] = how many pixels have the count c, for all 1 << bit_depth(in.format) counts.
///
///   in         grey10..grey16 without mosaic; otherwise as for to_grey()
///   histogram  overwritten; not overlapping `in`
///   costs      one memset and one launch; allocates nothing, synchronises nothing, keeps no state
///   fails      invalid_argument (the above), device (the launch was refused),
///              unsupported (built without CUDA)
Status count_samples(StreamRef stream, const RawImageView<Space::device>& in,
                     std::uint32_t* histogram);

/// With d = the sample - map.low, limited to 0..map.span:
///   out = (d * g + 32768) >> 16,   g = (255 * 65536 + span / 2) / span
/// which is 255 d / span within one level, exact at both ends, and never falls where d rises.
///
///   in      as above
///   out     the same size, row_stride >= width, not overlapping `in`; bytes beyond a row's width
///           stay as they are
///   costs   one launch; allocates nothing, synchronises nothing, keeps no state
///   fails   invalid_argument (the above, or a map beyond its limits), device, unsupported
Status map_counts(StreamRef stream, const RawImageView<Space::device>& in, const CountMap& map,
                  const ImageView<Space::device, std::uint8_t>& out);

/// The same contracts on the CPU, done on return: the definition.
namespace cpu {
Status count_samples(const RawImageView<Space::host>& in, std::uint32_t* histogram);
Status map_counts(const RawImageView<Space::host>& in, const CountMap& map,
                  const ImageView<Space::host, std::uint8_t>& out);
}  // namespace cpu

}  // namespace kerb
