// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace kerb::train {

/// printf into a string of 511 characters at most: a line of a training log.
[[nodiscard]] std::string line_of(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace kerb::train
