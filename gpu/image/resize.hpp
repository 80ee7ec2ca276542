// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/image/levels.hpp"
#include "gpu/memory/buffer.hpp"
#include "gpu/memory/context.hpp"
#include "gpu/memory/stream.hpp"
#include "hal/base/result.hpp"
#include "hal/base/view.hpp"

namespace kerb {

enum class ResizeMethod : std::uint8_t {
  /// Between the four nearest pixels, in 1/256 a side (levels.hpp says how the taps are chosen):
  ///   out = (sum of weight_x * weight_y * in + 32768) >> 16
  /// Bit for bit OpenCV's INTER_LINEAR_EXACT.
  bilinear,
  /// The mean of the area that the pixel covers in the input, counted in exact parts of pixels,
  /// rounded to nearest, half up. For shrinking: neither side may grow.
  area
};

/// Makes 8-bit pictures of one size from those of another. Integer results, the same on both
/// backends bit for bit. Made once for a pair of sizes; run() allocates nothing. For one thread at
/// a time: the CPU's run() uses its own scratch rows.
class Resizer {
 public:
  struct Size {
    int width = 0, height = 0;
  };
  /// With a CUDA context for both backends, else for the CPU alone. Fails: invalid_argument (sides
  /// not within 1..65535, or growing by area), device (no memory).
  static Result<Resizer> create(const Context& context, Size in, Size out, ResizeMethod method);

  /// Queues one launch and returns at once.
  ///   in, out  of the sizes it was made for, row_stride >= width, not overlapping; what lies
  ///            beyond a row's width stays as it is
  ///   fails    invalid_argument (the above), device (the launch was refused), unsupported (made
  ///            with a CPU context)
  Status run(StreamRef stream, const ImageView<Space::device, const std::uint8_t>& in,
             const ImageView<Space::device, std::uint8_t>& out) const;
  /// The same contract on the CPU, done on return: the definition.
  Status run(const ImageView<Space::host, const std::uint8_t>& in,
             const ImageView<Space::host, std::uint8_t>& out);

  /// What one column or row of the output covers of the input: all of the pixels first + 1 to
  /// last - 1, each `whole` parts, and of first and last as many parts as said. One pixel alone
  /// stands in `first`, and `last` is then the same with 0 parts.
  struct Cover {
    std::uint16_t first = 0, last = 0;
    std::uint16_t first_parts = 0, last_parts = 0;
  };

 private:
  Resizer() = default;
  Status make_bilinear(const Context& context);
  Status make_area(const Context& context);
  void bilinear(const ImageView<Space::host, const std::uint8_t>& in,
                const ImageView<Space::host, std::uint8_t>& out);
  void area(const ImageView<Space::host, const std::uint8_t>& in,
            const ImageView<Space::host, std::uint8_t>& out);
  template <Space S>
  [[nodiscard]] Status check(const ImageView<S, const std::uint8_t>& in,
                             const ImageView<S, std::uint8_t>& out) const;

  Size in_, out_;
  ResizeMethod method_ = ResizeMethod::bilinear;
  // Columns first, then rows; on the CPU and, with a CUDA context, on the device.
  std::vector<Tap> taps_;
  std::vector<Cover> covers_;
  DeviceBuffer<Tap> device_taps_;
  DeviceBuffer<Cover> device_covers_;
  std::uint16_t whole_x_ = 1, whole_y_ = 1;  // parts of a whole pixel
  double reciprocal_ = 1;                    // of all parts an output pixel has
  double half_ = 0;                          // of them, for rounding; see Resizer::make_area()
  std::vector<std::uint32_t> row_;           // scratch of the CPU's run()
};

}  // namespace kerb
