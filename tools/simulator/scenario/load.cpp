// SPDX-License-Identifier: Apache-2.0
#include "tools/simulator/scenario/load.hpp"

namespace kerb::sim {

Loaded load_file(const std::string& path) { return {{}, {path + ": no loader yet"}, "", {}}; }
Loaded load_suite(const std::string& path) { return {{}, {path + ": no loader yet"}, "", {}}; }
Loaded parse_scenario(std::string_view, const std::string& name) { return load_file(name); }
std::vector<SuiteName> shipped_suites() { return {}; }

}  // namespace kerb::sim
