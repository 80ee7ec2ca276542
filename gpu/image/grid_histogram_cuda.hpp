// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector_types.h>

#include <cstdint>

#include "gpu/image/grid_histogram.hpp"
#include "gpu/memory/buffer.hpp"

/// Integral histograms of all levels on the device. For gpu/ alone.
///
/// Nodes are kept by channel in planes: the first `quads` groups of four channels as planes of
/// 16-byte quads, the rest as planes of single numbers. Within a row the columns are sorted by
/// their remainder modulo `phases`, so that windows `phases` nodes apart read neighbouring memory:
///   node (i, j) is at node_offset + j * row_nodes + (i % phases) * phase_nodes + i / phases
namespace kerb {

struct GridLevel {
  std::uint32_t offset;  // of the level in the pyramid, samples
  std::int32_t row_stride;
  std::int32_t cells_x, cells_y;
  std::int32_t phase_nodes, row_nodes;
  std::uint32_t node_offset;
};

/// A row of cells of a level, or a strip of columns of one of its planes: the work of one block.
struct GridTask {
  std::uint16_t level, plane;
  std::uint32_t index;
};

/// What a kernel needs to find a node.
struct GridNodes {
  uint4* quads = nullptr;
  std::uint32_t* singles = nullptr;
  std::uint32_t plane_nodes = 0;  // from one plane to the next
};

class GridTables {
 public:
  /// `quads`: how many groups of four channels are kept as quads. Fails: device, unsupported (more
  /// nodes than 32 bits count).
  static Result<GridTables> create(const Context& context, const PyramidPlan& plan,
                                   const GridSettings& settings, int phases, int quads);

  /// Queues two launches: histograms of all levels' cells summed along rows, then down columns.
  /// `samples` is what pyramid() made; with colour, three of them one after the other.
  Status build(StreamRef stream, const std::uint8_t* samples) const;

  [[nodiscard]] GridNodes nodes() const noexcept;
  [[nodiscard]] const GridLevel* levels() const noexcept { return levels_.device_data(); }
  [[nodiscard]] std::size_t device_bytes() const noexcept;

 private:
  GridSettings settings_;
  std::size_t plane_samples_ = 0;
  std::uint32_t plane_nodes_ = 0;
  int phases_ = 1, quads_ = 0, singles_ = 0;
  DeviceBuffer<GridLevel> levels_;
  DeviceBuffer<GridTask> rows_, strips_;
  DeviceBuffer<uint4> quad_nodes_;
  DeviceBuffer<std::uint32_t> single_nodes_;
};

}  // namespace kerb
