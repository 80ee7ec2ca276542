// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "firmware/config/config.hpp"
#include "hal/base/log.hpp"

namespace kerb {

/// The product: everything in `config` opened and run until SIGTERM or SIGINT, for `seconds` when
/// that is over zero, or until every recording has ended. The exit code: 0 after an orderly end, 2
/// when something could not be opened.
int run_product(const Config& config, const std::string& config_path, double seconds, Log& log);

}  // namespace kerb
