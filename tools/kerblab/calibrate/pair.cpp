// SPDX-License-Identifier: Apache-2.0
// kerblab calibrate pair: how two cameras of one car are placed relative to each other.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firmware/config/config.hpp"
#include "firmware/lens/camera_geometry.hpp"
#include "hal/base/clock.hpp"
#include "tools/calibrate/pair.hpp"
#include "tools/kerblab/app/input_files.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/app/progress.hpp"
#include "tools/kerblab/calibrate/board_options.hpp"
#include "tools/kerblab/calibrate/calibrate.hpp"
#include "tools/kerblab/pictures/pictures.hpp"

namespace kerb::lab {
namespace {

struct PairOptions {
  std::vector<std::string> cameras, names, first, second;
  BoardOptions board;
  std::string points, out = "-", draw;
  std::vector<double> position;
  double position_error_m = 0.01, distance_error_percent = 2, inlier_px = 3;
};

Error wrong(const std::string& text) {
  return Error{Errc::invalid_argument, 0, "", Text<112>{text}};
}

/// A camera of a file: that of this name. Of a file with one camera `alone` that one, whatever it
/// is called there; it gets the name, unless that is empty.
Result<CameraSettings> camera_in(const std::string& path, const std::string& name, bool alone) {
  if (Status plain = check_plain(path); !plain) return plain.error();
  const LoadResult loaded = load_config(path);
  if (!loaded.ok())
    return Error{Errc::invalid_argument, 0, "calibrate", Text<112>{loaded.lines().front()}};
  const std::vector<CameraSettings>& all = loaded.config.cameras;
  for (const CameraSettings& camera : all)
    if (camera.name == name) return camera;
  if (!alone || all.size() != 1)
    return wrong(fmt::format("{}: no camera is called \"{}\"", path, name));
  CameraSettings only = all.front();
  if (!name.empty()) only.name = name;
  return only;
}

class PairCommand {
 public:
  explicit PairCommand(const PairOptions& options) : o_{options} {}

  Status run() {
    if (Status ok = check_words(); !ok) return ok;
    Result<std::vector<std::string>> first = pictures(o_.first), second = pictures(o_.second);
    if (!first) return first.error();
    if (!second) return second.error();
    if (first->size() != second->size())
      return wrong(fmt::format("--first has {} pictures, --second {}: they must be taken in pairs",
                               first->size(), second->size()));
    first_files_ = std::move(*first);
    second_files_ = std::move(*second);
    if (Status ok = check_files(); !ok) return ok;
    if (Status ok = read_cameras(); !ok) return ok;
    Result<calibrate::PairCalibration> found = o_.points.empty() ? from_boards() : from_points();
    if (!found) return found.error();
    found->pair.first = first_name_;
    found->pair.second = second_name_;
    if (!o_.draw.empty())
      if (Status ok = draw(*found); !ok) return ok;
    if (Status ok = write_output(o_.out, calibrate::snippet_of(*found)); !ok) return ok;
    summarise(*found);
    return Done{};
  }

 private:
  [[nodiscard]] Status check_words() const {
    const bool boards = o_.points.empty();
    if (boards && (o_.board.size.empty() || o_.board.square_m == 0))
      return wrong("needs --size and --square of the board, or --points");
    if (!boards && !o_.board.size.empty()) return wrong("--points and --size exclude each other");
    if (boards && (o_.first.empty() || o_.second.empty()))
      return wrong("needs --first and --second: pictures of the board by both cameras");
    if (boards && !o_.position.empty()) return wrong("--position needs --points");
    if (!boards && !o_.draw.empty() && (o_.first.empty() || o_.second.empty()))
      return wrong("--draw needs --first and --second: a picture by each camera");
    if (!boards && (o_.first.size() > 1 || o_.second.size() > 1))
      return wrong("--points takes one picture of --first and one of --second, to draw on");
    return Done{};
  }
  static Result<std::vector<std::string>> pictures(const std::vector<std::string>& words) {
    if (words.empty()) return std::vector<std::string>{};
    return expand_list(words);
  }

  [[nodiscard]] Status check_files() const {
    std::vector<std::string> inputs = o_.cameras, outputs{o_.out};
    inputs.insert(inputs.end(), first_files_.begin(), first_files_.end());
    inputs.insert(inputs.end(), second_files_.begin(), second_files_.end());
    if (!o_.points.empty()) inputs.push_back(o_.points);
    if (!o_.draw.empty()) outputs.push_back(o_.draw);
    for (const std::string& output : outputs)
      if (Status ok = check_output(output); !ok) return ok;
    if (Status ok = check_distinct(outputs); !ok) return ok;
    return check_apart(outputs, inputs);
  }

  Status read_cameras() {
    const auto name = [&](std::size_t i) { return o_.names.empty() ? "" : o_.names[i]; };
    if (o_.cameras.size() == 1 && o_.names.empty())
      return wrong("one file of --cameras needs --names: which two of its cameras");
    const bool alone = o_.cameras.size() == 2;
    const Result<CameraSettings> first = camera_in(o_.cameras.front(), name(0), alone);
    if (!first) return first.error();
    const Result<CameraSettings> second = camera_in(o_.cameras.back(), name(1), alone);
    if (!second) return second.error();
    if (first->name == second->name)
      return wrong(
          fmt::format("both cameras are called \"{}\": give --names FIRST SECOND", first->name));
    first_ = camera_of(*first, first->width, first->height);
    second_ = camera_of(*second, second->width, second->height);
    first_name_ = first->name;
    second_name_ = second->name;
    return Done{};
  }

  /// Fails also if it is not of the camera's size.
  static Result<LoadedPicture> load(const std::string& path, const Camera& camera,
                                    const std::string& name) {
    Result<LoadedPicture> picture = load_picture(path, false);
    if (!picture) return picture.error();
    if (picture->bgr.cols != camera.width || picture->bgr.rows != camera.height)
      return wrong(fmt::format("{}: {}x{} pixels, camera \"{}\" has {}x{}", path, picture->bgr.cols,
                               picture->bgr.rows, name, camera.width, camera.height));
    return picture;
  }

  Result<calibrate::PairCalibration> from_boards() {
    const Result<calibrate::Board> board = o_.board.board();
    if (!board) return board.error();
    std::vector<calibrate::PairView> views;
    std::vector<std::string> missing;
    {
      const SystemClock clock;
      Progress progress{clock, "pair"};
      for (std::size_t i = 0; i < first_files_.size(); ++i) {
        calibrate::PairView view;
        view.name = first_files_[i] + " and " + second_files_[i];
        bool whole = true;
        for (const bool one : {true, false}) {
          const std::string& path = one ? first_files_[i] : second_files_[i];
          Result<LoadedPicture> picture =
              load(path, one ? first_ : second_, one ? first_name_ : second_name_);
          if (!picture) return picture.error();
          const cv::Mat grey{picture->bgr.size(), CV_8UC1, picture->grey.data()};
          std::optional<std::vector<cv::Point2f>> points = calibrate::find_board(grey, *board);
          if (points) {
            (one ? view.first : view.second) = std::move(*points);
          } else {
            whole = false;
            missing.push_back(
                fmt::format("{}: no complete board of {} {} found", path, o_.board.size,
                            o_.board.pattern == "checkerboard" ? "inner corners" : "circles"));
          }
        }
        progress.show(i + 1, first_files_.size());
        if (!whole) continue;
        views.push_back(std::move(view));
        files_of_view_.push_back(i);
      }
    }
    Result<calibrate::PairCalibration> found =
        calibrate::calibrate_pair(std::move(views), first_, second_, *board, {});
    if (found) found->notes.insert(found->notes.begin(), missing.begin(), missing.end());
    return found;
  }

  Result<calibrate::PairCalibration> from_points() const {
    Result<std::vector<calibrate::PairPoint>> points =
        calibrate::read_pair_points(o_.points, first_, second_);
    if (!points) return points.error();
    calibrate::PairPointSettings settings;
    if (!o_.position.empty())
      settings.position_m = {o_.position[0], o_.position[1], o_.position[2]};
    settings.position_sigma_m = o_.position_error_m;
    settings.distance_sigma = o_.distance_error_percent / 100;
    settings.inlier_px = o_.inlier_px;
    return calibrate::calibrate_pair(std::move(*points), first_, second_, settings);
  }

  [[nodiscard]] Status draw(const calibrate::PairCalibration& found) const {
    std::size_t view = 0, file = 0;
    if (o_.points.empty()) {
      while (!found.views[view].used) ++view;
      file = files_of_view_[view];
    }
    const Result<LoadedPicture> first = load(first_files_[file], first_, first_name_);
    if (!first) return first.error();
    const Result<LoadedPicture> second = load(second_files_[file], second_, second_name_);
    if (!second) return second.error();
    return write_picture(
        o_.draw, calibrate::draw_pair(found, first_, second_, first->bgr, second->bgr, view));
  }

  void summarise(const calibrate::PairCalibration& c) const {
    for (const calibrate::PairView& view : c.views)
      fmt::print(stderr, "{:8.3f} {:.3f} px  {:.2f} m away, tilted {:2.0f} degrees  {}{}\n",
                 view.first_rms_px, view.second_rms_px, view.distance_m, view.tilt_deg, view.name,
                 view.used ? "" : "  (dropped)");
    for (std::size_t i = 0; i < c.points.size(); ++i)
      fmt::print(stderr, "{:8.2f} px  point {}{}\n", c.points[i].error_px, i + 1,
                 c.points[i].used ? "" : "  (dropped)");
    const CameraPair& p = c.pair;
    fmt::print(stderr, "{} of {} {} used; RMS {:.3f} px in {}, {:.3f} px in {}\n", c.used,
               c.points.empty() ? first_files_.size() : c.points.size(),
               c.points.empty() ? "pairs of pictures" : "points", c.first_rms_px, p.first,
               c.second_rms_px, p.second);
    fmt::print(stderr,
               "{} is {:+.4f} +- {:.4f} m ahead of {}, {:+.4f} +- {:.4f} to the left, {:+.4f} +- "
               "{:.4f} above\n",
               p.second, p.ahead_m, c.ahead_sigma_m, p.first, p.left_m, c.left_sigma_m, p.up_m,
               c.up_sigma_m);
    fmt::print(
        stderr, "pitch {:+.3f} +- {:.3f} degrees, yaw {:+.3f} +- {:.3f}, roll {:+.3f} +- {:.3f}\n",
        p.pitch_deg, c.pitch_sigma_deg, p.yaw_deg, c.yaw_sigma_deg, p.roll_deg, c.roll_sigma_deg);
    for (const std::string& note : c.notes) warn(note);
  }

  const PairOptions& o_;
  std::vector<std::string> first_files_, second_files_;
  std::vector<std::size_t> files_of_view_;
  Camera first_, second_;
  std::string first_name_, second_name_;
};

}  // namespace

void add_calibrate_pair(CLI::App& group, Action& action) {
  CLI::App* command = group.add_subcommand(
      "pair", "Calibrate how two cameras of one car are placed relative to each other");
  command->footer(
      "One may be a visible and one a thermal camera. Both lenses must be known (calibrate "
      "board).\n"
      "Either from pictures of a board, taken by both cameras at the same time: near and far, "
      "tilted\n"
      "to all sides, in all parts of both pictures. Or from points marked by hand in a picture of\n"
      "each: a CSV file of x1,y1,x2,y2 or x1,y1,x2,y2,distance. Without distances, --position is\n"
      "needed. Writes a table [[camera_pair]]: append it to the configuration of the car. --draw\n"
      "lays the second picture over the first: circles are the first camera's points, crosses the\n"
      "second's.\n"
      "Examples:\n"
      "  kerblab calibrate pair --cameras visible.toml thermal.toml --names front thermal\n"
      "    --size 9x6 --square 0.05 --first v/*.png --second t/*.png --out pair.toml --draw "
      "pair.png\n"
      "  kerblab calibrate pair --cameras car.toml --names front thermal --points points.csv\n"
      "    --position 0 -0.12 0.03 --out pair.toml");
  const auto o = std::make_shared<PairOptions>();
  command
      ->add_option("--cameras", o->cameras,
                   "Configurations of the first and of the second camera, such as calibrate board "
                   "writes; or one with both")
      ->required()
      ->expected(1, 2)
      ->check(not_empty)
      ->option_text("FILE [FILE]");
  command
      ->add_option("--names", o->names,
                   "Names of the cameras in the car's configuration; default: the files'")
      ->expected(2)
      ->check(not_empty)
      ->option_text("FIRST SECOND");
  command
      ->add_option("--first", o->first, "Pictures by the first camera; @FILE reads a list of paths")
      ->option_text("IMAGE...");
  command
      ->add_option("--second", o->second,
                   "Pictures by the second camera, in the same order: the Nth belongs to the Nth")
      ->option_text("IMAGE...");
  add_board_options(*command, o->board, false);
  add_name_option(*command, "--points", o->points,
                  "CSV file of marked points, instead of a board: x1,y1,x2,y2 or "
                  "x1,y1,x2,y2,distance in metres from the first camera");
  command
      ->add_option("--position", o->position,
                   "Position of the second camera, measured by hand: metres ahead of the first, to "
                   "its left, above it")
      ->expected(3)
      ->check(between(-5, 5))
      ->option_text("AHEAD LEFT UP");
  command->add_option("--position-error", o->position_error_m, "Uncertainty of --position, metres")
      ->check(between(1e-4, 1))
      ->capture_default_str();
  command
      ->add_option("--distance-error", o->distance_error_percent,
                   "Uncertainty of the points' distances, percent")
      ->check(between(0.01, 50))
      ->capture_default_str();
  command
      ->add_option("--inlier", o->inlier_px,
                   "Points that are farther from where the others put them are left out, pixels")
      ->check(between(0.1, 100))
      ->capture_default_str();
  add_name_option(*command, "--out", o->out, "Output file of the table; - is stdout")
      ->capture_default_str();
  add_name_option(*command, "--draw", o->draw,
                  "Draw the second picture and its points over the first to this PNG file");
  run_when_chosen(*command, action, [o] { return PairCommand{*o}.run(); });
}

}  // namespace kerb::lab
