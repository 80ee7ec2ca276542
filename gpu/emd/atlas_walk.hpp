// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/emd/atlas.hpp"

namespace kerb::emd {

/// Start trees of walks: each coarse kind of signature has the tree where the last walk of its kind
/// ended. Kinds are the trees' names themselves: the mass up to each bin in (bins - 1)ths of the
/// whole, rounded, which is also a fair first guess. Any start is correct; a near one is faster.
/// Several threads may read and write: every value there is a valid tree.
class WalkStarts {
 public:
  WalkStarts(int bins, std::uint32_t trees, int mass);
  [[nodiscard]] std::uint32_t kind(const Signature& signature) const noexcept;
  [[nodiscard]] std::uint32_t tree(std::uint32_t kind) const noexcept {
    return trees_[kind].load(std::memory_order_relaxed);
  }
  void remember(std::uint32_t kind, std::uint32_t tree) noexcept {
    trees_[kind].store(tree, std::memory_order_relaxed);
  }
  void forget() noexcept;
  /// For a mass up to a bin, 0..mass: how many (bins - 1)ths.
  [[nodiscard]] static std::uint8_t parts(int upto, int bins, int mass) noexcept {
    return static_cast<std::uint8_t>((2 * upto * (bins - 1) + mass) / (2 * mass));
  }

 private:
  int bins_;
  std::uint32_t count_;
  std::array<std::uint8_t, kMaxMass + 1> parts_{};
  std::unique_ptr<std::atomic<std::uint32_t>[]> trees_;
};

/// A target's data for walks: the mass of every set of its bins.
class TargetSums {
 public:
  TargetSums(int bins, const Signature& target);
  /// Of another target with as many bins; allocates nothing.
  void set(const Signature& target) noexcept;
  [[nodiscard]] const std::uint16_t* data() const noexcept { return sums_.data(); }

 private:
  std::vector<std::uint16_t> sums_;
};

/// Solves `count` problems on the CPU: signature list[k] of `signatures` (or k itself, without a
/// list) to the target, its cost into out[list[k]]. All have the mass `starts` and `target` were
/// made for. Exact. Allocates nothing. `steps`, when given, is increased by the steps walked.
void walk(const Atlas& atlas, const Ground& ground, const TargetSums& target, WalkStarts& starts,
          const Signature* signatures, const std::uint32_t* list, std::size_t count,
          std::uint32_t* out, std::uint64_t* steps = nullptr) noexcept;

}  // namespace kerb::emd
