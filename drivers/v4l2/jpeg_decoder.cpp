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

struct Header {
  int width = 0, height = 0;
};

/// Reads up to the frame header. False when there is none of sequential Huffman coding (SOF0,
/// SOF1). A progressive picture would need all its scans before the first pixel is final, and can
/// be made to take for ever.
bool read_header(const std::uint8_t* data, std::size_t size, Header& header) noexcept {
  std::size_t at = 2;  // after SOI
  while (at + 9 <= size && data[at] == 0xff) {
    const std::uint8_t marker = data[at + 1];
    if (marker == 0xff) {  // a fill byte
      ++at;
      continue;
    }
    if (marker == 0xc0 || marker == 0xc1) {
      header.height = data[at + 5] << 8 | data[at + 6];
      header.width = data[at + 7] << 8 | data[at + 8];
      return true;
    }
    const bool is_table = marker == 0xc4 || marker == 0xdb || marker == 0xdd || marker >= 0xe0;
    if (!is_table) return false;  // another frame type, a scan, the end, or nothing known
    at += 2u + (static_cast<std::size_t>(data[at + 2]) << 8 | data[at + 3]);
  }
  return false;
}

/// The only warning that affects no pixel: it comes after the last one was decoded.
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
  Header header;
  if (!read_header(data, size, header)) return damaged("not a baseline JPEG");
  if (header.width != width || header.height != height) {
    char text[64];
    std::snprintf(text, sizeof text, "the JPEG is %dx%d, not %dx%d", header.width, header.height,
                  width, height);
    return damaged(text);
  }
  if (handle_ == nullptr) return damaged("no memory for the decoder");
  // The first warning ends it: pixels after corrupt data are guesses, and the next frame comes
  // soon. tjDecompress2() never writes beyond width, height and stride, whatever the data.
  const int rc = tjDecompress2(handle_.get(), data, size, rgb, width, stride, height, TJPF_RGB,
                               TJFLAG_STOPONWARNING);
  if (rc == 0 || is_harmless(handle_.get())) return Done{};
  const Error error = damaged(tjGetErrorStr2(handle_.get()));
  // A new decoder, because this one keeps what it has read: a corrupt table would spoil the next
  // pictures.
  handle_.reset(tjInitDecompress());
  return error;
}

}  // namespace kerb::v4l2
