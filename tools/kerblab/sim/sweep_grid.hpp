// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The settings that `kerblab sim sweep` tries.
namespace kerb::lab {

inline constexpr std::size_t kMostSweepPoints = 10000;

/// A key of the configuration, and the values to try.
struct SweepAxis {
  std::string key;
  std::vector<std::string> values;  ///< at least one, none empty
};
/// "KEY=VALUE,VALUE..."; nothing if it is not that. Commas inside quotes and brackets belong to a
/// value.
[[nodiscard]] std::optional<SweepAxis> parse_axis(std::string_view text);

/// Every combination of the axes' values, as "KEY=VALUE" each; the last axis changes fastest. One
/// point without settings where there is no axis. More than kMostSweepPoints: there are too many.
[[nodiscard]] std::vector<std::vector<std::string>> grid_of(const std::vector<SweepAxis>& axes);

}  // namespace kerb::lab
