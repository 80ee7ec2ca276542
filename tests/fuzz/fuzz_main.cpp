// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/targets.hpp"

namespace {

/// KERB_FUZZ_TARGET: the name of the target that this program feeds.
const kerb::fuzz::Target& target() {
  for (const kerb::fuzz::Target& one : kerb::fuzz::targets())
    if (std::string_view{one.name} == KERB_FUZZ_TARGET) return one;
  std::fprintf(stderr, "no target %s in this build\n", KERB_FUZZ_TARGET);
  std::exit(2);
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const kerb::fuzz::Target& fed = target();
  fed.run(data, size);
  return 0;
}
