// SPDX-License-Identifier: Apache-2.0
#include "drivers/jpeg/jpeg_encoder.hpp"

#include <turbojpeg.h>

#include <cerrno>

namespace kerb {
namespace {
constexpr int kLongestSide = 65500;  // of a JPEG
}  // namespace

void JpegEncoder::Destroy::operator()(void* handle) const noexcept { tjDestroy(handle); }

Result<std::unique_ptr<JpegEncoder>> JpegEncoder::create(int quality) {
  if (quality < 1 || quality > 100)
    return Error{Errc::invalid_argument, 0, "make JPEG encoder: quality: 1..100"};
  void* handle = tjInitCompress();
  if (handle == nullptr) return Error{Errc::io, ENOMEM, "make JPEG encoder"};
  return std::unique_ptr<JpegEncoder>{new JpegEncoder{handle, quality}};
}

Result<std::size_t> JpegEncoder::encode(ImageView<Space::host, const std::uint8_t> grey,
                                        std::uint8_t* out, std::size_t room) {
  if (grey.data == nullptr || grey.width < 1 || grey.height < 1 || grey.width > kLongestSide ||
      grey.height > kLongestSide)
    return Error{Errc::invalid_argument, 0, "encode picture"};
  // With TJFLAG_NOREALLOC libjpeg-turbo assumes that the worst case fits; it does not check `room`.
  if (room < tjBufSize(grey.width, grey.height, TJSAMP_GRAY))
    return Error{Errc::would_block, 0, "encode picture: output buffer too small"};
  unsigned char* to = out;
  unsigned long size = room;
  const int rc =
      tjCompress2(handle_.get(), grey.data, grey.width, static_cast<int>(grey.row_stride),
                  grey.height, TJPF_GRAY, &to, &size, TJSAMP_GRAY, quality_, TJFLAG_NOREALLOC);
  if (rc != 0) return Error{Errc::io, 0, "encode picture", tjGetErrorStr2(handle_.get())};
  return static_cast<std::size_t>(size);
}

Result<std::unique_ptr<PictureEncoder>> make_record_encoder() {
  constexpr int kQuality = 80;
  Result<std::unique_ptr<JpegEncoder>> encoder = JpegEncoder::create(kQuality);
  if (!encoder) return encoder.error();
  return std::unique_ptr<PictureEncoder>{std::move(*encoder)};
}

}  // namespace kerb
