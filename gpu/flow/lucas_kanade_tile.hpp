// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "gpu/flow/lucas_kanade_pyramid.hpp"

/// One iteration of Lucas-Kanade over a part of a level, on the CPU. For gpu/flow alone.
namespace kerb::flow::lk {

// The most pixels of a tile. A tile computes a rim that is not its own: large ones waste less,
// small ones keep all threads busy and follow a mask.
inline constexpr int kWideTile = 256;
inline constexpr int kMargin = 8;                     // columns left and right of a tile's rows
inline constexpr int kRow = kWideTile + 2 * kMargin;  // samples of a scratch row
inline constexpr int kDeep = 8, kShallow = 4;         // rows kept: at least 5, at least 3
static_assert(kHalo <= kMargin && kDeep >= 5 && kShallow >= 3);

/// What one thread needs for a tile: rows that are still looked at. Index 0 of a row is kMargin
/// left of the tile.
struct alignas(64) Scratch {
  float difference[kDeep][kRow], sum[kDeep][kRow], seen[kDeep][kRow];
  float terms[kShallow][6][kRow];
  float row[6][kRow];
  std::int32_t mean_u[kRow], mean_v[kRow];
  std::int32_t place[kRow];
  std::int32_t warped[kRow];
  std::int32_t tx[kRow], ty[kRow];
  std::uint8_t quality[kRow], flags[kRow];
  std::int16_t raw_u[kDeep][kRow], raw_v[kDeep][kRow];
  std::int16_t sorted[5][kRow];
};

struct FieldRows {
  std::int16_t* u;
  std::int16_t* v;
  int stride;
};
struct ConstFieldRows {
  ConstFieldRows(const FieldRows& rows) : u{rows.u}, v{rows.v}, stride{rows.stride} {}
  const std::int16_t* u;
  const std::int16_t* v;
  int stride;
};

/// What an iteration over any tile of a level reads and writes.
struct TileJob {
  const Level& level;
  const Sample *first, *second;  // both pictures' samples, of all levels
  ConstFieldRows in;
  FieldRows out;
  float prior;
  const FieldView<Space::host>* judged;  // also qualities and flags; nullptr: not wanted
  float texture;
};
/// Vectors `in` to vectors `out`. `tile` is at most kWideTile wide.
void iterate(Scratch& scratch, const TileJob& job, const Rect& tile);

/// Vectors of the pixels `part` of a level from those of the level above.
void double_vectors(const Level& coarse, const ConstFieldRows& from, const Level& fine,
                    const FieldRows& to, const Rect& part);

}  // namespace kerb::flow::lk
