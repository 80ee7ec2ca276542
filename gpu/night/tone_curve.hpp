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

namespace kerb::night {

struct ToneCurveSettings {
  /// Grey value that the mean of a dark picture is raised to, 1..200. A picture whose mean is that
  /// or more stays as it is, bit for bit. Higher: more contrast in the dark, more noise.
  int target = 64;
  double max_gain = 4;   ///< of the darkest values, 1..16: limits how far noise is amplified
  double local = 0.5;    ///< share of the local curve, 0..1; 0: one curve for the whole picture
  double max_slope = 3;  ///< of the local curve, 1..16: limits how far noise is amplified
};
/// Fails: invalid_argument, naming the first setting out of its range.
Status validate(const ToneCurveSettings& settings);

/// Brightens dark pictures, so that a detector trained by day sees contrast. Integer arithmetic,
/// the same on both backends bit for bit. A picture is one plane (grey) or three (R, G, B), and
///   Y           the plane, or (77 R + 150 G + 29 B + 128) >> 8
///   mean        of min(Y, 128), in 256ths, over every second pixel of every second row: lamps
///               count little
///   k           (max_gain - 1) at most, else what raises the mean to the target by
///   global(i)   = 255 i (1 + k) / (255 + k i), a slope of 1 + k in the dark; k = 0 is no change
///   local(i)    of each of 8 x 6 tiles: its histogram (of the same pixels), clipped where the
///               curve would be steeper than max_slope, what was clipped spread over all values,
///               summed up
///   curve(i)    = max(i, global(i) + share * (local(i) - global(i))), with share = `local`, less
///               where k is under 1; nothing becomes darker
/// A pixel's gain is curve(Y) / Y, between the four nearest tiles, and every plane of it is
/// multiplied by that: hues stay. tone_curve_math.hpp has the rounding.
///
/// Made once for one size; run() allocates nothing. One thread at a time.
class ToneCurve {
 public:
  static constexpr int kColumns = 8, kRows = 6;  ///< of tiles

  /// Fails: invalid_argument (size, planes, settings), device (no memory).
  static Result<ToneCurve> create(const Context& context, const ToneCurveSettings& settings,
                                  int width, int height, int planes);

  /// Done on return. False: bright enough, and `out` was not written: use `in`.
  ///   in, out  of the size and planes it was made for, not overlapping
  ///   fails    invalid_argument (the above), unsupported (made with a CUDA context)
  Result<bool> run(Workers& workers, const PlanesView<Space::host, const std::uint8_t>& in,
                   const PlanesView<Space::host, std::uint8_t>& out);
  /// Queues four launches and returns at once. `out` is always written; where the picture is bright
  /// enough it is a copy. Fails: as above; device (a launch was refused), unsupported (made with a
  /// CPU context).
  Status run(StreamRef stream, const PlanesView<Space::device, const std::uint8_t>& in,
             const PlanesView<Space::device, std::uint8_t>& out);

  /// Gain of the darkest values in the last picture on the CPU, in 256ths: 256 is none.
  [[nodiscard]] int last_gain() const noexcept { return last_gain_; }

  /// The settings in whole numbers, as both backends read them.
  struct Fixed {
    int target = 0;
    std::uint32_t max_k = 0;      ///< 256ths
    std::uint32_t share = 0;      ///< 256ths
    std::uint32_t max_slope = 0;  ///< 256ths
    int width = 0, height = 0, planes = 0;
  };
  /// Between which two tiles a column (or row) lies: `first` and the next, so many 256ths on.
  struct Between {
    std::uint16_t first = 0, weight = 0;
  };

 private:
  ToneCurve() = default;
  /// Of the histograms; k of the global curve, and the gains of each tile (of one for all, where
  /// the share of the local curve is 0).
  std::uint32_t make_gains();

  Fixed fixed_;
  bool on_device_ = false;
  int last_gain_ = 256;
  std::vector<Between> columns_, rows_;    // of each pixel
  std::vector<std::uint32_t> histograms_;  // 256 for each tile
  std::vector<std::uint16_t> gains_;       // 256 for each tile; without a local share, of the first
  DeviceBuffer<Between> device_columns_, device_rows_;
  DeviceBuffer<std::uint32_t> device_histograms_;
  DeviceBuffer<std::uint16_t> device_gains_;
};

}  // namespace kerb::night
