// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>

namespace kerb::diagnostics {

/// What a tester may drive. The numbers are those of the identifiers from kFirstOutput on: append,
/// never renumber.
enum class Output : std::uint8_t { warning_lamp = 0, status_lamp = 1, tone = 2 };
inline constexpr int kOutputCount = 3;

/// Holds outputs at a level for a tester. They are let go by themselves when the vehicle moves or
/// its speed is lost.
class OutputControl {
 public:
  virtual ~OutputControl() = default;
  /// False: refused. The vehicle must be known to stand, and the configuration must allow it.
  virtual bool hold(Output output, bool on, std::optional<double> speed_mps) noexcept = 0;
  virtual void let_go(Output output) noexcept = 0;
  /// The level at which it is held; nothing: it does what Kerbwatch wants.
  [[nodiscard]] virtual std::optional<bool> held(Output output) const noexcept = 0;
};

}  // namespace kerb::diagnostics
