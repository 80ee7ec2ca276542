// SPDX-License-Identifier: Apache-2.0
// kerblab visibility: how far people are seen in pictures, as the product measures it.
#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "firmware/lens/camera_geometry.hpp"
#include "firmware/visibility/view_meter.hpp"
#include "tools/kerblab/app/camera_options.hpp"
#include "tools/kerblab/app/command.hpp"
#include "tools/kerblab/app/input_files.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/pictures/pictures.hpp"

namespace kerb::lab {
namespace {

using Json = nlohmann::ordered_json;

struct VisibilityOptions {
  std::vector<std::string> images;
  std::string json = "-";
  CameraOptions camera;
  ViewMeterSettings meter;
  double rate_hz = 30;
  bool film = false, bands = false;
};

Status measure(const VisibilityOptions& o) {
  const Result<std::vector<std::string>> paths = expand_list(o.images);
  if (!paths) return paths.error();
  if (Status ok = check_output(o.json); !ok) return ok;
  if (Status ok = check_apart({o.json}, *paths); !ok) return ok;
  CameraSettings settings;
  o.camera.apply(settings);
  std::string lines;
  std::optional<ViewMeter> meter;
  int width = 0, height = 0;
  Nanos now{};
  for (const std::string& path : *paths) {
    const Result<LoadedPicture> picture = load_picture(path, false);
    if (!picture) return picture.error();
    const bool same = picture->bgr.cols == width && picture->bgr.rows == height;
    if (!same) {
      width = picture->bgr.cols;
      height = picture->bgr.rows;
      if (Status ok = check_calibration(settings, width, height); !ok) return ok;
    }
    // Of a film the usual sharpness is learned; single pictures have nothing to do with another.
    if (!same || !o.film) meter.emplace(camera_of(settings, width, height), o.meter);
    now += std::chrono::nanoseconds{static_cast<Nanos::rep>(1e9 / o.rate_hz)};
    const ViewMeasurement view = meter->measure(picture->view().grey, now);
    Json line;
    line["image"] = path;
    line["known"] = view.known;
    line["distance_m"] = view.distance_m;
    line["spread"] = view.spread;
    line["limit"] = name_of(view.limit);
    line["clear_m"] = view.clear_m;
    line["visibility_m"] = view.visibility_m;
    line["sharpness"] = view.sharpness;
    line["noise"] = view.noise;
    if (o.bands)
      for (const ViewBand& band : meter->bands())
        line["bands"].push_back(
            {{"distance_m", band.distance_m}, {"level", band.level}, {"behind", band.behind}});
    lines += line.dump() + "\n";
  }
  return write_output(o.json, lines);
}

}  // namespace

void add_visibility(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("visibility", "Measure how far people are seen in pictures");
  command->footer(
      "Writes one JSON line per picture: the distance ahead of the front bumper up to which a\n"
      "person in dark clothes is seen, the standard deviation of its logarithm (spread), what "
      "ends\n"
      "it (limit: size, light, fog, glass), the visibility in the air, the sharpness and the "
      "noise.\n"
      "The last seconds and the tracked people, which the product counts too, are not in it.\n"
      "Example: kerblab visibility --fov 60 --height 1.3 --bumper 1.7 street/img1/*.png");
  const auto o = std::make_shared<VisibilityOptions>();
  command->add_option("image", o->images, "Pictures; @FILE reads a list, one path per line")
      ->required()
      ->option_text("IMAGE...");
  add_name_option(*command, "--json", o->json, "Output file of the JSON lines; - is stdout");
  add_camera_options(*command, o->camera);
  command->add_option("--bumper", o->meter.to_bumper_m, "From the camera to the front bumper, m")
      ->capture_default_str()
      ->check(between(-5, 20));
  command
      ->add_option("--smallest", o->meter.smallest_px,
                   "Height of the smallest person that is searched, pixels")
      ->capture_default_str()
      ->check(between(8, 4096));
  command
      ->add_option("--ratio", o->meter.least_ratio,
                   "Least ratio of a person's contrast to the noise at their size")
      ->capture_default_str()
      ->check(between(0.1, 1000));
  command
      ->add_option("--response", o->meter.response,
                   "Grey value as a power of the light: 1 for raw samples, 0.5 for encoded ones")
      ->capture_default_str()
      ->check(between(0.2, 2));
  command->add_option("--rate", o->rate_hz, "Pictures per second, with --film")
      ->capture_default_str()
      ->check(between(0.1, 1000));
  command->add_flag("--film", o->film, "The pictures are a film: learn its usual sharpness");
  command->add_flag("--bands", o->bands, "Also write the levels of the road by distance");
  run_when_chosen(*command, action, [o] { return measure(*o); });
}

}  // namespace kerb::lab
