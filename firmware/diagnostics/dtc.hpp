// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "firmware/health/health_monitor.hpp"
#include "firmware/types/health_state.hpp"
#include "hal/base/text.hpp"

/// Diagnostic trouble codes (DTC). Every cause of health is one; those of cameras are one for each
/// camera.
namespace kerb::diagnostics {

inline constexpr int kMostCameras = HealthMonitor::kMaxCameras;
/// A place for each cause and camera, as the health monitor has them.
inline constexpr int kDtcSlots = kCauseCount * kMostCameras;

/// The part of the health monitor that a code stands for. `camera` is 0 for causes of the whole.
struct DtcKey {
  Cause cause = Cause::none;
  int camera = 0;
  friend bool operator==(const DtcKey&, const DtcKey&) = default;
};
[[nodiscard]] constexpr std::size_t slot_of(DtcKey key) noexcept {
  return static_cast<std::size_t>(key.cause) * kMostCameras + static_cast<std::size_t>(key.camera);
}

/// Three bytes: 0x9A, four times the number of the cause plus the camera's, and the type of the
/// failure (SAE J2012-DA).
[[nodiscard]] std::uint32_t dtc_of(DtcKey key) noexcept;
/// The part that a code stands for, on a car with `cameras` cameras (0: the causes of the whole
/// only); nothing for other codes.
[[nodiscard]] std::optional<DtcKey> key_of(std::uint32_t dtc, int cameras) noexcept;
/// As testers show it: "B1A04-31".
[[nodiscard]] Text<12> name_of_dtc(std::uint32_t dtc) noexcept;
/// What a workshop reads about it; one for each cause but none.
[[nodiscard]] const char* meaning_of(Cause cause) noexcept;

/// The table of all codes in Markdown: what docs/diagnostics.md holds between its two marks.
[[nodiscard]] std::string render_dtc_table();

}  // namespace kerb::diagnostics
