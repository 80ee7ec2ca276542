// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <random>

#include "tests/fuzz/targets.hpp"
#include "tests/support/test.hpp"

using namespace kerb::fuzz;

namespace {

/// What libFuzzer does, in small: the seeds as they are, then with a few random changes, always the
/// same ones.
void replay(const Target& target) {
  std::mt19937 random{1};
  const auto seeds = target.seeds();
  TEST_ASSERT_FALSE(seeds.empty());
  target.run(nullptr, 0);
  for (const Bytes& seed : seeds) {
    target.run(seed.data(), seed.size());
    for (int i = 0; i < target.changes; ++i) {
      Bytes bytes = seed;
      for (auto n = 1 + random() % 6; n > 0 && !bytes.empty(); --n) {
        const std::size_t at = random() % bytes.size(), count = 1 + random() % 4;
        const auto there = bytes.begin() + static_cast<std::ptrdiff_t>(at);
        switch (random() % 5) {
          case 0:
            bytes[at] = static_cast<std::uint8_t>(random());
            break;
          case 1:
            bytes[at] = random() % 2 == 0 ? 0 : 255;
            break;
          case 2:
            bytes[at] ^= static_cast<std::uint8_t>(1U << random() % 8);
            break;
          case 3:
            bytes.insert(there, count, static_cast<std::uint8_t>(random()));
            break;
          default:
            bytes.resize(at);
        }
      }
      target.run(bytes.data(), bytes.size());
    }
  }
}

// A broken promise ends the program; to come back from these is to pass.
TEST(every_reader_survives_any_change) {
  TEST_ASSERT_GREATER_OR_EQUAL_size_t(3, targets().size());
  for (const Target& target : targets()) {
    std::printf("%s\n", target.name);
    std::fflush(stdout);
    replay(target);
  }
}

}  // namespace
