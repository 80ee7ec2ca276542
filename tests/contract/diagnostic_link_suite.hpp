// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "hal/diagnostic_link.hpp"

namespace kerb {

/// What the DiagnosticLink suite needs of an implementation: the link, and the tester at its other
/// end. Tests of a hook that is not set are ignored.
struct DiagnosticLinkFixture {
  using Bytes = std::vector<std::uint8_t>;
  std::function<std::unique_ptr<DiagnosticLink>()> open;
  /// The tester sends a request; of several frames only to this control unit.
  std::function<void(const Bytes& request, bool functional)> ask;
  /// The tester's next response, for which it waits a second at most.
  std::function<std::optional<Bytes>()> hear;
  std::function<void()> down, up;  ///< of the interface
  /// The tester takes no frame of a long response after the first, and takes them again.
  std::function<void()> stall, resume;
};

/// Runs the suite; how many tests failed.
int run_diagnostic_link_suite(const DiagnosticLinkFixture& fixture);

}  // namespace kerb
