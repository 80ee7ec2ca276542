// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "firmware/config/config.hpp"
#include "firmware/diagnostics/diagnostics.hpp"
#include "hal/base/log.hpp"
#include "hal/diagnostic_link.hpp"

namespace kerb {

/// What the diagnostics of this car are made of, and what keeps its trouble codes.
struct Diagnostician {
  std::unique_ptr<diagnostics::DtcStore> store;  ///< null: there is no thread to be had
  std::unique_ptr<diagnostics::Setup> setup;     ///< null with diagnostics.enabled = false
};

/// Reads the trouble codes and all that tells who answers. A file of them that is damaged is
/// reported, and they begin anew. `link` may be null: codes are kept all the same.
[[nodiscard]] Diagnostician open_diagnostics(const Config& config, DiagnosticLink* link, Log& log);

}  // namespace kerb
