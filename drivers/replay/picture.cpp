// SPDX-License-Identifier: Apache-2.0
#include "drivers/replay/picture.hpp"

#include <string>

namespace kerb::replay {
namespace {
constexpr int kRowAlignment = 64;
constexpr int kMaxSide = 16384;

PixelFormat without_bayer(PixelFormat format) {
  switch (format) {
    case PixelFormat::bayer8:
      return PixelFormat::grey8;
    case PixelFormat::bayer10:
      return PixelFormat::grey10;
    case PixelFormat::bayer12:
      return PixelFormat::grey12;
    default:
      return format;
  }
}

}  // namespace

Error failure(Errc code, const char* where, std::string_view what, int native) {
  return {code, native, where, tail_of<112>(what)};
}

RawImageView<Space::host> PictureLayout::view(const std::uint8_t* data) const noexcept {
  RawImageView<Space::host> image;
  image.data = data;
  image.width = width;
  image.height = height;
  image.row_stride = row_stride;
  image.format = format;
  image.mosaic = mosaic;
  if (chroma_offset != 0) {
    image.chroma = data + chroma_offset;
    image.chroma_stride = row_stride;
  }
  return image;
}

Result<PictureLayout> make_layout(PixelFormat format, int width, int height, int mosaic) {
  const std::string size = std::to_string(width) + "x" + std::to_string(height);
  if (!size_fits(format, width, height) || width > kMaxSide || height > kMaxSide)
    return failure(Errc::invalid_argument, "picture size", size + " as " + name_of(format));
  if (mosaic != 0 && (mosaic < 2 || mosaic > 8 || !is_single_sample(format)))
    return failure(Errc::invalid_argument, "picture format",
                   "mosaic " + std::to_string(mosaic) + " over " + name_of(format));
  PictureLayout layout;
  layout.format = mosaic == 0 ? format : without_bayer(format);
  layout.mosaic = mosaic;
  layout.width = width;
  layout.height = height;
  layout.row_stride =
      (min_row_bytes(format, width) + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
  layout.bytes = static_cast<std::size_t>(layout.row_stride * height);
  if (format == PixelFormat::nv12) {
    layout.chroma_offset = static_cast<std::ptrdiff_t>(layout.bytes);
    layout.bytes += layout.bytes / 2;
  }
  return layout;
}

Result<PixelFormat> parse_format(std::string_view name, PixelFormat automatic) {
  if (name == "auto") return automatic;
  if (name == "mjpeg") return failure(Errc::unsupported, "picture format", name);
  PixelFormat format = automatic;
  if (!parse(name, format)) return failure(Errc::invalid_argument, "picture format", name);
  return format;
}

}  // namespace kerb::replay
