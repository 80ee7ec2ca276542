// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "firmware/config/config.hpp"
#include "firmware/threads/real_time.hpp"
#include "hal/base/log.hpp"

namespace kerb {

struct RunOptions {
  std::string config_path;
  double seconds = 0;   ///< the end, when it is over zero
  bool strict = false;  ///< a device that is missing at the start is an error, not waited for
};

/// The product: everything in `config` opened and run until SIGTERM or SIGINT, for
/// `options.seconds`, or until every recording has ended. Devices that are missing are waited for,
/// with the amber lamp lit. The exit code: 0 after an orderly end, 1 when memory or threads did not
/// suffice to run, 2 when a recording (or with `strict` any device) could not be opened.
int run_product(const Config& config, const RunOptions& options, RealTime& real_time, Log& log);

}  // namespace kerb
