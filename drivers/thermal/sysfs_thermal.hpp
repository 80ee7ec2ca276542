// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/base/unique_fd.hpp"
#include "hal/thermal.hpp"

namespace kerb {

struct SysfsThermalOptions {
  std::string root = "/sys/class/thermal";
};

/// What a zone's `temp` file says, in degrees: millidegrees, a sign, white space around it. Nothing
/// for anything else, and for what no board survives (under -50 or over 200 degrees), which is a
/// sensor's way of saying "not now".
[[nodiscard]] std::optional<double> parse_millidegrees(std::string_view text) noexcept;

/// The kernel's thermal zones, found at open(). Each reading asks every zone, one pread() each;
/// allocates nothing. One thread at a time.
class SysfsThermal final : public Thermal {
 public:
  /// Fails: not_found (no such folder, or no zone in it that can be opened).
  static Result<std::unique_ptr<SysfsThermal>> open(const SysfsThermalOptions& options = {});

  /// A zone that cannot be read now (on Tegra, that of a unit without power) or reads nonsense is
  /// passed over.
  Result<ThermalReading> hottest() override;
  [[nodiscard]] int zones() const noexcept { return static_cast<int>(zones_.size()); }

 private:
  struct Zone {
    int number;
    Text<32> type;
    UniqueFd temp;
  };
  SysfsThermal(std::vector<Zone> zones, const std::string& root)
      : zones_{std::move(zones)}, root_{std::string_view{root}} {}
  std::vector<Zone> zones_;
  Text<112> root_;
};

}  // namespace kerb
