// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string_view>
#include <vector>

namespace kerb {

/// "450, 550, 650": the wavelengths of a camera's bands, in nanometres. An empty text has none.
/// Nothing where it is no such list, or one is not 200..20000.
[[nodiscard]] std::optional<std::vector<double>> parse_bands(std::string_view text);

}  // namespace kerb
