// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "gpu/image/count_range.hpp"
#include "gpu/memory/buffer.hpp"
#include "gpu/memory/context.hpp"
#include "gpu/memory/frame_memory.hpp"
#include "hal/frame_source.hpp"
#include "hal/vision.hpp"

namespace kerb {

/// Converts a camera picture to grey and, where requested, to R G B, and for a mosaic camera to
/// bands, on the context's backend. With a range the grey picture is not the top 8 bits of the
/// samples, but the counts between black and white that CountRange finds from picture to picture.
/// Owns its memory and on CUDA its own stream, so that several cameras do not wait for each other.
/// prepare() allocates nothing, and returns when the host, and kernels on any stream, can read the
/// result.
///
/// On CUDA a frame in memory of `frames` is read in place where the policy says so (integrated
/// GPUs); any other frame (discrete card, or a camera with its own buffers) is uploaded first.
class Preparer final : public ImagePreparer {
 public:
  /// For pictures of this size, format, Bayer order and mosaic. With `colour` it gives R G B planes
  /// too (of a grey camera three equal ones); without, they cost neither time nor memory. `range`:
  /// for cameras whose pixels are counts, grey10..grey16. `context` and `frames` (may be nullptr)
  /// must outlive it. Fails: invalid_argument (a kind of picture no operator takes, or a range
  /// beyond its limits), unsupported (colour of a mosaic: its bands are not R G B; colour with a
  /// range), io or device (no memory).
  static Result<std::unique_ptr<Preparer>> create(const Context& context,
                                                  const GpuFrameMemory* frames,
                                                  const FrameSourceInfo& source,
                                                  bool colour = false,
                                                  const CountRangeSettings* range = nullptr);

  Result<PreparedImage> prepare(const RawImageView<Space::host>& image) override;
  void forget() noexcept override {
    if (range_) range_->forget();
  }
  [[nodiscard]] const char* backend() const noexcept override {
    return name_of(context_.backend());
  }

  /// The last result where kernels read it, for the next operator; no data on the CPU backend.
  [[nodiscard]] ImageView<Space::device, const std::uint8_t> device_grey() const noexcept;
  [[nodiscard]] PlanesView<Space::device, const std::uint8_t> device_rgb() const noexcept;
  /// The counts that were black and white in the last picture; nothing without a range.
  [[nodiscard]] std::optional<CountMap> count_map() const noexcept {
    return range_ ? std::optional{range_->map()} : std::nullopt;
  }
  /// Whether the last frame was read in place.
  [[nodiscard]] bool was_zero_copy() const noexcept { return zero_copy_; }

 private:
  Preparer(const Context& context, const GpuFrameMemory* frames, const FrameSourceInfo& source,
           bool colour);
  Status allocate();
  Status run_on_cpu(const RawImageView<Space::host>& image);
  Status run_on_cuda(const RawImageView<Space::host>& image);
  Status grey_on_cuda(const RawImageView<Space::device>& image);
  Result<RawImageView<Space::device>> on_device(const RawImageView<Space::host>& image);

  [[nodiscard]] bool reads_chroma() const noexcept {
    return colour_ && source_.format == PixelFormat::nv12;
  }
  /// The planes of one picture, wherever `data` is.
  template <Space S, typename T>
  [[nodiscard]] PlanesView<S, T> rgb_at(T* data) const noexcept {
    return {data, 3, source_.width, source_.height, grey_stride_, grey_stride_ * source_.height};
  }

  const Context& context_;
  const GpuFrameMemory* frames_;
  FrameSourceInfo source_;
  bool colour_;
  std::ptrdiff_t grey_stride_;                       // samples; of R, G and B too
  std::ptrdiff_t upload_stride_;                     // bytes
  std::ptrdiff_t band_stride_ = 0, band_plane_ = 0;  // samples
  int band_count_ = 0, band_width_ = 0, band_height_ = 0;
  std::optional<Stream> stream_;  // CUDA only; before the buffers: destroyed after them
  DualBuffer<std::uint8_t> grey_;
  DualBuffer<std::uint8_t> rgb_;  // colour
  DualBuffer<std::uint16_t> bands_;
  std::optional<CountRange> range_;
  DualBuffer<std::uint32_t> histogram_;  // with a range
  DeviceBuffer<std::uint8_t> upload_;    // CUDA only
  bool zero_copy_ = false;
};

}  // namespace kerb
