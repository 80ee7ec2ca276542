// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kerb::test {

/// A source file of the project, as far as its includes go. Paths are from the top, with '/'.
struct SourceFile {
  struct Include {
    int line = 0;
    bool quoted = false;
    std::string target;
  };
  std::string path;
  bool has_spdx = false;  ///< in its first line
  bool has_pragma_once = false;
  std::vector<Include> includes;
};

/// The bytes of a file; none if it cannot be read.
std::string text_of(const std::filesystem::path& path);

/// Reads one file's text. Knows // and /* */ comments: an include in one is none.
SourceFile read_source(std::string path, std::string_view text);

/// The C++ and CUDA files of hal, drivers, gpu, firmware, tools and tests, by path.
std::vector<SourceFile> read_tree(const std::filesystem::path& top);

/// What `file` breaks of these rules, a line each: "gpu/x.cpp:3: includes drivers/y.hpp: ...".
///   hal       includes hal and the standard library
///   drivers   hal, its own folder and drivers/base
///   gpu       hal and gpu; its headers bring in no CUDA header, but for those that say so by their
///             name: *.cuh, *_cuda.*, cuda_*, detail/
///   firmware  hal and firmware; main.cpp and main/ also drivers and gpu; only they include main/
///   tools     everything but tests
///   tests     everything
/// CUDA is for gpu, tools and tests; OpenCV for drivers/replay, tools and tests. Ours are included
/// in quotes, by their path from the top, and exist. Every file begins with its SPDX line; every
/// header says pragma once.
std::vector<std::string> complaints(const SourceFile& file, const std::filesystem::path& top);

}  // namespace kerb::test
