// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tools/kerblab/command.hpp"

namespace kerb::lab {

/// `train crops`, to the group `train`.
void add_train_crops(CLI::App& group, Action& action);

}  // namespace kerb::lab
