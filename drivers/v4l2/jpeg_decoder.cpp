// SPDX-License-Identifier: Apache-2.0
#include "drivers/v4l2/jpeg_decoder.hpp"

#include <turbojpeg.h>

#include <cerrno>
#include <cstdio>
#include <string_view>

namespace kerb::v4l2 {
namespace {

Error damaged(std::string_view reason) noexcept {
  return {Errc::damaged, 0, "decode camera frame", reason};
}

/// Whether the first frame header is one of sequential Huffman coding (SOF0, SOF1). A progressive
/// picture would need all its scans before the first pixel is final, and can be made to take for
/// ever.
bool is_sequential(const std::uint8_t* data, std::size_t size) noexcept {
  std::size_t at = 2;  // after SOI
  while (at + 4 <= size && data[at] == 0xff) {
    const std::uint8_t marker = data[at + 1];
    if (marker == 0xff) {  // fill byte
      ++at;
      continue;
    }
    const bool is_frame = marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 &&
                          marker != 0xcc;  // DHT, JPG, DAC
    if (is_frame) return marker <= 0xc1;
    if (marker == 0xda || marker == 0xd9) return false;  // a scan, or the end, before any frame
    at += 2u + (static_cast<std::size_t>(data[at + 2]) << 8 | data[at + 3]);
  }
  return false;
}

/// The one warning that leaves no pixel in doubt: it comes after the last of them has been decoded.
bool is_harmless(void* handle) noexcept {
  const std::string_view text{tjGetErrorStr2(handle)};
  return tjGetErrorCode(handle) == TJERR_WARNING &&
         text.find("extraneous bytes before marker 0xd9") != std::string_view::npos;
}

}  // namespace

void JpegDecoder::Destroy::operator()(void* handle) const noexcept { tjDestroy(handle); }

Result<JpegDecoder> JpegDecoder::create() {
  void* handle = tjInitDecompress();
  if (handle == nullptr) return Error{Errc::io, ENOMEM, "make JPEG decoder"};
  return JpegDecoder{handle};
}

Status JpegDecoder::decode(const std::uint8_t* data, std::size_t size, int width, int height,
                           std::uint8_t* rgb, int stride) noexcept {
  if (size < 4 || data[0] != 0xff || data[1] != 0xd8) return damaged("not a JPEG");
  if (!is_sequential(data, size)) return damaged("no baseline JPEG");
  int has_width = 0, has_height = 0, sampling = 0, colours = 0;
  if (tjDecompressHeader3(handle_.get(), data, size, &has_width, &has_height, &sampling,
                          &colours) != 0)
    return damaged(tjGetErrorStr2(handle_.get()));
  if (has_width != width || has_height != height) {
    char text[64];
    std::snprintf(text, sizeof text, "the JPEG is %dx%d, not %dx%d", has_width, has_height, width,
                  height);
    return damaged(text);
  }
  // The first warning ends it: what follows corrupt data is a guess, and this frame is one of
  // thirty.
  if (tjDecompress2(handle_.get(), data, size, rgb, width, stride, height, TJPF_RGB,
                    TJFLAG_STOPONWARNING) != 0 &&
      !is_harmless(handle_.get()))
    return damaged(tjGetErrorStr2(handle_.get()));
  return Done{};
}

}  // namespace kerb::v4l2
