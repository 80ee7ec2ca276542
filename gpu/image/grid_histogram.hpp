// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/image/levels.hpp"

namespace kerb {

/// The channels that are summed, and the grid of the sums.
///
/// A pixel gives its gradient's magnitude in eighths to the channel of its direction's bin
/// (gradient_math.hpp), the same to channel `bins` if `magnitude`, and with `colour` its three
/// samples to the three channels after that. With three planes the gradient is that of the plane
/// where it is largest (squared norm; the first of equals).
struct GridSettings {
  int grid = 4;  ///< pixels; 1, 2 or 4
  int bins = 9;  ///< 9 or 6
  bool half_shifted = false, magnitude = false;
  bool colour = false;  ///< three planes, and their sums

  [[nodiscard]] int channels() const noexcept {
    return bins + (magnitude ? 1 : 0) + (colour ? 3 : 0);
  }
  [[nodiscard]] int planes() const noexcept { return colour ? 3 : 1; }
};

/// Integral histograms on a grid: node (i, j) of a level holds, for each channel, the sum over all
/// pixels with x < i * grid and y < j * grid of the level's area. Unsigned 32-bit, wrapping around:
/// the sum over a rectangle between nodes is exact as long as it fits 32 bits, however large the
/// picture. Columns and rows beyond the last whole cell are ignored. The same on both backends.
namespace cpu {

struct GradientRow;  // and what packs one: pack_gradients.hpp
using PackGradients = void (*)(const GradientRow& row, std::uint16_t* out);

/// How the nodes of a row lie in memory.
enum class NodeLayout : std::uint8_t {
  records,  ///< node by node, its channels together: for access to all channels of a node
  planes,   ///< channel by channel, its nodes together: for access to one channel of many nodes
};

/// Builds them for one level after the other. Owns its scratch memory, for levels up to a width;
/// build_rows() allocates nothing. One thread at a time.
///   records   node i of a row starts at i * lanes(); lanes beyond the channels hold 0
///   planes    channel c of node i of a row is at c * plane() + i; what stands behind the last
///             node, up to plane(), is undefined
class GridHistogram {
 public:
  GridHistogram(const GridSettings& settings, int max_width,
                NodeLayout layout = NodeLayout::records);

  [[nodiscard]] int lanes() const noexcept { return lanes_; }
  [[nodiscard]] int plane() const noexcept { return cell_stride_ + 8; }
  [[nodiscard]] int cells(int pixels) const noexcept { return pixels / settings_.grid; }
  /// Numbers from one row of a level's nodes to the next; for planes, the same for all levels.
  [[nodiscard]] std::size_t pitch(const Level& level) const noexcept {
    return layout_ == NodeLayout::planes
               ? static_cast<std::size_t>(plane()) * static_cast<std::size_t>(settings_.channels())
               : static_cast<std::size_t>(cells(level.width) + 1) *
                     static_cast<std::size_t>(lanes_);
  }
  /// Numbers that `rows` rows of a level's nodes take.
  [[nodiscard]] std::size_t size_of(const Level& level, int rows) const noexcept {
    return pitch(level) * static_cast<std::size_t>(rows);
  }
  /// The nodes below cells [from, to), where `nodes` is a ring of `ring` rows: row j of nodes is
  /// row j % ring there. Rows come in order from 0 on, which makes the first row of nodes as well;
  /// each needs the one before.
  /// `planes`: the corner of each plane's rim, rows level.row_stride apart; at least 32 readable
  /// bytes must follow the last one's end.
  void build_rows(const Level& level, const std::uint8_t* const* planes, std::uint32_t* nodes,
                  int ring, int from, int to);

 private:
  void pack_row(const Level& level, const std::uint8_t* const* planes, int y,
                std::uint16_t* out) const;
  template <int kGrid>
  void sum_cells(const std::uint16_t* packed, int cells);
  void sum_pixels(const std::uint16_t* packed, int cells);
  template <int kGrid>
  void sum_colour(const Level& level, const std::uint8_t* const* planes, int y, int cells);
  void add_records(int cells, const std::uint32_t* above, std::uint32_t* below);
  void add_planes(int cells, const std::uint32_t* above, std::uint32_t* below);

  GridSettings settings_;
  NodeLayout layout_;
  PackGradients pack_;
  int lanes_, packed_stride_, cell_stride_;
  std::vector<std::uint16_t> packed_;  // `grid` rows
  std::vector<std::uint16_t> sums_;    // a row of cells for each channel
};

}  // namespace cpu
}  // namespace kerb
