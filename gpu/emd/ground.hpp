// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "hal/base/result.hpp"

/// Earth Mover's Distance: the least work to turn one histogram into another, for a given ground
/// distance between their bins. The parts that all files share.
namespace kerb::emd {

inline constexpr int kMinBins = 2, kMaxBins = 16;
/// Of a histogram's bins together; each then fits into a byte.
inline constexpr int kMaxMass = 255;
/// Costs are whole numbers up to this, so that 255 of them fit into 31 bits.
inline constexpr std::int32_t kMaxCost = (1 << 23) - 1;

/// A histogram in whole numbers. Bins beyond those of its ground distance are 0, so that equal
/// histograms are equal bytes: the 16 bytes are its key.
struct alignas(16) Signature {
  std::array<std::uint8_t, kMaxBins> bins{};
};
static_assert(sizeof(Signature) == 16);

/// The kind of a ground distance, found from its costs.
enum class GroundKind : std::uint8_t {
  line,    ///< bins lie on a line: cost(i, j) is the sum of the steps between them, such as |i - j|
  circle,  ///< bins lie on a circle, one step apart: min(|i - j|, bins - |i - j|) steps
  flat,    ///< the same between any two different bins
  general
};
[[nodiscard]] const char* name_of(GroundKind kind) noexcept;

/// Costs of moving a unit of mass from bin i of a signature to bin j of a target, in whole numbers
/// of unit():
///   - whole numbers up to kMaxCost are taken as they are, unit 1;
///   - else, where all are multiples of the smallest positive one (to a millionth, such as float
///     multiples of 0.1), it is the unit;
///   - else the unit is the largest / kMaxCost, and each cost is rounded to the nearest multiple
///     (halves up): off by at most 6e-8 of the largest.
/// Any costs >= 0 do. They need not be a metric: without symmetry, zeros on the diagonal or the
/// triangle inequality the distance is still the least cost of moving the mass, but it need not
/// have those properties itself. is_metric() tells.
class Ground {
 public:
  /// `costs`: bins x bins, row i is from bin i of the signature. Fails: invalid_argument (number of
  /// bins, number of costs, a cost that is negative, infinite or not a number).
  static Result<Ground> create(int bins, const float* costs, std::size_t count);
  /// |i - j|. Fails: invalid_argument (number of bins).
  static Result<Ground> line(int bins);
  /// min(|i - j|, bins - |i - j|). Fails: invalid_argument (number of bins).
  static Result<Ground> circle(int bins);

  [[nodiscard]] int bins() const noexcept { return bins_; }
  [[nodiscard]] std::int32_t cost(int i, int j) const noexcept { return costs_[place(i, j)]; }
  /// Rows of kMaxBins; 0 beyond the bins.
  [[nodiscard]] const std::int32_t* costs() const noexcept { return costs_.data(); }
  [[nodiscard]] std::int32_t largest() const noexcept { return largest_; }
  [[nodiscard]] double unit() const noexcept { return unit_; }
  [[nodiscard]] GroundKind kind() const noexcept { return kind_; }
  /// Zero exactly on the diagonal, symmetric, and no detour is cheaper; of the whole numbers.
  [[nodiscard]] bool is_metric() const noexcept { return is_metric_; }

 private:
  [[nodiscard]] static std::size_t place(int i, int j) noexcept {
    return static_cast<std::size_t>(i) * kMaxBins + static_cast<std::size_t>(j);
  }

  int bins_ = 0;
  std::array<std::int32_t, kMaxBins * kMaxBins> costs_{};
  std::int32_t largest_ = 0;
  double unit_ = 1;
  GroundKind kind_ = GroundKind::general;
  bool is_metric_ = false;
};

}  // namespace kerb::emd
