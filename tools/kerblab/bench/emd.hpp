// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tools/kerblab/app/command.hpp"

namespace kerb::lab {

/// `bench emd`, to the group `bench`.
void add_bench_emd(CLI::App& group, Action& action);

}  // namespace kerb::lab
