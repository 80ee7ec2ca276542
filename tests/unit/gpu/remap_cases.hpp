// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "gpu/image/remap.hpp"
#include "tests/unit/gpu/pictures.hpp"

/// Tables for the tests of Remapper, unit and gpu.
namespace kerb::test {

struct RemapCase {
  Remapper::Size in, out;
  int planes;
};
inline constexpr RemapCase kRemapCases[] = {{{2, 2}, {1, 1}, 1},      {{2, 9}, {7, 5}, 3},
                                            {{64, 48}, {64, 48}, 1},  {{131, 77}, {41, 19}, 3},
                                            {{31, 17}, {129, 65}, 2}, {{640, 360}, {257, 300}, 3}};

/// Places all over the picture, some outside it, some on its pixels and edges.
inline std::vector<Remapper::Place> scattered(const RemapCase& c, std::uint64_t seed) {
  Random random{seed};
  const auto along = [&random](int size) {
    const std::uint64_t r = random.next();
    const auto pixel = static_cast<float>((r >> 8) % static_cast<std::uint64_t>(size + 4)) - 2;
    return r % 5 == 0 ? pixel : pixel + static_cast<float>(r >> 40) / static_cast<float>(1 << 24);
  };
  std::vector<Remapper::Place> table(static_cast<std::size_t>(c.out.width) *
                                     static_cast<std::size_t>(c.out.height));
  for (Remapper::Place& place : table) place = {along(c.in.width), along(c.in.height)};
  return table;
}

}  // namespace kerb::test
