// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hal/base/result.hpp"
#include "hal/vision.hpp"

namespace kerb {

/// One measured motion, in pixels: what was at (x, y) in the frame before is at (x + dx, y + dy)
/// now.
struct FlowVector {
  float x = 0, y = 0, dx = 0, dy = 0;
  /// How far to trust it: 1 a clear corner followed well, towards 0 a guess. Whoever fits to it
  /// takes its variance as 1 / quality of that of a clear corner.
  float quality = 1;
};

/// The motion between two frames at chosen points: room for a fixed number, so that the frame loop
/// allocates nothing.
struct MotionField {
  static constexpr int kCapacity = 2048;
  int count = 0;
  bool has_previous = false;  ///< false: there was no frame before to compare with; count is 0
  FlowVector items[kCapacity];
};

/// Measures the motion from each picture to the next. Keeps what it needs of the one before. One
/// thread at a time; allocates only when made.
class FlowEstimator {
 public:
  virtual ~FlowEstimator() = default;
  /// The motion since the image of the call before, at `points` places at most (and no more than
  /// kCapacity), spread over the picture, unreliable ones left out. Fails: invalid_argument (size),
  /// device; the next call then has no previous.
  virtual Status estimate(const PreparedImage& image, int points, MotionField& out) = 0;
  /// More vectors of the same two pictures, for things that need them denser: up to `points` for
  /// each box of the newest picture that holds few, appended to `out` as long as there is room.
  /// After an estimate() that had a previous; the default has none to give.
  virtual void look_closer(const Detection* boxes, int count, int points, MotionField& out) {
    static_cast<void>(boxes);
    static_cast<void>(count);
    static_cast<void>(points);
    static_cast<void>(out);
  }
  /// The next image has no previous: a gap in time, another camera.
  virtual void forget() noexcept = 0;
  [[nodiscard]] virtual const char* name() const noexcept = 0;
};

}  // namespace kerb
