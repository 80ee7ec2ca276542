// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "hal/base/result.hpp"

namespace kerb::lab {

/// That a file, where there is one, is a plain one: a pipe or a device may never end. Fails, naming
/// the path: invalid_argument.
Status check_plain(const std::string& path);

/// The paths of a command line in which "@FILE" stands for the lines of FILE. Each must be a file
/// that can be opened, and so must the list. Fails: not_found, io, invalid_argument (no picture at
/// all, not a plain file).
Result<std::vector<std::string>> expand_list(const std::vector<std::string>& words);

}  // namespace kerb::lab
