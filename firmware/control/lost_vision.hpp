// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "hal/base/clock.hpp"

namespace kerb {

/// Says when vision is lost for this process: the GPU worked, and has then failed on every frame of
/// every camera for `limit`. Some errors of CUDA stay until the process ends (of an illegal address
/// CUDA's reference says so), and no call tells these from others. Others end by themselves sooner:
/// each frame tries again.
///
/// A GPU that has not worked for kWorked yet is not given up: a fault that is there after every
/// start would end one process after another. Pure logic; one thread.
class LostVision {
 public:
  static constexpr Nanos kWorked = std::chrono::seconds{10};

  /// `limit` zero: never lost.
  explicit LostVision(Nanos limit) noexcept : limit_{limit} {}

  /// One round. `works`: a frame went through every stage since the last one, of any camera;
  /// `fails`: the GPU refused one. Neither: nothing is known.
  void step(Nanos now, bool works, bool fails) noexcept {
    if (works) {
      if (!working_since_) working_since_ = now;
      if (now - *working_since_ >= kWorked) worked_ = true;
      failing_since_.reset();
      lost_ = false;
    } else if (fails) {
      working_since_.reset();
      if (!failing_since_) failing_since_ = now;
      lost_ = limit_ > Nanos::zero() && worked_ && now - *failing_since_ >= limit_;
    }
  }
  [[nodiscard]] bool lost() const noexcept { return lost_; }

 private:
  Nanos limit_;
  std::optional<Nanos> working_since_, failing_since_;
  bool worked_ = false;  ///< for kWorked without a failure
  bool lost_ = false;
};

}  // namespace kerb
