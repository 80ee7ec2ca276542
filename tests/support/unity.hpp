// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <unity.h>
// C's macros, which Unity makes for itself where there are none: they would spoil std::isnan and
// its like.
#undef isinf
#undef isnan

#include "hal/base/result.hpp"

/// Fails the test with the error's own line when `result` holds an error.
#define TEST_ASSERT_OK(result)                                                            \
  do {                                                                                    \
    const auto& kerb_result_ = (result);                                                  \
    if (!kerb_result_) TEST_FAIL_MESSAGE(::kerb::describe(kerb_result_.error()).c_str()); \
  } while (false)

/// Fails the test unless `result` holds an error with this code.
#define TEST_ASSERT_ERROR(expected_code, result)                                      \
  do {                                                                                \
    const auto& kerb_result_ = (result);                                              \
    if (kerb_result_) TEST_FAIL_MESSAGE("expected an error, got a value");            \
    TEST_ASSERT_EQUAL_STRING_MESSAGE(::kerb::name_of(expected_code),                  \
                                     ::kerb::name_of(kerb_result_.error().code),      \
                                     ::kerb::describe(kerb_result_.error()).c_str()); \
  } while (false)
