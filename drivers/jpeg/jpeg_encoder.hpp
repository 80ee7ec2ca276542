// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "hal/picture_encoder.hpp"

namespace kerb {

/// A JPEG encoder by libjpeg-turbo, which allocates its working memory during a call; nothing else
/// allocates.
class JpegEncoder final : public PictureEncoder {
 public:
  /// `quality` 1..100. Fails: invalid_argument, io when there is no memory, unsupported
  /// when the build has no libjpeg-turbo.
  static Result<std::unique_ptr<JpegEncoder>> create(int quality);
  Result<std::size_t> encode(ImageView<Space::host, const std::uint8_t> grey, std::uint8_t* out,
                             std::size_t room) override;

 private:
  struct Destroy {
    void operator()(void* handle) const noexcept;
  };
  JpegEncoder(void* handle, int quality) noexcept : handle_{handle}, quality_{quality} {}
  std::unique_ptr<void, Destroy> handle_;
  int quality_;
};

/// The encoder of the pictures in records of warnings. Fails: as JpegEncoder::create().
Result<std::unique_ptr<PictureEncoder>> make_record_encoder();

}  // namespace kerb
