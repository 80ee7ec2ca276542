// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <utility>

#include "hal/motion.hpp"

namespace kerb {

/// Gives the motion that a test sets.
class FakeFlowEstimator final : public FlowEstimator {
 public:
  Status estimate(const PreparedImage&, int points, MotionField& out) override {
    ++calls;
    if (at_call) at_call();
    asked = points;
    out.count = 0;
    out.has_previous = std::exchange(has_previous_, true);
    if (fail_next) {
      has_previous_ = false;
      return *std::exchange(fail_next, std::nullopt);
    }
    if (!out.has_previous) return Done{};
    if (scene) scene(out);
    out.count = std::min({out.count, points, MotionField::kMostSpread});
    return Done{};
  }
  /// `closer` vectors in the middle of each box, as long as there is room.
  void add_points_within(const Detection* boxes, int count, int points, MotionField& out) override {
    ++closer_calls;
    closer_boxes = count;
    closer_asked = points;
    if (!out.has_previous) return;
    for (int i = 0; i < count; ++i)
      for (int k = 0; k < std::min(closer, points) && out.count < MotionField::kCapacity; ++k) {
        const Detection& b = boxes[i];
        out.items[out.count++] = {b.x + b.w * (0.4F + 0.2F * static_cast<float>(k % 5) / 5),
                                  b.y + b.h * (0.2F + 0.4F * static_cast<float>(k) / 40), closer_dx,
                                  0, 1};
      }
  }
  void forget() noexcept override {
    ++forgotten;
    has_previous_ = false;
  }
  [[nodiscard]] const char* name() const noexcept override { return "fake"; }

  std::function<void(MotionField&)> scene;  ///< fills items and count; none: no motion anywhere
  std::function<void()> at_call;            ///< when estimate() begins
  std::optional<Error> fail_next;           ///< the next call fails with this, once
  std::atomic<int> calls{0}, forgotten{0};  ///< a test may read them while a pipeline runs
  std::atomic<int> asked{0};                ///< points requested by the last call
  int closer = 0;                           ///< vectors that add_points_within() gives for a box
  float closer_dx = 0;                      ///< and their motion
  std::atomic<int> closer_calls{0}, closer_boxes{0}, closer_asked{0};

 private:
  bool has_previous_ = false;
};

}  // namespace kerb
