// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <utility>

#include "hal/motion.hpp"

namespace kerb {

/// Gives whatever motion it is told to.
class FakeFlowEstimator final : public FlowEstimator {
 public:
  Status estimate(const PreparedImage&, int points, MotionField& out) override {
    ++calls;
    asked = points;
    out.count = 0;
    out.has_previous = std::exchange(has_previous_, true);
    if (fail_next) {
      has_previous_ = false;
      return *std::exchange(fail_next, std::nullopt);
    }
    if (!out.has_previous) return Done{};
    if (scene) scene(out);
    out.count = std::min({out.count, points, MotionField::kCapacity});
    return Done{};
  }
  void look_closer(const Detection* boxes, int count, int points, MotionField& out) override {
    ++closer_calls;
    closer_boxes = count;
    closer_asked = points;
    const int before = out.count;
    if (out.has_previous && closer) closer(boxes, count, out);
    out.count = std::clamp(out.count, before,
                           std::min(MotionField::kCapacity, before + std::max(count * points, 0)));
  }
  void forget() noexcept override {
    ++forgotten;
    has_previous_ = false;
  }
  [[nodiscard]] const char* name() const noexcept override { return "fake"; }

  std::function<void(MotionField&)> scene;  ///< fills items and count; none: no motion anywhere
  /// Appends what is asked for of the boxes; none: there is nothing more to give.
  std::function<void(const Detection*, int, MotionField&)> closer;
  std::optional<Error> fail_next;           ///< the next call fails with this, once
  std::atomic<int> calls{0}, forgotten{0};  ///< a test may look while a pipeline works
  std::atomic<int> asked{0};                ///< points, of the last call
  std::atomic<int> closer_calls{0}, closer_boxes{0}, closer_asked{0};  ///< of look_closer()

 private:
  bool has_previous_ = false;
};

}  // namespace kerb
