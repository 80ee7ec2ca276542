// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>
#include <vector>

#include "drivers/lock/device_lock.hpp"
#include "firmware/config/config.hpp"
#include "hal/base/log.hpp"
#include "hal/base/result.hpp"

namespace kerb {

/// That no other kerbwatch runs with any of this configuration's devices or files: two would send
/// on one bus, drive one lamp, and write one file. As long as this lives; it ends with the process.
class Instance {
 public:
  /// Before any device is opened. Fails: would_block, naming the device and the process that has
  /// it. Where the system cannot lock it is a warning: protecting goes first.
  static Result<Instance> begin(const Config& config, Log& log);

 private:
  explicit Instance(std::vector<DeviceLock> locks) : locks_{std::move(locks)} {}
  std::vector<DeviceLock> locks_;
};

}  // namespace kerb
