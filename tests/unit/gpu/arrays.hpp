// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "gpu/image/float4.hpp"
#include "hal/base/view.hpp"
#include "tests/unit/gpu/pictures.hpp"

/// Random arrays for the tests of scans and integrals, unit and gpu.
namespace kerb::test {

/// `whole`: small integers, whose sums are exact in any order. Else numbers of all sizes.
template <typename T>
T any_value(Random& random, bool whole) {
  const std::uint64_t r = random.next();
  if constexpr (std::is_same_v<T, Float4>) {
    const auto one = [&] { return any_value<float>(random, whole); };
    const float x = one(), y = one(), z = one();
    return {x, y, z, one()};
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(whole ? r % 7 : r);
  } else {
    if (whole) return static_cast<T>(r % 7);
    const auto fraction = static_cast<T>(r >> 40) / static_cast<T>(1 << 24);
    return (r % 2 == 0 ? fraction : -fraction) * static_cast<T>(1u << (r >> 8) % 12);
  }
}

/// A picture of any element with `slack` elements after each row.
template <typename T>
struct Array {
  int width, height, stride;
  std::vector<T> values;

  Array(int w, int h, int slack)
      : width{w},
        height{h},
        stride{w + slack},
        values(static_cast<std::size_t>(w + slack) * static_cast<std::size_t>(h)) {}
  static Array random(int w, int h, int slack, bool whole) {
    Array made{w, h, slack};
    Random numbers{static_cast<std::uint64_t>(w * 31 + h)};
    for (T& v : made.values) v = any_value<T>(numbers, whole);
    return made;
  }
  [[nodiscard]] T& at(int x, int y) {
    return values[static_cast<std::size_t>(y) * static_cast<std::size_t>(stride) +
                  static_cast<std::size_t>(x)];
  }
  [[nodiscard]] const T& at(int x, int y) const { return const_cast<Array*>(this)->at(x, y); }
  [[nodiscard]] ImageView<Space::host, const T> in() const {
    return {values.data(), width, height, stride};
  }
  [[nodiscard]] ImageView<Space::host, T> out() { return {values.data(), width, height, stride}; }
  /// The same place in a device buffer that holds a copy of `values`.
  [[nodiscard]] ImageView<Space::device, T> on_device(T* data) const {
    return {data, width, height, stride};
  }
};

}  // namespace kerb::test
