// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "gpu/memory/buffer.hpp"
#include "gpu/memory/context.hpp"
#include "hal/base/result.hpp"
#include "hal/base/view.hpp"

/// Optical flow: where each pixel of one picture is in the next. The parts that all methods share.
namespace kerb::flow {

/// The state of a vector, as bits of a byte. 0: not computed.
// NOLINTBEGIN(readability-identifier-naming): masks, so named as constants are
enum Flag : std::uint8_t {
  kValid = 1,         ///< computed, and none of the flags below
  kTexturePoor = 2,   ///< too little structure around: the vector comes from its neighbourhood
  kOutOfView = 4,     ///< the vector points out of the next picture
  kInconsistent = 8,  ///< the reverse vector does not lead back, or the pictures do not fit: hidden
  kMaskedOut = 16,    ///< not wanted by the mask; vector and quality are 0
};
// NOLINTEND(readability-identifier-naming)

/// A dense field in pixels of the picture: the pixel (x, y) of the first picture is found at
/// (x + u, y + v) of the second. Planes of one size with one stride, in samples. `quality` and
/// `flags` may be null: not wanted.
template <Space S>
struct FieldView {
  float* u = nullptr;
  float* v = nullptr;
  std::uint8_t* quality = nullptr;  ///< 0..255: how well the vector is determined; 255 is best
  std::uint8_t* flags = nullptr;    ///< bits of Flag
  int width = 0, height = 0;
  std::ptrdiff_t row_stride = 0;
};

/// 8-bit pictures in, one sample a pixel: grey.
template <Space S>
using Picture = ImageView<S, const std::uint8_t>;

/// Which pixels are wanted: 0 is not. As large as the pictures. No data: all of them.
template <Space S>
using Mask = ImageView<S, const std::uint8_t>;

/// One side of the picture must be at least this, and none may be over kMaxSide.
inline constexpr int kMinSide = 16, kMaxSide = 16384;

/// Whether fields of pictures this large can be computed. Fails: invalid_argument, saying why.
Status check_size(const char* where, int width, int height);

/// Checks that both pictures, the field and, where given, the mask have data, this size, and rows
/// that do not overlap. Fails: invalid_argument.
template <Space S>
Status check_pair(const char* where, int width, int height, const Picture<S>& previous,
                  const Picture<S>& next, const Mask<S>& mask, const FieldView<S>& out);

/// How a pyramid of halved pictures is laid out: level 0 is the picture, each further one has half
/// the sides, rounded up.
struct PyramidSettings {
  int levels = 0;     ///< 0: as many as leave both sides at least min_side
  int min_side = 20;  ///< pixels, of the smallest level; only for levels == 0
};
inline constexpr int kMaxLevels = 12;
/// The number of levels for a picture of this size, 1..kMaxLevels. A given number is cut to those
/// that leave sides of at least 2 pixels.
[[nodiscard]] int level_count(const PyramidSettings& settings, int width, int height) noexcept;

/// An owned field that both sides can use, made once. On the CPU backend: plain memory.
class FlowField {
 public:
  FlowField() = default;  ///< empty
  /// Fails: invalid_argument (size), io or device (no memory).
  static Result<FlowField> create(const Context& context, int width, int height);
  [[nodiscard]] FieldView<Space::host> host() const noexcept;
  [[nodiscard]] FieldView<Space::device> device() const noexcept;  ///< CUDA only
  [[nodiscard]] int width() const noexcept { return width_; }
  [[nodiscard]] int height() const noexcept { return height_; }
  /// Queues the copy to the other side, or does nothing where it is the same memory.
  Status to_host(StreamRef stream) const;
  Status to_device(StreamRef stream) const;
  [[nodiscard]] std::size_t bytes() const noexcept;  ///< of one side

 private:
  DualBuffer<float> vectors_;       // u, then v
  DualBuffer<std::uint8_t> bytes_;  // quality, then flags
  int width_ = 0, height_ = 0, row_stride_ = 0;
};

/// A flow method, made once for one picture size, on one backend. Owns all its memory: run()
/// allocates nothing (on CUDA, once for every new pair of picture addresses, when its graph is
/// recorded). One thread at a time.
///
/// With a mask, vectors, qualities and flags inside it are those of the whole picture, bit for bit;
/// outside it vector and quality are 0 and the flag is kMaskedOut. On the CPU the cost falls with
/// the area; README.md says how far.
class Estimator {
 public:
  Estimator() = default;
  Estimator(const Estimator&) = delete;
  Estimator& operator=(const Estimator&) = delete;
  virtual ~Estimator() = default;

  /// Pictures in host memory; done on return, on either backend (CUDA uploads, computes, downloads
  /// and waits). Fails: invalid_argument (sizes, memory), device.
  virtual Status run(const Picture<Space::host>& previous, const Picture<Space::host>& next,
                     const Mask<Space::host>& mask, const FieldView<Space::host>& out) = 0;
  /// Pictures and field on the device: queues work on the context's stream and returns at once.
  /// Fails: as above; unsupported on the CPU.
  virtual Status run(const Picture<Space::device>& previous, const Picture<Space::device>& next,
                     const Mask<Space::device>& mask, const FieldView<Space::device>& out) = 0;

  /// The whole picture.
  Status run(const Picture<Space::host>& previous, const Picture<Space::host>& next,
             const FieldView<Space::host>& out) {
    return run(previous, next, Mask<Space::host>{}, out);
  }
  Status run(const Picture<Space::device>& previous, const Picture<Space::device>& next,
             const FieldView<Space::device>& out) {
    return run(previous, next, Mask<Space::device>{}, out);
  }

  [[nodiscard]] virtual const char* name() const noexcept = 0;  ///< "lk", "bm"
  [[nodiscard]] virtual Backend backend() const noexcept = 0;
  [[nodiscard]] virtual std::size_t bytes() const noexcept = 0;  ///< memory held, both spaces
  /// Number of parts in which a picture is processed; 1: as a whole.
  [[nodiscard]] virtual std::size_t windows() const noexcept { return 1; }
};

}  // namespace kerb::flow
