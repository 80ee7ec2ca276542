// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "hal/base/result.hpp"

namespace kerb::lab {

/// Which frame of its sequence each picture is: counted from `first` where it is given, by the
/// numbers the names end with (000020.jpg is 20) where all have one, else counted from 1. Fails,
/// naming the picture: `where`, invalid_argument (numbers that do not rise).
Result<std::vector<int>> number_frames(const char* where, const std::vector<std::string>& paths,
                                       std::optional<int> first);

}  // namespace kerb::lab
