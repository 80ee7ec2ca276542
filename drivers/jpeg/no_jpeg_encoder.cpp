// SPDX-License-Identifier: Apache-2.0
// In the place of jpeg_encoder.cpp where the build has no libjpeg-turbo.
#include "drivers/jpeg/jpeg_encoder.hpp"

namespace kerb {

void JpegEncoder::Destroy::operator()(void* /*handle*/) const noexcept {}

Result<std::unique_ptr<JpegEncoder>> JpegEncoder::create(int /*quality*/) {
  return Error{Errc::unsupported, 0, "make JPEG encoder: this build has no libjpeg-turbo"};
}

Result<std::size_t> JpegEncoder::encode(ImageView<Space::host, const std::uint8_t> /*grey*/,
                                        std::uint8_t* /*out*/, std::size_t /*room*/) {
  static_cast<void>(quality_);
  return Error{Errc::unsupported, 0, "encode picture"};
}

Result<std::unique_ptr<PictureEncoder>> make_record_encoder() {
  return Error{Errc::unsupported, 0, "make JPEG encoder: this build has no libjpeg-turbo"};
}

}  // namespace kerb
