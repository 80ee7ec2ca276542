// SPDX-License-Identifier: Apache-2.0
#include "firmware/main/instance.hpp"

#include <string>

namespace kerb {
namespace {

struct Used {
  std::string kind;
  std::string place;
};

std::vector<Used> used_by(const Config& config) {
  std::vector<Used> out;
  for (const CameraSettings& camera : config.cameras)
    if (camera.kind == CameraKind::v4l2) out.push_back({"camera", camera.device});
  if (config.can.enabled) out.push_back({"bus", config.can.interface});
  if (config.lamp.enabled)
    for (const int line : {config.lamp.warning_line, config.lamp.status_line})
      out.push_back({"line " + std::to_string(line), config.lamp.chip});
  if (config.watchdog.enabled) out.push_back({"watchdog", config.watchdog.device});
  if (config.events.enabled) out.push_back({"events", config.events.path});
  if (config.record.enabled) out.push_back({"records", config.record.path});
  return out;
}

}  // namespace

Result<Instance> Instance::begin(const Config& config, Log& log) {
  std::vector<DeviceLock> locks;
  for (const Used& used : used_by(config)) {
    Result<DeviceLock> lock = DeviceLock::take(used.kind, used.place);
    if (lock) {
      locks.push_back(std::move(*lock));
    } else if (lock.error().code == Errc::would_block) {
      return lock.error();
    } else {
      log.warning("main", describe(lock.error()) + "; a second kerbwatch would not be noticed");
    }
  }
  return Instance{std::move(locks)};
}

}  // namespace kerb
