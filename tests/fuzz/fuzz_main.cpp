// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/targets.hpp"

/// KERB_FUZZ_TARGET: the function of targets.hpp that this program feeds.
// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  kerb::fuzz::KERB_FUZZ_TARGET(data, size);
  return 0;
}
