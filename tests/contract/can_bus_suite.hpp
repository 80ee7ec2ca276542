// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "hal/can_bus.hpp"

namespace kerb {

/// What the CanBus suite needs of an implementation. Tests of a hook that is not set
/// are ignored.
struct CanBusFixture {
  const Clock* clock = nullptr;
  /// A node on the bus that all nodes of this fixture share.
  std::function<std::unique_ptr<CanBus>(bool fd, std::vector<CanFilter> filters)> node;
  bool fd = true;                           ///< the bus carries FD frames
  bool real = false;                        ///< its clock runs by itself, so that threads can wait
  std::function<void()> down, up;           ///< of every node's interface
  std::function<void(CanBus&)> go_bus_off;  ///< it recovers by itself in less than a second
  std::function<void(CanBus&)> fill_queue, empty_queue;
};

/// Runs the suite; how many tests failed.
int run_can_bus_suite(const CanBusFixture& fixture);

}  // namespace kerb
