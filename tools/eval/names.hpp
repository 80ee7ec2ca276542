// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "hal/base/result.hpp"

namespace kerb::eval {

/// Which of the pictures (paths, all different) each name means: its index, or -1.
///
/// A name means the picture with the same file name, without regard to the extension. Of several,
/// the one with which it shares the most folders, counted from the end; of several still, the one
/// with the same extension. Of several names for one picture, the one that shares the most with it
/// has it, and the others have none. Fails where that leaves a doubt, naming one case: `where`,
/// invalid_argument.
Result<std::vector<int>> find_pictures(const char* where, const std::vector<std::string>& names,
                                       const std::vector<std::string>& pictures);

}  // namespace kerb::eval
