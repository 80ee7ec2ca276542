// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "firmware/control/controller.hpp"

namespace kerb {

/// Summary of a run as text: frames and time per stage of each camera, health, messages. Several
/// lines.
[[nodiscard]] std::string render_report(const Controller& controller,
                                        const std::vector<ControlledCamera>& cameras, Nanos ran);

/// The state with its cause and number: "DEGRADED: camera_silent, 420 ms".
[[nodiscard]] std::string render_health(const HealthReport& report);

}  // namespace kerb
