// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "firmware/vision/vision.hpp"
#include "tools/simulator/base/scenario.hpp"
#include "tools/simulator/run/lockstep_source.hpp"
#include "tools/simulator/run/sim_clock.hpp"

namespace kerb::sim {

/// Whether vision hangs at some time of a scenario: the fault vision_hangs.
[[nodiscard]] bool has_hangs(const Scenario& scenario) noexcept;

/// A vision whose preparer hangs at the times of the scenario's faults vision_hangs: the thread
/// that processes pictures stands still, the one that takes them from the camera goes on. `vision`,
/// `camera` and `clock` must outlive it and what it makes. For HandOver::newest.
[[nodiscard]] std::unique_ptr<Vision> make_hanging_vision(Vision& vision, const Scenario& scenario,
                                                          LockstepCamera& camera,
                                                          const SimClock& clock);

}  // namespace kerb::sim
