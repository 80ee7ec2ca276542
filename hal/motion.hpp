// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hal/base/result.hpp"
#include "hal/vision.hpp"

namespace kerb {

/// One measured motion, in pixels: a point at (x, y) in the previous frame is at (x + dx, y + dy)
/// now.
struct FlowVector {
  float x = 0, y = 0, dx = 0, dy = 0;
  /// 1: a clear corner, well tracked; towards 0: a guess. In a fit, its variance is that of a clear
  /// corner divided by quality.
  float quality = 1;
};

/// The motion between two frames at chosen points: room for a fixed number, so that the frame loop
/// allocates nothing.
struct MotionField {
  /// Enough for the default 1200 of the picture and 40 in each of 64 boxes.
  static constexpr int kCapacity = 4096;
  static constexpr int kMostSpread = 2048;  ///< of one estimate(): the rest is for boxes
  int count = 0;
  bool has_previous = false;  ///< false: there was no previous frame; count is 0
  FlowVector items[kCapacity];
};

/// Measures the motion from each picture to the next. Keeps what it needs of the previous one. One
/// thread at a time; allocates only when constructed.
class FlowEstimator {
 public:
  virtual ~FlowEstimator() = default;
  /// The motion since the image of the previous call, at `points` places at most (and no more than
  /// kMostSpread), spread over the picture, without unreliable ones. Fails: invalid_argument
  /// (size), device; the next call then has no previous image.
  virtual Status estimate(const PreparedImage& image, int points, MotionField& out) = 0;
  /// More vectors of the same two pictures, where they are needed denser: up to `points` for each
  /// box of the newest picture that holds fewer, appended to `out` as long as there is room, and
  /// none twice. After an estimate() that had a previous image; the default adds none.
  virtual void add_points_within(const Detection* boxes, int count, int points, MotionField& out) {
    static_cast<void>(boxes);
    static_cast<void>(count);
    static_cast<void>(points);
    static_cast<void>(out);
  }
  /// The next image has no previous one: a gap in time, another camera.
  virtual void forget() noexcept = 0;
  [[nodiscard]] virtual const char* name() const noexcept = 0;
};

}  // namespace kerb
