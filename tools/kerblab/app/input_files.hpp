// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "hal/base/result.hpp"

namespace kerb::lab {

/// Checks that a path, if it exists, is a regular file: reading a pipe or a device may never end.
/// Fails, naming the path: invalid_argument.
Status check_plain(const std::string& path);

/// The paths of a command line in which "@FILE" stands for the lines of FILE. Each must be a file
/// that can be opened, and so must the list. Fails: not_found, io, invalid_argument (no picture at
/// all, not a regular file).
Result<std::vector<std::string>> expand_list(const std::vector<std::string>& words);

}  // namespace kerb::lab
