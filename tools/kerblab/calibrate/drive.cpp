// SPDX-License-Identifier: Apache-2.0
// kerblab calibrate drive: how a camera sits in its car, from a drive.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firmware/config/config.hpp"
#include "firmware/ego/configured.hpp"
#include "gpu/flow/motion_points.hpp"
#include "gpu/memory/context.hpp"
#include "tools/calibrate/drive.hpp"
#include "tools/calibrate/speeds.hpp"
#include "tools/kerblab/app/camera_options.hpp"
#include "tools/kerblab/app/input_files.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/app/progress.hpp"
#include "tools/kerblab/calibrate/calibrate.hpp"
#include "tools/kerblab/calibrate/drive_frames.hpp"

namespace kerb::lab {
namespace {

struct DriveOptions {
  std::vector<std::string> images;
  std::string camera, out = "-", draw, speeds;
  CameraOptions mounting;  // what the command line says of it
  std::optional<double> rate, speed;
  double tolerance = 10;
  int step = 0, width = 960, points = 1200, threads = 0;
};

/// What is known of the camera before: a file's, and what the command line says instead.
Result<CameraSettings> camera_of(const DriveOptions& o) {
  CameraSettings camera;
  if (!o.camera.empty()) {
    if (Status plain = check_plain(o.camera); !plain) return plain.error();
    const LoadResult loaded = load_config(o.camera);
    if (!loaded.ok())
      return Error{Errc::invalid_argument, 0, "calibrate", Text<112>{loaded.lines().front()}};
    camera = loaded.config.cameras.front();
  }
  o.mounting.apply(camera);
  return camera;
}

class DriveCommand {
 public:
  explicit DriveCommand(const DriveOptions& options) : o_{options} {}

  Status run() {
    Result<Frames> frames = Frames::open(o_.images);
    if (!frames) return frames.error();
    if (Status ok = check_files(*frames); !ok) return ok;
    Result<CameraSettings> camera = camera_of(o_);
    if (!camera) return camera.error();
    if (!o_.speeds.empty()) {
      Result<calibrate::Speeds> speeds = calibrate::Speeds::read(o_.speeds);
      if (!speeds) return speeds.error();
      speeds_ = std::move(*speeds);
    }
    Result<Context> context = Context::create(BackendChoice::cpu);
    if (!context) return context.error();
    Workers workers{o_.threads};
    const double rate = o_.rate.value_or(frames->rate().value_or(30));
    Result<int> step = o_.step;
    if (o_.step == 0) step = choose_step(*context, workers);
    if (!step) return step.error();
    if (Status ok = look(*frames, *context, workers, rate, *step); !ok) return ok;

    const Camera before = ego::camera_of(*camera, width_, height_);
    calibrate::DriveSettings settings;
    settings.tolerance_deg = o_.tolerance;
    const Result<calibrate::DriveCalibration> found = drive_.solve(before, settings);
    if (!found) return found.error();
    if (!o_.draw.empty()) {
      const Camera after = ego::camera_of(calibrate::merged(*camera, *found), width_, height_);
      calibrate::draw_drive(*found, after, shown_);
      if (Status ok = write_picture(o_.draw, shown_); !ok) return ok;
    }
    if (Status ok = write_output(o_.out, calibrate::snippet_of(*found, *camera, width_, height_));
        !ok)
      return ok;
    summarise(*found, *step);
    return Done{};
  }

 private:
  Status check_files(const Frames& frames) const {
    std::vector<std::string> inputs = frames.files(), outputs{o_.out};
    if (!o_.camera.empty()) inputs.push_back(o_.camera);
    if (!o_.speeds.empty()) inputs.push_back(o_.speeds);
    if (!o_.draw.empty()) outputs.push_back(o_.draw);
    for (const std::string& output : outputs)
      if (Status ok = check_output(output); !ok) return ok;
    if (Status ok = check_distinct(outputs); !ok) return ok;
    return check_apart(outputs, inputs);
  }

  /// The motion of every frame against the one `step` before it.
  Status look(Frames& frames, const Context& context, Workers& workers, double rate, int step) {
    const SystemClock clock;
    Progress progress{clock, "drive"};
    const auto field = std::make_unique<MotionField>();
    const Nanos interval{std::llround(1e9 * step / rate)};
    const std::size_t middle = frames.count() / 2;
    std::vector<std::unique_ptr<flow::MotionPoints>> flows;  // each sees every step-th frame
    for (std::size_t i = 0;; ++i) {
      Result<std::optional<LoadedPicture>> next = frames.next();
      if (!next) return next.error();
      if (!*next) return Done{};
      progress.show(i + 1, std::max(i + 1, frames.count()));
      LoadedPicture& picture = **next;
      if (Status ok = check_size(picture, i); !ok) return ok;
      if (flows.size() < static_cast<std::size_t>(step)) {
        Result<std::unique_ptr<flow::MotionPoints>> made = make_flow(context, workers);
        if (!made) return made.error();
        flows.push_back(std::move(*made));
      }
      const std::size_t thread = i % static_cast<std::size_t>(step);
      PreparedImage image;
      image.grey = {picture.grey.data(), width_, height_, width_};
      if (Status ok = flows[thread]->estimate(image, o_.points, *field); !ok) return ok;
      ego::VehicleMotion vehicle{o_.speed, std::nullopt};
      if (speeds_) vehicle = speeds_->at((static_cast<double>(i) - 0.5 * step) / rate);
      drive_.add(*field, interval, vehicle, thread);
      if (i <= middle) shown_ = std::move(picture.bgr);
    }
  }

  /// How many frames apart the picture has moved far enough for noise to matter little: a focus of
  /// expansion from short motions is drawn to the picture's middle.
  Result<int> choose_step(const Context& context, Workers& workers) {
    Result<Frames> frames = Frames::open(o_.images);
    if (!frames) return frames.error();
    std::unique_ptr<flow::MotionPoints> flow;
    const auto field = std::make_unique<MotionField>();
    std::vector<double> lengths;
    for (std::size_t i = 0; i < kLookedAt; ++i) {
      Result<std::optional<LoadedPicture>> next = frames->next();
      if (!next) return next.error();
      if (!*next) break;
      if (Status ok = check_size(**next, i); !ok) return ok.error();
      if (!flow) {
        Result<std::unique_ptr<flow::MotionPoints>> made = make_flow(context, workers);
        if (!made) return made.error();
        flow = std::move(*made);
      }
      PreparedImage image;
      image.grey = {(*next)->grey.data(), width_, height_, width_};
      if (Status ok = flow->estimate(image, o_.points, *field); !ok) return ok.error();
      for (int k = 0; k < field->count; ++k)
        lengths.push_back(std::hypot(double{field->items[k].dx}, double{field->items[k].dy}));
    }
    if (lengths.empty()) return 1;
    const auto far = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() * 3 / 4);
    std::nth_element(lengths.begin(), far, lengths.end());
    return std::clamp(static_cast<int>(std::lround(kGoodMotion * width_ / std::max(*far, 0.1))), 1,
                      kMostStep);
  }

  Result<std::unique_ptr<flow::MotionPoints>> make_flow(const Context& context,
                                                        Workers& workers) const {
    flow::MotionPointsSettings settings;
    settings.widest = o_.width;
    return flow::MotionPoints::create(context, workers, settings, width_, height_);
  }

  Status check_size(const LoadedPicture& picture, std::size_t index) {
    if (index == 0) {
      width_ = picture.bgr.cols;
      height_ = picture.bgr.rows;
    }
    if (picture.bgr.cols == width_ && picture.bgr.rows == height_) return Done{};
    return Error{Errc::invalid_argument, 0, "calibrate",
                 Text<112>{fmt::format("frame {}: size differs from the first frame", index + 1)}};
  }

  static void summarise(const calibrate::DriveCalibration& c, int step) {
    fmt::print(stderr,
               "frames {} apart: ego-motion found in {} of {}, {} of them straight ahead, {} with "
               "a road\n",
               step, c.found, c.frames, c.straight, c.road);
    fmt::print(
        stderr,
        "pitch {:+.2f} +- {:.2f} degrees (frame to frame {:.2f}), yaw {:+.2f} +- {:.2f} ({:.2f})\n",
        c.pitch_deg, c.pitch_sigma_deg, c.pitch_spread_deg, c.yaw_deg, c.yaw_sigma_deg,
        c.yaw_spread_deg);
    if (c.roll_deg)
      fmt::print(stderr, "roll {:+.2f} +- {:.2f} degrees\n", *c.roll_deg, c.roll_sigma_deg);
    if (c.height_m)
      fmt::print(stderr, "height estimated from the car's speed {:.2f} +- {:.2f} m\n", *c.height_m,
                 c.height_sigma_m);
    for (const std::string& note : c.notes) warn(note);
  }

  static constexpr std::size_t kLookedAt = 40;  // frames, for the step
  static constexpr double kGoodMotion = 0.025;  // of the picture's width, a quarter moves farther
  static constexpr int kMostStep = 10;

  const DriveOptions& o_;
  calibrate::Drive drive_;
  std::optional<calibrate::Speeds> speeds_;
  cv::Mat shown_;
  int width_ = 0, height_ = 0;
};

}  // namespace

void add_calibrate_drive(CLI::App& group, Action& action) {
  CLI::App* command =
      group.add_subcommand("drive", "Calibrate the camera's mounting from a drive straight ahead");
  command->footer(
      "Finds the vanishing point in the frames of a drive that goes mostly straight ahead. It "
      "gives\n"
      "the camera's pitch and yaw with their uncertainties, and the roll if enough of the road is\n"
      "visible. The lens comes from --camera (output of calibrate board, or a configuration) or "
      "from\n"
      "--focal. The height above the road is measured by hand; --speed or --speeds checks it.\n"
      "--draw shows the horizon, the vanishing point (cross), and the road 5, 10, 20 and 40 m "
      "from\n"
      "the camera, between lines 3.5 m apart.\n"
      "Examples:\n"
      "  kerblab calibrate drive --camera lens.toml --height 1.32 --out camera.toml --draw "
      "drive.png\n"
      "    drive.mp4\n"
      "  kerblab calibrate drive --fov 60 --height 1.4 --rate 25 --speeds speeds.csv frames/*.jpg");
  const auto o = std::make_shared<DriveOptions>();
  command
      ->add_option("frame", o->images,
                   "Frames in order, or one video; @FILE reads a list of frames")
      ->required()
      ->option_text("FRAME...");
  add_name_option(*command, "--camera", o->camera,
                  "Configuration with what is known of the camera; the first camera is used");
  add_camera_options(*command, o->mounting, CameraAngles::rough);
  command
      ->add_option("--tolerance", o->tolerance, "Uncertainty of --pitch, --yaw and --roll, degrees")
      ->check(between(1, 30))
      ->capture_default_str();
  command
      ->add_option("--rate", o->rate, "Frame rate, frames per second; default: the video's, or 30")
      ->check(between(0.1, 1000));
  command->add_option("--speed", o->speed, "Constant speed of the car, m/s")
      ->check(between(0.1, 150));
  add_name_option(*command, "--speeds", o->speeds,
                  "CSV file of the car's speed: seconds since the first frame, m/s and, "
                  "optionally, yaw rate in rad/s (left is positive)");
  command
      ->add_option(
          "--step", o->step,
          "Compare each frame with the Nth before it; 0: chosen so that the motion is large enough")
      ->check(CLI::Range(0, 30))
      ->capture_default_str();
  add_name_option(*command, "--out", o->out, "Output file of the table; - is stdout")
      ->capture_default_str();
  add_name_option(*command, "--draw", o->draw,
                  "Draw horizon, vanishing point and distances to this PNG file");
  command
      ->add_option("--width", o->width,
                   "Wider pictures are reduced before flow is measured, pixels")
      ->check(CLI::Range(64, 65535))
      ->capture_default_str();
  command->add_option("--points", o->points, "Most motion vectors per frame")
      ->check(CLI::Range(100, MotionField::kMostSpread))
      ->capture_default_str();
  add_threads_option(*command, o->threads, "Number of threads; 0: one per core");
  run_when_chosen(*command, action, [o] { return DriveCommand{*o}.run(); });
}

}  // namespace kerb::lab
