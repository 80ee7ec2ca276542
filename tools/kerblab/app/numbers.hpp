// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "hal/base/result.hpp"

namespace kerb::lab {

/// The numbers of "1,2.5,-3". Fails with invalid_argument, naming `option` and `form`, when a part
/// is not a finite number or their count is not within least..most.
Result<std::vector<double>> parse_numbers(const char* option, const char* form,
                                          const std::string& text, std::size_t least,
                                          std::size_t most);

}  // namespace kerb::lab
