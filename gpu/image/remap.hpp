// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/memory/buffer.hpp"
#include "gpu/memory/context.hpp"
#include "gpu/memory/stream.hpp"
#include "gpu/memory/workers.hpp"
#include "hal/base/result.hpp"
#include "hal/base/view.hpp"

namespace kerb {

/// Resamples a picture by a table that gives, for each output pixel, its place in the input:
/// another lens, another direction of view. Interpolates between the four nearest pixels, in steps
/// of 1/256:
///   out = (sum of weight_x * weight_y * in + 32768) >> 16
/// Integer results, the same on both backends bit for bit. Made once for a table; run() allocates
/// nothing. Where the table shrinks the picture, pixels are skipped: there is no smoothing.
class Remapper {
 public:
  struct Size {
    int width = 0, height = 0;
  };
  struct Place {
    float x = 0, y = 0;  ///< the middle of the upper left pixel is (0, 0)
  };
  /// `from`: for each pixel of `out`, row by row. What lies outside shows the nearest edge. With a
  /// CUDA context for both backends, else for the CPU alone. Fails: invalid_argument (sides of `in`
  /// not within 2..65535, of `out` not within 1..65535, a table of another size or with a place
  /// that is no number), device (no memory).
  static Result<Remapper> create(const Context& context, Size in, Size out,
                                 const std::vector<Place>& from);

  /// Queues one launch and returns at once. Every plane alike.
  ///   in, out  as many planes, of the sizes it was made for, not overlapping; what lies beyond a
  ///            row's width stays as it is
  ///   fails    invalid_argument (the above), device (the launch was refused), unsupported (made
  ///            with a CPU context)
  Status run(StreamRef stream, const PlanesView<Space::device, const std::uint8_t>& in,
             const PlanesView<Space::device, std::uint8_t>& out) const;
  /// The same contract on the CPU, done on return: the definition.
  Status run(Workers& workers, const PlanesView<Space::host, const std::uint8_t>& in,
             const PlanesView<Space::host, std::uint8_t>& out) const;

  /// One pixel's place: between (x, y) and (x + 1, y + 1), so many 256ths of the way.
  struct Tap {
    std::uint16_t x = 0, y = 0, weight_x = 0, weight_y = 0;
  };

 private:
  Remapper() = default;
  template <Space S>
  [[nodiscard]] Status check(const PlanesView<S, const std::uint8_t>& in,
                             const PlanesView<S, std::uint8_t>& out) const;

  Size in_, out_;
  std::vector<Tap> taps_;
  DeviceBuffer<Tap> device_taps_;
};

}  // namespace kerb
