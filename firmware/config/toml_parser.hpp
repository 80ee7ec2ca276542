// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>

namespace kerb::config {
[[noreturn]] inline void parser_failed() {
  throw std::logic_error{"an assertion of toml++ failed"};
}
}  // namespace kerb::config

// The only way to toml++: nothing else includes it. toml++ 3.3 asserts what a file may well not
// hold ("[.a]" is enough), and without assertions it lets the compiler assume it. Here a broken
// assumption refuses the file, in every build type. Give the parser only what check_text() takes.
#undef NDEBUG
#define TOML_ASSERT(holds) static_cast<void>((holds) || (::kerb::config::parser_failed(), false))
#include <toml++/toml.h>
