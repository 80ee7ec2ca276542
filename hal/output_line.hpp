// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "hal/base/result.hpp"

namespace kerb {

/// One digital output, such as the warning lamp. Starts off and goes off when destroyed, unless it
/// was opened to be on then. One thread at a time.
class OutputLine {
 public:
  virtual ~OutputLine() = default;
  virtual Status set(
      bool on) = 0;  ///< Fails: io, gone (the chip was removed); the level is then unchanged.
  [[nodiscard]] virtual Result<bool> get() const = 0;  ///< The level now driven. Fails as set().
};

}  // namespace kerb
