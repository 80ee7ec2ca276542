// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string_view>

namespace kerb::sim {

/// A file of tools/simulator/suites, inside the program.
struct ShippedFile {
  std::string_view path;  ///< from that folder: "euroncap.toml", "templates/street.toml"
  std::string_view text;
};
[[nodiscard]] std::span<const ShippedFile> shipped_files();

}  // namespace kerb::sim
