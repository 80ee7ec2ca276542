// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "hal/base/result.hpp"

namespace kerb::v4l2 {

/// Decodes pictures of a motion-JPEG stream to rgb24. One thread at a time.
class JpegDecoder {
 public:
  /// Fails: io when there is no memory.
  static Result<JpegDecoder> create();

  /// Decodes one baseline JPEG of exactly `width` x `height` into rows `stride` bytes apart. The
  /// standard Huffman tables may be missing, and stray bytes may precede the end marker, as web
  /// cameras do it. libjpeg allocates its working memory during the call; nothing else allocates.
  /// Fails: damaged (truncated, corrupt, another size, progressive); the content of `rgb` is then
  /// undefined, and the next picture is not affected.
  Status decode(const std::uint8_t* data, std::size_t size, int width, int height,
                std::uint8_t* rgb, int stride) noexcept;

 private:
  struct Destroy {
    void operator()(void* handle) const noexcept;
  };
  explicit JpegDecoder(void* handle) noexcept : handle_{handle} {}
  std::unique_ptr<void, Destroy> handle_;
};

}  // namespace kerb::v4l2
