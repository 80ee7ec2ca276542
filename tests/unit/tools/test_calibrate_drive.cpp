// SPDX-License-Identifier: Apache-2.0
// Drives through streets of known geometry, with a camera that hangs askew: what is found of its
// mounting is held against what was put in.
#include <cmath>
#include <memory>
#include <string>

#include "firmware/config/config.hpp"
#include "firmware/ego/configured.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/firmware/ego/drives.hpp"
#include "tools/calibrate/drive.hpp"
#include "tools/calibrate/road_plane.hpp"
#include "tools/calibrate/speeds.hpp"

using namespace kerb;
using kerb::ego::test::Dice;
using kerb::ego::test::Street;

namespace {

constexpr double kDegree = 0.017453292519943295;
bool g_some = false;  // of the mountings: each takes long under a sanitizer

struct Mounting {
  const char* name;
  double pitch_deg, yaw_deg, roll_deg;
  double k1 = 0;
  bool speed_told = true, busy = false;
};

Camera lens_only(const Mounting& m) {
  Camera camera = Street{}.camera;
  camera.k1 = m.k1;
  return camera;
}

/// The field of a straight street, as a camera sees it that is rolled and has a lens.
void tilt(const Mounting& m, const Camera& c, MotionField& field) {
  const double cr = std::cos(m.roll_deg * kDegree), sr = std::sin(m.roll_deg * kDegree);
  const auto see = [&](double& x, double& y) {
    const double u = (x - c.center_x) / c.focal_px, v = (y - c.center_y) / c.focal_px;
    const double a = u * cr + v * sr, b = v * cr - u * sr, radial = 1 + m.k1 * (a * a + b * b);
    x = c.center_x + c.focal_px * a * radial;
    y = c.center_y + c.focal_px * b * radial;
  };
  for (int i = 0; i < field.count; ++i) {
    FlowVector& v = field.items[i];
    double x = double{v.x}, y = double{v.y}, x2 = x + double{v.dx}, y2 = y + double{v.dy};
    see(x, y);
    see(x2, y2);
    v = {static_cast<float>(x), static_cast<float>(y), static_cast<float>(x2 - x),
         static_cast<float>(y2 - y), v.quality};
  }
}

/// A drive that nods and sways, with bends in between.
calibrate::Drive drive_of(const Mounting& m, int frames) {
  calibrate::Drive drive;
  const auto field = std::make_unique<MotionField>();
  for (int i = 0; i < frames; ++i) {
    Street s = m.busy ? ego::test::busy(static_cast<std::uint64_t>(i + 1), true) : Street{};
    s.camera.pitch_rad = m.pitch_deg * kDegree;
    s.camera.yaw_rad = m.yaw_deg * kDegree;
    ego::test::Drive d;
    d.speed = 10;
    const double nod = 0.3 * kDegree, t = i * d.dt;
    d.pitch = nod * std::sin(7 * t);
    d.pitch_rate = nod * 7 * std::cos(7 * t);
    d.yaw_rate = i % 40 >= 30 ? 0.15 : 0;
    fill(s, d, static_cast<std::uint64_t>(i + 1), *field);
    tilt(m, s.camera, *field);
    ego::VehicleMotion told;
    if (m.speed_told) told.speed_mps = d.speed;
    drive.add(*field, ego::test::interval_of(d), told);
  }
  return drive;
}

TEST(the_mounting_is_found) {
  for (const Mounting& m : {
           Mounting{"down and left", -3.2, 1.8, 0},
           Mounting{"up and right, rolled", 2.5, -2.4, 3},
           Mounting{"rolled the other way, a lens", -1.5, 1, -2, -0.25},
           Mounting{"busy street", -2, 1.5, 1, 0, true, true},
           Mounting{"nobody tells the speed", -2.5, -1, 1.5, 0, false},
       }) {
    if (g_some && m.k1 == 0) continue;
    const calibrate::Drive drive = drive_of(m, 40);
    const Result<calibrate::DriveCalibration> c = drive.solve(lens_only(m), {});
    TEST_ASSERT_TRUE_MESSAGE(c, m.name);
    std::printf(
        "%-30s pitch %+.3f +- %.3f of %+.3f, yaw %+.3f +- %.3f of %+.3f, roll %+.2f +- %.2f of "
        "%+.2f, height %.2f; %d straight, %d road of %d\n",
        m.name, c->pitch_deg, c->pitch_sigma_deg, m.pitch_deg, c->yaw_deg, c->yaw_sigma_deg,
        m.yaw_deg, c->roll_deg.value_or(99), c->roll_sigma_deg, m.roll_deg, c->height_m.value_or(0),
        c->straight, c->road, c->frames);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.2, m.pitch_deg, c->pitch_deg, m.name);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.2, m.yaw_deg, c->yaw_deg, m.name);
    // Where more walks on the road than is seen of it, its tilt is not told; but never a wrong one.
    TEST_ASSERT_TRUE_MESSAGE(m.busy || c->roll_deg, m.name);
    TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.6, m.roll_deg, c->roll_deg.value_or(m.roll_deg), m.name);
    TEST_ASSERT_TRUE_MESSAGE(std::abs(c->pitch_deg - m.pitch_deg) < 3 * c->pitch_sigma_deg, m.name);
    TEST_ASSERT_TRUE_MESSAGE(std::abs(c->yaw_deg - m.yaw_deg) < 3 * c->yaw_sigma_deg, m.name);
    TEST_ASSERT_TRUE_MESSAGE(c->straight <= 32 && c->straight >= 20, m.name);  // no bends
    TEST_ASSERT_TRUE_MESSAGE(m.busy || m.speed_told == c->height_m.has_value(), m.name);
    if (c->height_m) TEST_ASSERT_DOUBLE_WITHIN_MESSAGE(0.1, 1.4, *c->height_m, m.name);
  }
}

TEST(a_height_that_cannot_be_is_doubted) {
  const Mounting m{"", -2, 0, 0};
  Camera camera = lens_only(m);
  camera.height_m = 2.2;
  const Result<calibrate::DriveCalibration> c = drive_of(m, 30).solve(camera, {});
  TEST_ASSERT_TRUE(c);
  bool said = false;
  for (const std::string& note : c->notes)
    said = said || note.find("measure the height again") != std::string::npos;
  TEST_ASSERT_TRUE(said);
}

TEST(a_drive_that_tells_nothing_is_refused) {
  TEST_ASSERT_FALSE(calibrate::Drive{}.solve({}, {}));
  calibrate::Drive standing;
  const auto field = std::make_unique<MotionField>();
  for (int i = 0; i < 40; ++i) {
    ego::test::Drive d;
    d.speed = 0;
    fill(Street{}, d, static_cast<std::uint64_t>(i + 1), *field);
    standing.add(*field, ego::test::interval_of(d), {});
  }
  const Result<calibrate::DriveCalibration> c = standing.solve({}, {});
  TEST_ASSERT_FALSE(c);
  TEST_ASSERT_TRUE(std::string{c.error().what.c_str()}.find("straight ahead in ") == 0 ||
                   std::string{c.error().what.c_str()}.find("travels straight") !=
                       std::string::npos);
}

TEST(the_picture_and_the_camera_agree) {
  // What lies 20 m ahead on the road is where the estimator's camera has it.
  Camera camera;
  camera.pitch_rad = -0.05;
  camera.yaw_rad = 0.03;
  const auto far = calibrate::shown(camera, 1e7, 0, camera.height_m);
  TEST_ASSERT_TRUE(far.has_value());
  TEST_ASSERT_DOUBLE_WITHIN(0.2, ego::aim(camera).x, far->x);
  TEST_ASSERT_DOUBLE_WITHIN(0.2, ego::aim(camera).y, far->y);
  camera.pitch_rad = camera.yaw_rad = 0;
  const auto near = calibrate::shown(camera, 20, -2, 0);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, camera.center_x + camera.focal_px * 2 / 20, near->x);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, camera.center_y + camera.focal_px * 1.4 / 20, near->y);
  TEST_ASSERT_FALSE(calibrate::shown(camera, -5, 0, 0).has_value());
}

TEST(the_road_is_told_from_what_stands_on_it) {
  std::vector<calibrate::OutwardPoint> points;
  Dice dice{4};
  const double roll = 0.04, slope = 2e-4;
  for (int i = 0; i < 80; ++i) {
    const double x = dice.uniform(-300, 300), y = dice.uniform(40, 300);
    const double on_road = slope * (std::cos(roll) * y + std::sin(roll) * x);
    const bool kerb = i % 3 == 0;  // nearer than the road behind it
    points.push_back(
        {x, y, on_road * (kerb ? dice.uniform(1.3, 3) : 1) + 3e-4 * dice.normal(), 1e-3});
  }
  const auto plane = calibrate::fit_road(points);
  TEST_ASSERT_TRUE(plane.has_value());
  TEST_ASSERT_DOUBLE_WITHIN(0.005, roll, plane->roll_rad);
  TEST_ASSERT_DOUBLE_WITHIN(0.02 * slope, slope, plane->share_a_row);
  for (calibrate::OutwardPoint& p : points) p.share = dice.uniform(0, 0.2);
  TEST_ASSERT_FALSE(calibrate::fit_road(points).has_value());
  TEST_ASSERT_FALSE(calibrate::fit_road({}).has_value());
}

TEST(the_snippet_is_a_configuration) {
  calibrate::DriveCalibration c;
  c.pitch_deg = -2.3456;
  c.yaw_deg = 1.2;
  c.pitch_sigma_deg = 0.1234;
  CameraSettings camera;
  camera.focal_px = 900;
  camera.k1 = -0.2;
  camera.roll_deg = 0.7;
  camera.height_m = 1.31;
  const LoadResult loaded = parse_config(snippet_of(c, camera, 1280, 720), "snippet");
  TEST_ASSERT_TRUE_MESSAGE(loaded.ok(), loaded.ok() ? "" : loaded.lines()[0].c_str());
  const CameraSettings& read = loaded.config.cameras[0];
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, -2.346, read.pitch_deg);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1.2, read.yaw_deg);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.123, read.pitch_sigma_deg);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 0.7, read.roll_deg);  // not told: as it was
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 900, *read.focal_px);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, -0.2, read.k1);
  TEST_ASSERT_DOUBLE_WITHIN(1e-9, 1.31, read.height_m);
}

TEST(speeds_are_read_between_their_lines) {
  const auto speeds =
      calibrate::Speeds::parse("time,speed\n# a comment\n0, 10\n2,14 , 0.1\r\n3,14,0.3\n", "s.csv");
  TEST_ASSERT_TRUE(speeds);
  TEST_ASSERT_FALSE(speeds->at(-0.1).speed_mps.has_value());
  TEST_ASSERT_EQUAL_DOUBLE(10, *speeds->at(0).speed_mps);
  TEST_ASSERT_EQUAL_DOUBLE(12, *speeds->at(1).speed_mps);
  TEST_ASSERT_FALSE(speeds->at(1).yaw_rate_radps.has_value());
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.2, *speeds->at(2.5).yaw_rate_radps);
  TEST_ASSERT_FALSE(speeds->at(3.1).speed_mps.has_value());
  struct Case {
    const char *text, *what;
  };
  for (const Case& c :
       {Case{"", "no speed"}, Case{"0\n", "must be seconds"},
        Case{"0,a\n", "speed must be a number"}, Case{"0,1\n0,2\n", "time must increase"},
        Case{"0,1\nx,2\n", ":2: must be seconds"}, Case{"0,1,2,3\n", "must be seconds"},
        Case{"0,1,x\n", "yaw rate"}, Case{"0,nan\n", "number"}}) {
    const auto bad = calibrate::Speeds::parse(c.text, "s.csv");
    TEST_ASSERT_FALSE_MESSAGE(bad, c.text);
    TEST_ASSERT_TRUE_MESSAGE(
        std::string{bad.error().what.c_str()}.find(c.what) != std::string::npos,
        bad.error().what.c_str());
  }
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  g_some = !words.empty() && words[0] == "--some";
  return Start::run;
}
