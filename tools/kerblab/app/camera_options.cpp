// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/app/camera_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "firmware/config/rules.hpp"
#include "firmware/schema/reader.hpp"
#include "tools/kerblab/app/options.hpp"

namespace kerb::lab {
namespace {

/// Of the first camera's lens, or of how it looks at the road.
bool is_of_calibration(std::string_view key) {
  constexpr std::string_view kCamera = "camera[0].";
  if (!key.starts_with(kCamera)) return false;
  const std::string_view name = key.substr(kCamera.size());
  for (const std::string_view one :
       {"focal_px", "fov_deg", "center_x", "center_y", "pitch_deg", "k1", "k2", "k3", "p1", "p2"})
    if (name == one) return true;
  return false;
}

}  // namespace

void CameraOptions::apply(CameraSettings& settings) const {
  if (fov_deg) {
    settings.fov_deg = *fov_deg;
    settings.focal_px.reset();
  }
  if (focal_px) settings.focal_px = focal_px;
  if (center.size() == 2) {
    settings.center_x = center[0];
    settings.center_y = center[1];
  }
  settings.height_m = height_m.value_or(settings.height_m);
  settings.pitch_deg = pitch_deg.value_or(settings.pitch_deg);
  settings.yaw_deg = yaw_deg.value_or(settings.yaw_deg);
  settings.roll_deg = roll_deg.value_or(settings.roll_deg);
  settings.ahead_m = ahead_m.value_or(settings.ahead_m);
}

Status check_calibration(const CameraSettings& settings, int width, int height) {
  const auto wrong = [](const std::string& what) {
    return Error{Errc::invalid_argument, 0, "calibration", Text<112>{what}};
  };
  if (settings.center_x.value_or(0) < 0 || settings.center_y.value_or(0) < 0)
    return wrong("the optical axis must lie within the picture: --center is below zero");
  Config config;
  config.cameras = {settings};
  config.cameras.front().kind = CameraKind::pattern;
  config.cameras.front().width = width;
  config.cameras.front().height = height;
  schema::Reader reader;
  config::check_rules(config, reader);
  for (const schema::Problem& problem : reader.problems())
    if (is_of_calibration(problem.key))
      return wrong(fmt::format("{} {} {}", problem.key.substr(problem.key.find('.') + 1),
                               problem.value, problem.rule));
  return Done{};
}

void add_camera_options(CLI::App& command, CameraOptions& options, CameraAngles angles) {
  const bool rough = angles == CameraAngles::rough;
  const CameraSettings usual;
  const auto add = [&command](const char* name, std::optional<double>& out, double least,
                              double most, const std::string& help) {
    command.add_option(name, out, help)->check(between(least, most));
  };
  add("--focal", options.focal_px, 1, 1e5, "Focal length, pixels");
  add("--fov", options.fov_deg, 5, 170,
      fmt::format("Horizontal angle of view, degrees, if --focal is not given; default: {:g}",
                  usual.fov_deg));
  command
      .add_option("--center", options.center, "Position of the optical axis in the picture, pixels")
      ->expected(2)
      ->check(between(rough ? 0 : -1e5, 1e5))
      ->option_text("X Y");
  add("--height", options.height_m, 0.1, 10,
      fmt::format("Height of the camera above the road, metres; default: {:g}", usual.height_m));
  add("--pitch", options.pitch_deg, -45, 45,
      rough ? "Approximate pitch of the camera, upwards is positive, degrees"
            : "Pitch of the camera, upwards is positive, degrees");
  add("--yaw", options.yaw_deg, -45, 45, "Yaw of the camera, to the left is positive, degrees");
  if (rough) {
    add("--roll", options.roll_deg, -45, 45,
        "Roll of the camera, right side down is positive, degrees");
    return;
  }
  add("--ahead", options.ahead_m, -20, 20,
      fmt::format("Distance of the camera ahead of the rear axle, metres; default: {:g}",
                  usual.ahead_m));
}

}  // namespace kerb::lab
