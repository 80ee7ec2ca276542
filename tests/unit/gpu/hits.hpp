// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpu/hog/engine.hpp"
#include "tests/support/unity.hpp"

namespace kerb::hog::test {

/// The same windows with the same scores, bit for bit.
inline void expect_same(const Engine::Hits& expected, const Engine::Hits& hits, const char* name) {
  TEST_ASSERT_EQUAL_INT_MESSAGE(expected.count, hits.count, name);
  for (int i = 0; i < expected.count; ++i) {
    TEST_ASSERT_EQUAL_INT_MESSAGE(expected.data[i].window, hits.data[i].window, name);
    TEST_ASSERT_EQUAL_MEMORY_MESSAGE(&expected.data[i].score, &hits.data[i].score, sizeof(float),
                                     name);
  }
}

}  // namespace kerb::hog::test
