// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kerb::test {

/// A type or function that a file defines for the whole program: outside anonymous namespaces, and
/// not static.
struct Definition {
  std::string name;  ///< "kerb::test::Scene"; of a function "kerb::sum(int,const Box&)"
  int line = 0;
};

/// Those of one file, in its order; nothing if its braces do not match. It reads as much C++ as
/// this takes: namespaces, braces, heads of types and functions; members count with their class.
/// Left out are variables (inline ones too, although these are weak symbols), aliases, what a macro
/// makes (a name in capitals, such as TEST), and main(). Of `#if` branches it reads all. Parameters
/// are compared as they are written, without their names and default values. Not seen as equal:
/// arrays and pointers to functions (their names stay), `Box const&` and `const Box&`, templates
/// whose parameters have other names.
std::optional<std::vector<Definition>> definitions(std::string_view text);

/// What the files of a tree define.
struct ClashReport {
  std::size_t names = 0;
  std::vector<std::string> complaints;  ///< one line for each name that a second file defines
};

/// One name, one definition. If two files that define the same name come into one program, the
/// linker takes one of the two for both and says nothing, wherever the compiler makes a weak symbol
/// of it: members of a class, inline functions, templates. Sources that are built instead of others
/// are left out: their names begin with `no_` or end in `_none`.
ClashReport check_definitions(const std::filesystem::path& top);

}  // namespace kerb::test
