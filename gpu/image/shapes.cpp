// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/shapes.hpp"

namespace kerb::shapes {
namespace {
Error refuse(const char* what) { return Error{Errc::invalid_argument, 0, "check image", what}; }
}  // namespace

Status check_kind(PixelFormat format, int width, int height, int mosaic) {
  if (format < PixelFormat::grey8 || format > PixelFormat::bayer12) return refuse("unknown format");
  if (width > kMaxSide || height > kMaxSide || !size_fits(format, width, height))
    return refuse("a size this format cannot have");
  if (mosaic == 0) return Done{};
  if (mosaic < kMinMosaic || mosaic > kMaxMosaic) return refuse("mosaic: 0 or 2..8");
  if (!is_single_sample(format)) return refuse("a mosaic needs a format of one sample a pixel");
  if (width < mosaic || height < mosaic) return refuse("smaller than its mosaic");
  return Done{};
}

Status check_input(const void* data, PixelFormat format, int width, int height,
                   std::ptrdiff_t row_stride, int mosaic) {
  if (Status ok = check_kind(format, width, height, mosaic); !ok) return ok;
  if (data == nullptr) return refuse("no data");
  if (row_stride < min_row_bytes(format, width)) return refuse("rows overlap");
  const bool words = bit_depth(format) > 8;
  if (words && (row_stride % 2 != 0 || reinterpret_cast<std::uintptr_t>(data) % 2 != 0))
    return refuse("16-bit samples at an odd address");
  return Done{};
}

Status check_counts(PixelFormat format, int mosaic) {
  if (format < PixelFormat::grey10 || format > PixelFormat::grey16 || mosaic != 0)
    return refuse("counts are grey10, grey12, grey14 or grey16, without a mosaic");
  return Done{};
}

}  // namespace kerb::shapes
