// SPDX-License-Identifier: Apache-2.0
#include "firmware/diagnostics/calibration.hpp"

#include <bit>
#include <cstddef>
#include <limits>

#include "hal/base/crc32.hpp"

namespace kerb::diagnostics {
namespace {

/// The bits of numbers, least byte first: the same on every machine.
class Sum {
 public:
  void add(double value) noexcept {
    std::byte bytes[8];
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(bits >> (8 * i) & 0xFFU);
    crc_ = crc32(bytes, sizeof bytes, crc_);
  }
  void add(const std::optional<double>& value) noexcept {
    add(value.value_or(std::numeric_limits<double>::infinity()));
  }
  [[nodiscard]] std::uint32_t crc() const noexcept { return crc_; }

 private:
  std::uint32_t crc_ = 0;
};

}  // namespace

std::uint32_t calibration_crc(std::span<const CameraSettings> cameras) {
  Sum sum;
  for (const CameraSettings& c : cameras) {
    sum.add(static_cast<double>(c.width));
    sum.add(static_cast<double>(c.height));
    // An angle that a focal length replaces does not count.
    sum.add(c.focal_px ? 0 : c.fov_deg);
    sum.add(c.focal_px);
    sum.add(c.center_x);
    sum.add(c.center_y);
    for (const double value : {c.height_m, c.pitch_deg, c.yaw_deg, c.roll_deg, c.ahead_m, c.left_m,
                               c.k1, c.k2, c.k3, c.p1, c.p2})
      sum.add(value);
  }
  return sum.crc();
}

}  // namespace kerb::diagnostics
