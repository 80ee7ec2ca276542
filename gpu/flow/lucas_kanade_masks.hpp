// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <vector>

#include "gpu/flow/lucas_kanade_plan.hpp"
#include "gpu/memory/workers.hpp"

/// Where on each level a mask needs anything, on the CPU. For gpu/flow alone.
namespace kerb::flow::lk {

/// The wanted pixels of the picture, as cells of kCell x kCell that hold any.
class WantedCells {
 public:
  WantedCells(int width, int height);

  void take(Workers& workers, const Mask<Space::host>& mask);
  void clear() noexcept;
  /// By any thread. Others may see it once this one is done.
  void want(int x, int y) noexcept {
    cells_[index(x / kCell, y / kCell)].store(1, std::memory_order_relaxed);
  }

  [[nodiscard]] bool has(int column, int row) const noexcept {
    return cells_[index(column, row)].load(std::memory_order_relaxed) != 0;
  }

  /// The part of a level's tile that holds all its pixels within `radius` (pixels of the level) of
  /// a wanted one. Empty where there is none.
  [[nodiscard]] Rect near(const Rect& tile, int radius, int shift) const noexcept;
  /// What holds all wanted pixels. Empty where there is none.
  [[nodiscard]] Rect box() const noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept { return cells_.size(); }

 private:
  [[nodiscard]] std::size_t index(int column, int row) const noexcept {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
           static_cast<std::size_t>(column);
  }
  /// The wanted cells of a range, in pixels of the picture.
  [[nodiscard]] Rect box_in(const CellRange& range) const noexcept;

  int width_, height_, columns_, rows_;
  std::vector<std::atomic<std::uint8_t>> cells_;
};

/// Which samples of each level of both pictures vectors near `wanted` (pixels of the picture) may
/// read, the way back included. `parts` has one for each level.
void find_parts(const Plan& plan, const Rect& wanted, bool check_back,
                std::vector<Rect> (&parts)[2]);

}  // namespace kerb::flow::lk
