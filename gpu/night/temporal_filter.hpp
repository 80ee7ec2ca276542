// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "gpu/memory/buffer.hpp"
#include "gpu/memory/context.hpp"
#include "gpu/memory/stream.hpp"
#include "gpu/memory/workers.hpp"
#include "hal/base/result.hpp"
#include "hal/base/view.hpp"
#include "hal/motion.hpp"

namespace kerb::night {

struct TemporalFilterSettings {
  // The camera's noise: the variance of a sample is noise_floor + noise_slope * signal, in grey
  // values squared, and at least 0.25. Higher: more is taken for noise, and smoothed. The slope of
  // a linear sensor is positive; a camera's tone curve (gamma) makes it negative.
  double noise_floor = 6;     ///< 0.01..10000
  double noise_slope = 0.05;  ///< -100..100
  /// Weight of the past where it agrees, 0..0.95. Noise of what stands still falls to
  /// sqrt((1 - strength) / (1 + strength)). Higher: smoother, and slower to forget.
  double strength = 0.8;
  // The square of the mean absolute difference, in variances: up to `agrees` the past has its full
  // weight, from `differs` on none. Noise alone gives 0.64 to 1.27.
  double agrees = 1.6;   ///< 0..100
  double differs = 3.2;  ///< more than `agrees`, up to 1000
};
/// Fails: invalid_argument, naming the first setting out of its range.
Status validate(const TemporalFilterSettings& settings);

/// Smooths the noise of a film: each pixel is averaged with the previous smoothed picture at the
/// place where the optical flow says it was, the less the more the two differ. So moving people
/// leave no trail: where nothing fits, the new picture stays as it is. The same on both backends,
/// bit for bit; temporal_filter_math.hpp has the arithmetic. For each picture:
///   exposure  where the median ratio of the means of blocks of 16 x 16 pixels in the middle plane,
///             new to old, is 1.5 % or more from 1 (up to 4, down to 1/4), the past is multiplied
///             by it
///   shift     of each block, to its place in the past: of no motion, the block's previous shift,
///             and those of motion vectors that lead near, the one with the smallest sum of
///             absolute differences (whole pixels, in the middle plane) to the past
///   past      there, between pixels by Catmull-Rom, in 16ths of a pixel; in 64ths of a grey value
///   weight    by the mean absolute difference of all planes over 5 x 5 pixels, squared, relative
///             to the noise's variance at the past's grey value
///   result    past + (new - past) * (1 - weight), kept in 64ths and given in whole grey values
/// The first picture, and one of which more than half of the blocks fit nowhere (a cut), replace
/// the past. Without motion vectors (none measured, flow off) the shifts are no motion or the
/// previous ones.
///
/// Made once for one size; run() allocates nothing. One thread at a time.
class TemporalFilter {
 public:
  /// A CUDA context makes it for the GPU alone, another for the CPU alone. Fails: invalid_argument
  /// (size, planes, settings), device or io (no memory).
  static Result<TemporalFilter> create(const Context& context,
                                       const TemporalFilterSettings& settings, int width,
                                       int height, int planes);

  /// Done on return.
  ///   in, out  of the size and planes it was made for, not overlapping
  ///   motion   from the picture of the previous call to this one; null: not measured
  ///   fails    invalid_argument (the above), unsupported (made with a CUDA context)
  Status run(Workers& workers, const PlanesView<Space::host, const std::uint8_t>& in,
             const MotionField* motion, const PlanesView<Space::host, std::uint8_t>& out);
  /// The same on the GPU: queues launches and returns. The stream must have passed one call before
  /// the next. Fails: as above; device (a launch was refused), unsupported (made with a CPU
  /// context).
  Status run(StreamRef stream, const PlanesView<Space::device, const std::uint8_t>& in,
             const MotionField* motion, const PlanesView<Space::device, std::uint8_t>& out);
  /// The next picture is a first one: a gap in time, another camera.
  void forget() noexcept { has_past_ = false; }

  /// What the last picture on the CPU met.
  struct Facts {
    bool kept = false;  ///< there was a past, and no cut
    int gain = 256;     ///< of the exposure, in 256ths; 256: none
    int unfit = 0;      ///< blocks that fit nowhere
    int blocks = 0;     ///< of the picture
  };
  [[nodiscard]] const Facts& last() const noexcept { return facts_; }

  /// From a place to where it was in the past, in 16ths of a pixel.
  struct Shift {
    std::int16_t x = 0, y = 0;
  };
  /// Shifts by the motion vectors that lead into a square of 32 x 32 pixels: the most trusted, and
  /// the most trusted of those that differ from it by more than a pixel.
  struct Bin {
    Shift shifts[2];
    std::int32_t count = 0;
  };
  /// Sizes and settings, as both backends read them.
  struct Plan {
    int width = 0, height = 0, planes = 0;
    int columns = 0, rows = 0;          ///< of blocks
    int bin_columns = 0, bin_rows = 0;  ///< of bins
    float noise_floor = 0, noise_slope = 0;
    float differs = 0, full = 0, fade = 0;       ///< weight = min(full, (differs - ratio) * fade)
    float difference_unit = 0, signal_unit = 0;  ///< of sums over pixels and planes
  };

 private:
  TemporalFilter() = default;
  Status allocate(const Context& context);
  [[nodiscard]] std::size_t pixels() const noexcept {
    return static_cast<std::size_t>(plan_.width) * static_cast<std::size_t>(plan_.height);
  }
  void fill_bins(const MotionField* motion, Bin* bins);
  // The steps of a picture on the CPU; `now_` is the side that is written.
  void measure_exposure(Workers& workers, const PlanesView<Space::host, const std::uint8_t>& in);
  void apply_gain(Workers& workers, int gain);
  void match(Workers& workers, const PlanesView<Space::host, const std::uint8_t>& in);
  void shift_past(Workers& workers, const PlanesView<Space::host, const std::uint8_t>& in);
  void blend(Workers& workers, const PlanesView<Space::host, const std::uint8_t>& in,
             const PlanesView<Space::host, std::uint8_t>& out);

  Plan plan_;
  bool on_device_ = false, has_past_ = false;
  int now_ = 0;  // which of each pair is the newest picture's
  Facts facts_;
  std::vector<float> qualities_;  // of the bins' shifts, while they are filled

  // Of the CPU.
  std::vector<Bin> bins_;
  std::array<std::vector<std::uint16_t>, 2> past_;   // planes, 64ths of a grey value
  std::array<std::vector<std::uint8_t>, 2> middle_;  // the middle plane, rounded
  std::array<std::vector<std::uint32_t>, 2> sums_;   // of the unsmoothed blocks
  std::array<std::vector<Shift>, 2> shifts_;
  std::vector<std::uint16_t> differences_;
  std::vector<std::uint8_t> fits_;     // of each block
  std::vector<std::uint32_t> ratios_;  // a histogram

  // Of the GPU; pairs one behind the other.
  DualBuffer<Bin> bins_there_;
  DeviceBuffer<std::uint16_t> past_there_, differences_there_;
  DeviceBuffer<std::uint8_t> middle_there_;
  DeviceBuffer<std::uint32_t> sums_there_, counters_there_;
  DeviceBuffer<Shift> shifts_there_;
};

}  // namespace kerb::night
