// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "gpu/flow/flow.hpp"
#include "gpu/memory/workers.hpp"

namespace kerb::flow {

/// A place in a picture: pixel centres are whole numbers.
struct Point {
  float x = 0, y = 0;
};
/// Where a point of the first picture is in the second.
struct TrackedPoint {
  float x = 0, y = 0;
  std::uint8_t quality = 0;  ///< 0..255, as in a FieldView
  std::uint8_t flags = 0;    ///< as in a FieldView
  std::uint8_t unused[2] = {0, 0};
};

/// Pyramidal Lucas-Kanade at given points: a window around each, weighted towards its middle, is
/// moved level by level until it fits. A change of brightness between the windows has no effect.
struct PointTrackerSettings {
  PyramidSettings pyramid{0, 12};
  int radius = 7;      ///< of the window: 2 * radius + 1 pixels a side; 2..10
  int iterations = 8;  ///< at most, a level; 1..64
  /// A smaller eigenvalue of the window's mean gradient tensor below this, in (grey values /
  /// pixel)^2, is kTexturePoor; 0..10000
  float texture = 2.0F;
  bool check_back = false;  ///< as LucasKanadeSettings
  float back_tolerance = 1.0F;
};
/// Fails: invalid_argument, naming the first setting out of its range.
Status validate(const PointTrackerSettings& settings);

/// From the previous picture to the newest, or the reverse.
enum class Way : std::uint8_t { forward, backward };

/// A point tracker made once for one picture size and a number of points, on one backend. Keeps the
/// pyramids of two pictures, so that in a sequence each is made once. Owns all memory it needs;
/// nothing here allocates. One thread at a time. All backends give the same, bit for bit; equal
/// pictures leave every point exactly where it was.
class PointTracker {
 public:
  PointTracker() = default;
  PointTracker(const PointTracker&) = delete;
  PointTracker& operator=(const PointTracker&) = delete;
  virtual ~PointTracker() = default;

  /// The next picture, in host memory, which may be used again on return; the one given before is
  /// then its previous. Fails: invalid_argument (size, memory), device.
  virtual Status advance(const Picture<Space::host>& picture) = 0;
  /// ... in device memory; queued on the context's stream. Fails: as above; unsupported on the CPU.
  virtual Status advance(const Picture<Space::device>& picture) = 0;
  /// Points of one of the two newest pictures in the other; done on return. May be asked again.
  /// Points outside the picture stay where they are, with quality 0 and kOutOfView. Fails:
  /// invalid_argument (no two pictures yet, memory, more points than it was made for), device.
  virtual Status track(Way way, const Point* points, int count, TrackedPoint* out) = 0;

  /// Both pictures and their points at once: advance(), advance() and track().
  template <Space S>
  Status run(const Picture<S>& previous, const Picture<S>& next, const Point* points, int count,
             TrackedPoint* out) {
    if (Status ok = advance(previous); !ok) return ok;
    if (Status ok = advance(next); !ok) return ok;
    return track(Way::forward, points, count, out);
  }
  [[nodiscard]] virtual Backend backend() const noexcept = 0;
  [[nodiscard]] virtual std::size_t bytes() const noexcept = 0;  ///< memory held, both spaces
};

/// The tracker for the context's backend. The context, and on the CPU the workers, must outlive it.
/// Fails: invalid_argument (size, settings, max_points not within 1..1000000), io or device (no
/// memory).
Result<std::unique_ptr<PointTracker>> make_point_tracker(const Context& context, Workers& workers,
                                                         const PointTrackerSettings& settings,
                                                         int width, int height, int max_points);

/// What make_point_tracker() chooses from. For gpu/flow and its tests.
Result<std::unique_ptr<PointTracker>> make_point_tracker_cpu(Workers& workers,
                                                             const PointTrackerSettings& settings,
                                                             int width, int height, int max_points);
Result<std::unique_ptr<PointTracker>> make_point_tracker_cuda(const Context& context,
                                                              const PointTrackerSettings& settings,
                                                              int width, int height,
                                                              int max_points);

}  // namespace kerb::flow
