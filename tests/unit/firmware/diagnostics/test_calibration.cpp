// SPDX-License-Identifier: Apache-2.0
#include "firmware/diagnostics/calibration.hpp"

#include <set>
#include <vector>

#include "tests/support/test.hpp"

using namespace kerb;
using diagnostics::calibration_crc;

namespace {

TEST(every_change_of_lens_or_mounting_is_another_calibration) {
  std::set<std::uint32_t> seen{calibration_crc(std::vector<CameraSettings>(1))};
  using Change = void (*)(CameraSettings&);
  for (const Change change : std::initializer_list<Change>{
           [](CameraSettings& c) { c.width = 640; }, [](CameraSettings& c) { c.height = 640; },
           [](CameraSettings& c) { c.fov_deg += 1e-6; },
           [](CameraSettings& c) { c.focal_px = 900; }, [](CameraSettings& c) { c.center_x = 900; },
           [](CameraSettings& c) { c.center_y = 900; }, [](CameraSettings& c) { c.height_m = 1; },
           [](CameraSettings& c) { c.pitch_deg = 1; }, [](CameraSettings& c) { c.yaw_deg = 1; },
           [](CameraSettings& c) { c.roll_deg = 1; }, [](CameraSettings& c) { c.ahead_m = 1; },
           [](CameraSettings& c) { c.left_m = 1; }, [](CameraSettings& c) { c.k1 = 1; },
           [](CameraSettings& c) { c.k2 = 1; }, [](CameraSettings& c) { c.k3 = 1; },
           [](CameraSettings& c) { c.p1 = 1; }, [](CameraSettings& c) { c.p2 = 1; }}) {
    std::vector<CameraSettings> cameras(1);
    change(cameras[0]);
    TEST_ASSERT_TRUE(seen.insert(calibration_crc(cameras)).second);
  }
  TEST_ASSERT_TRUE(seen.insert(calibration_crc(std::vector<CameraSettings>(2))).second);
}

TEST(nothing_else_changes_it) {
  std::vector<CameraSettings> cameras(1);
  const std::uint32_t before = calibration_crc(cameras);
  cameras[0].name = "rear";
  cameras[0].exposure_us = 500;
  cameras[0].device = "/dev/video7";
  TEST_ASSERT_EQUAL_HEX32(before, calibration_crc(cameras));
  cameras[0].focal_px = 900;
  const std::uint32_t with_focal = calibration_crc(cameras);
  cameras[0].fov_deg = 30;  // replaced by the focal length
  TEST_ASSERT_EQUAL_HEX32(with_focal, calibration_crc(cameras));
}

TEST(it_is_the_same_on_every_machine) {
  TEST_ASSERT_EQUAL_HEX32(0, calibration_crc({}));
  TEST_ASSERT_EQUAL_HEX32(0xC49B1168, calibration_crc(std::vector<CameraSettings>(1)));
}

}  // namespace
