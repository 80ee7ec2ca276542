// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hal/base/result.hpp"

/// NumPy's files of one array, .npy.
namespace kerb::files {

/// An array of one or two dimensions: one dimension is one row.
struct NpyTable {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;  ///< row after row
};

/// Whether these are the bytes of a .npy file, by how they begin.
[[nodiscard]] bool is_npy(std::string_view bytes) noexcept;

/// Versions 1 to 3; truth values, whole numbers of 8 to 64 bits, floats of 32 and 64; either order
/// of bytes, and of rows and columns. Fails, naming `path`: damaged (no array, cut off, longer than
/// its shape), unsupported (other numbers; no dimension, or over two).
Result<NpyTable> parse_npy(const char* where, std::string_view path, std::string_view bytes);

/// A file of version 1: little-endian, row after row. `shape` is one or two numbers whose product
/// is the count of values.
[[nodiscard]] std::string to_npy(const std::vector<float>& values,
                                 const std::vector<std::size_t>& shape);
[[nodiscard]] std::string to_npy(const std::vector<double>& values,
                                 const std::vector<std::size_t>& shape);

}  // namespace kerb::files
