// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "gpu/flow/block_matching_math.hpp"
#include "gpu/flow/block_matching_plan.hpp"

/// Block matching on the CPU: what its parts share. Each part is a source of its own:
///   block_matching_levels.cpp   pictures smoothed, halved, summed
///   block_matching_masks.cpp    which blocks a mask needs
///   block_matching_match.cpp    the best shift of each block, refined
///   block_matching_spread.cpp   medians of blocks, and from blocks to pixels
///   block_matching_cpu.cpp      the frame
/// For gpu/flow alone.
namespace kerb::flow::bm {

using Byte = std::uint8_t;
inline constexpr int kRowsPerTask = 16;      // of pixels
inline constexpr int kBlockRowsPerTask = 4;  // of blocks

inline std::size_t index(int n) { return static_cast<std::size_t>(n); }
inline int tasks_for(int rows, int each) { return (rows + each - 1) / each; }
/// Of a row of bytes that say which blocks are needed.
inline bool any(const Byte* from, std::size_t count) {
  return std::any_of(from, from + count, [](Byte b) { return b != 0; });
}

/// A level of one picture, rim included, with `first` at pixel (0, 0).
struct Plane {
  Byte* first;
  std::ptrdiff_t stride;
  int width, height;
  [[nodiscard]] Byte* row(int y) const { return first + y * stride; }
};

/// Places of blocks, counted from kFirst.
struct Places {
  int left, top, right, bottom;
};

/// Made once for a picture size, and holds all its memory.
class OnCpu final : public Estimator {
 public:
  OnCpu(Workers& workers, Plan plan);

  using Estimator::run;
  Status run(const Picture<Space::host>& previous, const Picture<Space::host>& next,
             const Mask<Space::host>& mask, const FieldView<Space::host>& out) override;
  Status run(const Picture<Space::device>& previous, const Picture<Space::device>& next,
             const Mask<Space::device>& mask, const FieldView<Space::device>& out) override;
  [[nodiscard]] const char* name() const noexcept override { return "bm"; }
  [[nodiscard]] Backend backend() const noexcept override { return Backend::cpu; }
  [[nodiscard]] std::size_t bytes() const noexcept override;

 private:
  [[nodiscard]] Plane plane(int picture, const Level& level) {
    return {pictures_[picture].data() + level.image, level.row_stride, level.width, level.height};
  }
  [[nodiscard]] std::int32_t* scratch(int worker, int row) {
    return scratch_.data() + scratch_row_ * (4 * index(worker) + index(row));
  }

  /// From the wanted pixels up through the levels: the blocks whose vectors they come from.
  void find_needed(const Mask<Space::host>& mask);
  void make_pictures(const Picture<Space::host>& previous, const Picture<Space::host>& next);
  void sum_places(int level);  // NCC's sums and deviations
  void match(int level);
  template <Cost C>
  void match_level(int level);
  template <Cost C>
  void match_block(int level, int column, int row);
  void median(int level);
  void spread(const Mask<Space::host>& mask, const FieldView<Space::host>& out);
  using Cell = float[kCell][kCell];
  void vectors_of_cell(int column, int row, Cell& u, Cell& v) const;
  void spread_cell(int column, int row, const Mask<Space::host>& mask,
                   const FieldView<Space::host>& out);

  Workers& workers_;
  Plan plan_;
  std::vector<Byte> pictures_[2];
  std::vector<Sums> sums_;
  std::vector<float> raw_u_, raw_v_, u_, v_;  // of blocks: before and after the median
  std::vector<float> correlation_;
  std::vector<std::int32_t> parts_x_, parts_y_;  // u_ and v_ of the picture itself, in 1 / kParts
  std::vector<Byte> poor_, quality_;
  bool masked_ = false;
  std::vector<Places> places_;  // with a mask: of each level's sums
  std::vector<Byte> need_raw_, need_, need_scratch_;
  std::vector<std::int32_t> scratch_;
  std::size_t scratch_row_ = 0;
};

}  // namespace kerb::flow::bm
