// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "firmware/config/config.hpp"
#include "hal/base/log.hpp"

namespace kerb {

/// Runs `kerbwatch run` with this configuration in a process of its own, and holds its lamps: when
/// it dies, hangs or does not start, the amber lamp is lit and it is started again. Until SIGTERM
/// or SIGINT. The exit code: 0, or 1 when the process had to be killed at the end.
int run_guard(const Config& config, const std::string& config_path, bool json, Log& log);

}  // namespace kerb
