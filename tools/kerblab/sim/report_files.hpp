// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "tools/simulator/report/merge.hpp"

namespace kerb::lab {

/// Reports of `kerblab sim run`; or nothing, after what is wrong was printed as one line.
std::optional<std::vector<sim::NamedReport>> read_reports(const std::vector<std::string>& files);

}  // namespace kerb::lab
