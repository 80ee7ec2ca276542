// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kerb::lab {

/// A flow field in memory of its own: the pixel (x, y) went to (x + u, y + v). Rows without gaps.
struct Field {
  int width = 0, height = 0;
  std::vector<float> u, v;
  /// 0..255 and bits of flow::Flag, as estimators give them. Empty: not known (files, OpenCV).
  std::vector<std::uint8_t> quality, flags;

  Field() = default;
  Field(int w, int h)
      : width{w},
        height{h},
        u(static_cast<std::size_t>(w) * static_cast<std::size_t>(h)),
        v(u.size()) {}
  [[nodiscard]] std::size_t size() const noexcept { return u.size(); }
};

/// Middlebury's mark of an unknown vector: a component over 1e9, or not a number.
inline constexpr float kUnknownFlow = 1e10F;
[[nodiscard]] inline bool is_known(float u, float v) noexcept {
  return std::abs(u) <= 1e9F && std::abs(v) <= 1e9F;
}

}  // namespace kerb::lab
