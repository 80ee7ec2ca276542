// SPDX-License-Identifier: Apache-2.0
#include "tools/calibrate/drive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "tools/calibrate/road_plane.hpp"

namespace kerb::calibrate {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr double kNodding = 0.5;  // seconds: frames nearer to each other err together
// What no drive tells better, however long: load and tank, the road's camber, its slopes.
constexpr double kPitchFloor = 0.1, kYawFloor = 0.1, kRollFloor = 0.3;  // degrees
constexpr double kRoadHalfWidth = 4;                       // metres to both sides that may be road
constexpr double kRoadStart = 0.03;                        // focal lengths below the horizon
constexpr double kHeightFloor = 0.03, kHeightKnown = 0.1;  // shares of it
constexpr double kRollKnown = 0.5;  // degrees: a less certain roll is not told
constexpr int kFewestRoads = 15;

struct Middle {
  double value = 0, spread = 0;
};

/// The median, and the spread of a normal distribution with these quartiles.
Middle middle_of(std::vector<double> values) {
  std::ranges::sort(values);
  const auto at = [&](double share) {
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
  };
  return {at(0.5), (at(0.75) - at(0.25)) / 1.349};
}

/// Of a median of frames that err together for a while.
double sigma_of(const Middle& middle, std::size_t count, double seconds_each) {
  const double alone =
      std::max(1.0, static_cast<double>(count) * std::min(1.0, seconds_each / kNodding));
  return 1.2533 * middle.spread / std::sqrt(alone);
}

}  // namespace

struct Drive::Sums {
  std::vector<double> pitch, yaw, roll, height;  // of each frame used; radians, metres
  double seconds = 0;
  int found = 0;
};

void Drive::add(const MotionField& field, Nanos interval, const ego::VehicleMotion& vehicle,
                std::size_t thread) {
  if (thread >= threads_.size()) threads_.resize(thread + 1);
  threads_[thread].push_back(
      {{field.items, field.items + field.count}, field.has_previous, interval, vehicle});
}

void Drive::go_over(const std::vector<Frame>& frames, const Camera& camera, double tolerance_deg,
                    const DriveSettings& settings, Sums& out) const {
  ego::EgoSettings ego_settings;
  ego_settings.aim_tolerance_rad = tolerance_deg * kDegree;
  ego::EgoEstimator ego{camera, ego_settings};
  const auto field = std::make_unique<MotionField>();
  std::vector<OutwardPoint> road;
  const double f = camera.focal_px;
  for (const Frame& frame : frames) {
    field->count = static_cast<int>(frame.items.size());
    field->has_previous = frame.has_previous;
    std::ranges::copy(frame.items, field->items);
    const ego::EgoMotion& m = ego.update(*field, frame.interval, frame.vehicle);
    if (m.state != ego::EgoState::valid) continue;
    ++out.found;
    if (m.travel != ego::Travel::forward || !m.foe_measured ||
        m.inlier_share < settings.least_inlier_share ||
        std::abs(m.yaw_rate_radps) > settings.straight_radps ||
        m.foe_sigma_px > settings.most_foe_sigma_deg * kDegree * f)
      continue;
    const double pitch = std::atan((m.foe_y - camera.center_y) / f);
    out.pitch.push_back(pitch);
    out.yaw.push_back(std::atan((m.foe_x - camera.center_x) / f * std::cos(pitch)));
    out.seconds += std::chrono::duration<double>{frame.interval}.count();

    road.clear();
    for (const ego::PointResidual& r : ego.residuals()) {
      const double x = double{r.x} - m.foe_x, y = double{r.y} - m.foe_y;
      if (y < kRoadStart * f || std::abs(x) * camera.height_m > kRoadHalfWidth * y) continue;
      const double rho = std::hypot(x, y), share = double{r.inverse_depth};
      if (share <= 0) continue;
      road.push_back({x, y, share, (2 * ego_settings.noise_px + 0.03 * share * rho) / rho});
    }
    const std::optional<RoadPlane> plane = fit_road(road);
    if (!plane) continue;
    out.roll.push_back(camera.roll_rad + plane->roll_rad);
    if (!frame.vehicle.speed_mps || m.speed_distrusted) continue;
    const double way =
        *frame.vehicle.speed_mps * std::chrono::duration<double>{frame.interval}.count();
    out.height.push_back(way * std::cos(pitch) * std::cos(pitch) / (f * plane->share_a_row));
  }
}

Result<DriveCalibration> Drive::solve(const Camera& camera, const DriveSettings& settings) const {
  Camera known = camera;
  DriveCalibration out;
  for (const std::vector<Frame>& frames : threads_) out.frames += static_cast<int>(frames.size());
  const auto count = static_cast<double>(std::max<std::size_t>(threads_.size(), 1));
  for (int pass = 0; pass < 3; ++pass) {
    Sums sums;
    const double tolerance =
        pass == 0 ? settings.tolerance_deg : std::min(settings.tolerance_deg, 5.0);
    for (const std::vector<Frame>& frames : threads_)
      go_over(frames, known, tolerance, settings, sums);
    out.found = sums.found;
    out.straight = static_cast<int>(sums.pitch.size());
    if (out.straight < settings.fewest_frames)
      return Error{Errc::invalid_argument, 0, "calibrate",
                   Text<112>{fmt::format(
                       "the car travels straight ahead in {} of {} frames; at least {} are needed",
                       out.straight, out.frames, settings.fewest_frames)}};
    const double each = sums.seconds / out.straight / count;
    const Middle pitch = middle_of(sums.pitch), yaw = middle_of(sums.yaw);
    known.pitch_rad = pitch.value;
    known.yaw_rad = yaw.value;
    out.pitch_deg = pitch.value / kDegree;
    out.yaw_deg = yaw.value / kDegree;
    out.pitch_spread_deg = pitch.spread / kDegree;
    out.yaw_spread_deg = yaw.spread / kDegree;
    out.pitch_sigma_deg =
        std::hypot(sigma_of(pitch, sums.pitch.size(), each) / kDegree, kPitchFloor);
    out.yaw_sigma_deg = std::hypot(sigma_of(yaw, sums.yaw.size(), each) / kDegree, kYawFloor);
    out.road = static_cast<int>(sums.roll.size());
    out.roll_deg.reset();
    if (out.road >= kFewestRoads) {
      const Middle roll = middle_of(sums.roll);
      const double sigma = sigma_of(roll, sums.roll.size(), each) / kDegree;
      out.roll_sigma_deg = std::hypot(sigma, kRollFloor);
      if (sigma < kRollKnown) {
        out.roll_deg = roll.value / kDegree;
        known.roll_rad = roll.value;
      }
    }
    out.height_m.reset();
    if (sums.height.size() >= static_cast<std::size_t>(kFewestRoads)) {
      const Middle height = middle_of(sums.height);
      const double sigma = sigma_of(height, sums.height.size(), each);
      out.height_sigma_m = std::hypot(sigma, kHeightFloor * height.value);
      if (sigma < kHeightKnown * height.value) out.height_m = height.value;
    }
  }
  if (!out.roll_deg)
    out.notes.emplace_back("the roll cannot be estimated from the road's motion: unchanged");
  if (out.height_m && std::abs(*out.height_m - camera.height_m) > 3 * out.height_sigma_m)
    out.notes.push_back(
        fmt::format("according to the car's speed the camera is {:.2f} +- {:.2f} m above the road, "
                    "not {:.2f} m: measure the height again",
                    *out.height_m, out.height_sigma_m, camera.height_m));
  if (out.straight < 100)
    out.notes.push_back(fmt::format(
        "only {} frames of straight driving: about a minute is recommended", out.straight));
  return out;
}

CameraSettings merged(CameraSettings camera, const DriveCalibration& c) {
  const auto rounded = [](double value) { return std::round(value * 1000) / 1000; };
  camera.pitch_deg = rounded(c.pitch_deg);
  camera.yaw_deg = rounded(c.yaw_deg);
  if (c.roll_deg) camera.roll_deg = rounded(*c.roll_deg);
  camera.pitch_sigma_deg = rounded(c.pitch_sigma_deg);
  return camera;
}

std::string snippet_of(const DriveCalibration& c, const CameraSettings& camera, int width,
                       int height) {
  const CameraSettings m = merged(camera, c);
  std::string out = fmt::format(
      "# kerblab calibrate drive: {} frames of straight driving; pitch +- {:.2f}, yaw +- {:.2f} "
      "degrees{}\n[[camera]]\nwidth = {}\nheight = {}\n",
      c.straight, c.pitch_sigma_deg, c.yaw_sigma_deg,
      c.roll_deg ? fmt::format(", roll +- {:.2f}", c.roll_sigma_deg) : std::string{}, width,
      height);
  if (m.focal_px)
    out += fmt::format("focal_px = {:.3f}\n", *m.focal_px);
  else
    out += fmt::format("fov_deg = {:.3f}\n", m.fov_deg);
  if (m.center_x) out += fmt::format("center_x = {:.3f}\n", *m.center_x);
  if (m.center_y) out += fmt::format("center_y = {:.3f}\n", *m.center_y);
  const auto number = [&](const char* key, double value) {
    if (value != 0) out += fmt::format("{} = {:.6f}\n", key, value);
  };
  number("k1", m.k1);
  number("k2", m.k2);
  number("k3", m.k3);
  number("p1", m.p1);
  number("p2", m.p2);
  out += fmt::format(
      "height_m = {:.3f}\npitch_deg = {:.3f}\nyaw_deg = {:.3f}\nroll_deg = {:.3f}\n"
      "pitch_sigma_deg = {:.3f}\n",
      m.height_m, m.pitch_deg, m.yaw_deg, m.roll_deg, m.pitch_sigma_deg);
  return out;
}

}  // namespace kerb::calibrate
