// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "firmware/types/alert_levels.hpp"
#include "firmware/types/view.hpp"
#include "hal/base/clock.hpp"

namespace kerb {

/// Turns brightness and volume down and up: as the vehicle tells it, else by the light. It is dark
/// once darkness has ended the view for three seconds, so not under a bridge, and light again once
/// the view has been long, or ended by fog or the glass, for ten: a lamp that is too bright is
/// better than one that is not seen. Brightness changes by half of the full one a second, in steps
/// of 1 %. One thread; allocates nothing.
class AlertLevels {
 public:
  explicit AlertLevels(const AlertLevelSettings& settings) noexcept : settings_{settings} {}

  /// One round. `told_brightness` and `told_volume`: where the vehicle's dials are, 0..1; nothing:
  /// it does not tell. `view`: nothing where no camera knows.
  AlertLevel step(Nanos now, std::optional<double> told_brightness,
                  std::optional<double> told_volume,
                  const std::optional<ViewReport>& view) noexcept;

  [[nodiscard]] bool dark() const noexcept { return dark_; }

 private:
  void look(Nanos passed, const std::optional<ViewReport>& view) noexcept;

  AlertLevelSettings settings_;
  bool dark_ = false;
  Nanos doubt_{};  // so long the view has spoken against dark_, and never for it
  std::optional<Nanos> last_;
  double brightness_ = 1;
};

}  // namespace kerb
