// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/types/ego_motion.hpp"
#include "hal/base/result.hpp"

namespace kerb::calibrate {

/// The car's speed over a drive, from a CSV: seconds since the first frame, m/s and, in a third
/// column, rad/s to the left. A first line of words and lines that begin with # are passed over.
class Speeds {
 public:
  /// Fails, naming file and line: not_found, invalid_argument (not numbers, time that decreases).
  static Result<Speeds> read(const std::string& path);
  static Result<Speeds> parse(std::string_view text, const std::string& name);

  /// Interpolated linearly between two lines; nothing before the first and after the last.
  [[nodiscard]] ego::VehicleMotion at(double seconds) const;

 private:
  struct Row {
    double seconds = 0, speed_mps = 0;
    std::optional<double> yaw_rate_radps;
  };
  std::vector<Row> rows_;
};

}  // namespace kerb::calibrate
