// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "gpu/image/remap.hpp"
#include "gpu/image/resize_math.hpp"
#include "gpu/image/shapes.hpp"
#include "gpu/memory/upload.hpp"

namespace kerb {
namespace {

using Byte = std::uint8_t;

constexpr int kMostSide = 65535;  // Tap counts in 16 bits
constexpr int kRowsATask = 16;

/// Along one side of `size` pixels: the pixel before, and how far from it.
void split(float at, int size, std::uint16_t& index, std::uint16_t& weight) {
  const double inside = std::clamp(static_cast<double>(at), 0.0, static_cast<double>(size - 1));
  const long parts = std::lround(inside * 256);
  const long first = std::min(parts / 256, static_cast<long>(size) - 2);
  index = static_cast<std::uint16_t>(first);
  weight = static_cast<std::uint16_t>(parts - first * 256);
}

void remap_row(const Byte* __restrict in, std::ptrdiff_t stride,
               const Remapper::Tap* __restrict taps, Byte* __restrict to, int width) {
  for (int x = 0; x < width; ++x) {
    const Remapper::Tap tap = taps[x];
    const Byte* at = in + tap.y * stride + tap.x;
    const std::uint32_t upper = resizing::mix(at[0], at[1], tap.weight_x);
    const std::uint32_t lower = resizing::mix(at[stride], at[stride + 1], tap.weight_x);
    to[x] = resizing::rounded(resizing::mix(upper, lower, tap.weight_y));
  }
}

}  // namespace

Result<Remapper> Remapper::create(const Context& context, Size in, Size out,
                                  const std::vector<Place>& from) {
  const auto refuse = [](const char* what) {
    return Error{Errc::invalid_argument, 0, "remap", what};
  };
  if (std::min(in.width, in.height) < 2 || std::max(in.width, in.height) > kMostSide)
    return refuse("sides of the input must be 2..65535");
  if (std::min(out.width, out.height) < 1 || std::max(out.width, out.height) > kMostSide)
    return refuse("sides of the output must be 1..65535");
  const std::size_t pixels =
      static_cast<std::size_t>(out.width) * static_cast<std::size_t>(out.height);
  if (from.size() != pixels) return refuse("the table must have a place for each pixel");
  Remapper made;
  made.in_ = in;
  made.out_ = out;
  made.taps_.resize(pixels);
  for (std::size_t i = 0; i < pixels; ++i) {
    if (!std::isfinite(from[i].x) || !std::isfinite(from[i].y))
      return refuse("a place is not a number");
    Tap& tap = made.taps_[i];
    split(from[i].x, in.width, tap.x, tap.weight_x);
    split(from[i].y, in.height, tap.y, tap.weight_y);
  }
  if (context.backend() == Backend::cuda)
    if (Status ok = upload(context, made.taps_, made.device_taps_); !ok) return ok.error();
  return made;
}

template <Space S>
Status Remapper::check(const PlanesView<S, const Byte>& in, const PlanesView<S, Byte>& out) const {
  if (in.count != out.count || !shapes::is_whole(in, in.count) ||
      !shapes::is_whole(out, out.count) || in.width != in_.width || in.height != in_.height ||
      out.width != out_.width || out.height != out_.height)
    return Error{Errc::invalid_argument, 0, "remap", "not the sizes it was made for"};
  return Done{};
}
template Status Remapper::check(const PlanesView<Space::device, const Byte>&,
                                const PlanesView<Space::device, Byte>&) const;

Status Remapper::run(Workers& workers, const PlanesView<Space::host, const Byte>& in,
                     const PlanesView<Space::host, Byte>& out) const {
  if (Status ok = check(in, out); !ok) return ok;
  const int bands = (out.height + kRowsATask - 1) / kRowsATask;
  workers.run(bands, [&](int band, int) {
    const int end = std::min((band + 1) * kRowsATask, out.height);
    for (int y = band * kRowsATask; y < end; ++y) {
      const Tap* taps =
          taps_.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(out.width);
      for (int plane = 0; plane < out.count; ++plane)
        remap_row(in.data + plane * in.plane_stride, in.row_stride, taps,
                  out.data + plane * out.plane_stride + y * out.row_stride, out.width);
    }
  });
  return Done{};
}

}  // namespace kerb
