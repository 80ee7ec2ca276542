// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/shapes.hpp"
#include "gpu/image/split_mosaic.hpp"

namespace kerb::cpu {
namespace {

using In = RawImageView<Space::host>;
using Out = PlanesView<Space::host, std::uint16_t>;

/// N known to the compiler: reading every N-th sample then becomes vector shuffles.
template <int N, typename Sample>
void split(const In& in, const Out& out) {
  for (int y = 0; y < out.height * N; ++y) {
    const Sample* __restrict from = reinterpret_cast<const Sample*>(
        in.data + y * in.row_stride);  // even for words: check_input()
    for (int i = 0; i < N; ++i) {
      std::uint16_t* __restrict to = out.plane(y % N * N + i).data + y / N * out.row_stride;
      for (int x = 0; x < out.width; ++x) to[x] = from[x * N + i];
    }
  }
}

template <typename Sample>
void split_any(const In& in, const Out& out) {
  switch (in.mosaic) {
    case 2:
      return split<2, Sample>(in, out);
    case 3:
      return split<3, Sample>(in, out);
    case 4:
      return split<4, Sample>(in, out);
    case 5:
      return split<5, Sample>(in, out);
    case 6:
      return split<6, Sample>(in, out);
    case 7:
      return split<7, Sample>(in, out);
    case 8:
      return split<8, Sample>(in, out);
  }
}
static_assert(shapes::kMinMosaic == 2 && shapes::kMaxMosaic == 8);

}  // namespace

Status split_mosaic(const In& in, const Out& out) {
  if (Status ok = shapes::check(in, out); !ok) return ok;
  if (bit_depth(in.format) > 8)
    split_any<std::uint16_t>(in, out);
  else
    split_any<std::uint8_t>(in, out);
  return Done{};
}

}  // namespace kerb::cpu
