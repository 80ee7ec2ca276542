// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "tools/kerblab/sim/batch.hpp"

namespace kerb::lab {

/// How often predicted contacts come true: predictions of each likelihood, and those after which
/// the car touched that person. Every picture's prediction about every track counts, down to a
/// likelihood of kLeast; who is tracked is known by their true place.
class Calibration {
 public:
  static constexpr int kBins = 10;
  static constexpr double kLeast = 0.02;
  struct Bin {
    std::int64_t predictions = 0, came_true = 0;
    double sum = 0;  ///< of their likelihoods
    [[nodiscard]] double mean() const noexcept {
      return predictions > 0 ? sum / static_cast<double>(predictions) : 0;
    }
    [[nodiscard]] double share() const noexcept {
      return predictions > 0 ? static_cast<double>(came_true) / static_cast<double>(predictions)
                             : 0;
    }
  };

  Calibration() = default;
  /// As it was counted before.
  explicit Calibration(const std::array<Bin, kBins>& bins) : bins_{bins} {}

  void add(const BatchRun& run);
  void add(double likelihood, bool came_true) noexcept;
  [[nodiscard]] const std::array<Bin, kBins>& bins() const noexcept { return bins_; }
  /// Mean distance between likelihood and share, weighed by the number of predictions.
  [[nodiscard]] double error() const noexcept;

 private:
  std::array<Bin, kBins> bins_{};
};

}  // namespace kerb::lab
