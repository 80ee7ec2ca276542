// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "hal/base/result.hpp"

namespace kerb::v4l2 {

/// Pictures of a motion-JPEG stream to rgb24. One thread at a time.
class JpegDecoder {
 public:
  /// Fails: io when there is no memory.
  static Result<JpegDecoder> create();

  /// Decodes one baseline JPEG of exactly `width` x `height` into rows `stride` bytes apart. The
  /// standard Huffman tables may be missing, and stray bytes may stand before the end marker, as
  /// web cameras have it. libjpeg takes its working memory from the heap meanwhile; nothing else
  /// allocates. Fails: damaged (cut off, corrupt, another size, progressive); `rgb` then holds
  /// anything, and the next picture is decoded as if this one had never been.
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
