// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "firmware/types/limited_view.hpp"
#include "firmware/types/view.hpp"
#include "hal/base/clock.hpp"

namespace kerb {

/// The way from a person coming into view to standing before them, metres.
[[nodiscard]] double stopping_distance_m(double speed_mps,
                                         const LimitedViewSettings& settings) noexcept;

/// Decides whether the driver is told of a limited view, each control round. It begins when the
/// view has been shorter than the stopping distance for kBegin, and ends when it has been longer by
/// a margin (a fifth, or the standard deviation of the view) for kEnd. A view that is nearly as far
/// as the camera sees in clear daylight (kClearShare) is never limited, however fast the car is:
/// that it does not see farther is no news. Pure logic apart from that memory; one thread.
class LimitedViewJudge {
 public:
  static constexpr Nanos kBegin = std::chrono::milliseconds{500};
  static constexpr Nanos kEnd = std::chrono::milliseconds{2000};
  static constexpr double kClearShare = 0.8, kClearShareEnd = 0.85;
  static constexpr double kMargin = 0.2;  ///< of the stopping distance

  explicit LimitedViewJudge(const LimitedViewSettings& settings = {}) noexcept
      : settings_{settings} {}
  /// `view`: of the camera that sees farthest ahead; nothing: not known, then it is not limited.
  bool step(Nanos now, const std::optional<ViewReport>& view,
            const std::optional<double>& speed_mps) noexcept;

 private:
  LimitedViewSettings settings_;
  bool limited_ = false;
  std::optional<Nanos> changing_since_;  // the opposite has held
};

}  // namespace kerb
