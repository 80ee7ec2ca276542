// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "firmware/config/config.hpp"
#include "firmware/schema/reader.hpp"

namespace kerb::config {

/// Makes config.can.layout of config.can.mapping and the DBC file that it names (a relative path
/// begins beside the configuration file). Without one, nothing happens. What is wrong with the
/// mapping is reported to the reader; what is wrong with the DBC file is returned.
[[nodiscard]] std::vector<schema::Problem> map_vehicle(Config& config, schema::Reader& reader);

/// What a technician should know of a good layout, such as messages without a checksum: one
/// sentence each.
[[nodiscard]] std::vector<std::string> notes_on(const VehicleMapping& mapping,
                                                const VehicleLayout& layout);

}  // namespace kerb::config
