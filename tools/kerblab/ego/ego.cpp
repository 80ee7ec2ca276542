// SPDX-License-Identifier: Apache-2.0
// kerblab ego: the camera's own motion through a sequence of pictures, and what moves by itself.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <string>
#include <vector>

#include "firmware/config/config.hpp"
#include "firmware/ego/configured.hpp"
#include "firmware/ego/ego_estimator.hpp"
#include "firmware/ego/motion_estimator.hpp"
#include "gpu/flow/motion_points.hpp"
#include "gpu/memory/context.hpp"
#include "tools/eval/mot.hpp"
#include "tools/kerblab/app/camera_options.hpp"
#include "tools/kerblab/app/command.hpp"
#include "tools/kerblab/app/frames.hpp"
#include "tools/kerblab/app/input_files.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/app/progress.hpp"
#include "tools/kerblab/pictures/draw.hpp"
#include "tools/kerblab/pictures/pictures.hpp"

namespace kerb::lab {
namespace {

using Json = nlohmann::ordered_json;
using ego::RegionVerdict;

struct EgoOptions {
  std::vector<std::string> images;
  CameraOptions camera;
  EgoMotionSettings ego;
  std::string json = "-", draw, boxes, method = "auto", backend = "auto";
  double rate = 30;
  std::optional<double> speed, yaw_rate;
  std::optional<int> first;
  int width = 640, points = 1200, every = 1, threads = 0;
  bool fixed = false;
};

cv::Scalar colour_of(RegionVerdict verdict) {
  switch (verdict) {
    case RegionVerdict::moving:
      return {0, 0, 255};
    case RegionVerdict::standing:
      return {0, 200, 0};
    case RegionVerdict::unknown:
      break;
  }
  return {0, 190, 255};
}

class Ego {
 public:
  explicit Ego(const EgoOptions& options) : options_{options} {}

  Status run() {
    const Result<std::vector<std::string>> paths = expand_list(options_.images);
    if (!paths) return paths.error();
    if (Status ok = check_output(options_.json); !ok) return ok;
    std::vector<std::string> inputs = *paths;
    if (!options_.boxes.empty()) inputs.push_back(options_.boxes);
    if (Status ok = check_apart({options_.json}, inputs); !ok) return ok;
    if (!options_.boxes.empty()) {
      Result<eval::MotBoxes> boxes = eval::read_mot(options_.boxes);
      if (!boxes) return boxes.error();
      boxes_ = std::move(*boxes);
    }
    const Result<std::vector<int>> frames = number_frames("ego", *paths, options_.first);
    if (!frames) return frames.error();
    BackendChoice choice = BackendChoice::automatic;
    parse(options_.backend, choice);
    Result<Context> context = Context::create(choice);
    if (!context) return context.error();
    context_.emplace(std::move(*context));
    workers_.emplace(options_.threads);
    if (!options_.draw.empty()) {
      Result<OutputFolder> drawings = OutputFolder::create(options_.draw);
      if (!drawings) return drawings.error();
      drawings_.emplace(std::move(*drawings));
      for (std::size_t i = 0; i < paths->size(); ++i)
        drawn_.push_back(
            is_drawn(i)
                ? drawings_->next(std::filesystem::path{(*paths)[i]}.stem().string(), ".png")
                : std::string{});
      if (Status ok = check_apart(drawings_->targets(), inputs); !ok) return ok;
    }
    {
      Progress progress{clock_, "ego"};
      for (std::size_t i = 0; i < paths->size(); ++i) {
        if (Status done = one((*paths)[i], i, (*frames)[i]); !done) return done;
        progress.show(i + 1, paths->size());
      }
    }
    if (drawings_)
      if (Status ok = drawings_->commit(); !ok) return ok;
    if (Status ok = write_output(options_.json, lines_); !ok) return ok;
    summarise();
    return Done{};
  }

 private:
  [[nodiscard]] bool is_drawn(std::size_t index) const {
    return (index + 1) % static_cast<std::size_t>(options_.every) == 0;
  }

  Status open(int width, int height) {
    flow::MotionPointsSettings settings;
    settings.method = options_.method == "ncc"      ? flow::Method::block_matching
                      : options_.method == "lk"     ? flow::Method::lucas_kanade
                      : options_.method == "points" ? flow::Method::points
                                                    : flow::Method::automatic;
    settings.widest = options_.width;
    Result<std::unique_ptr<flow::MotionPoints>> points =
        flow::MotionPoints::create(*context_, *workers_, settings, width, height);
    if (!points) return points.error();
    points_ = std::move(*points);
    CameraSettings camera;
    options_.camera.apply(camera);
    if (Status ok = check_calibration(camera, width, height); !ok) return ok;
    ego_.emplace(ego::camera_of(camera, width, height), ego::settings_of(options_.ego));
    width_ = width;
    height_ = height;
    return Done{};
  }

  Status one(const std::string& path, std::size_t index, int frame) {
    Result<LoadedPicture> picture = load_picture(path, false);
    if (!picture) return picture.error();
    cv::Mat& bgr = picture->bgr;
    if (!ego_)
      if (Status ok = open(bgr.cols, bgr.rows); !ok) return ok;
    if (bgr.cols != width_ || bgr.rows != height_)
      return Error{Errc::invalid_argument, 0, "ego",
                   Text<112>{path + ": size differs from the first picture"}};
    PreparedImage image;
    image.grey = {picture->grey.data(), width_, height_, width_};
    const Nanos start = clock_.now();
    if (Status ok = points_->estimate(image, options_.points, *field_); !ok) return ok;
    const Nanos flowed = clock_.now();
    const ego::VehicleMotion vehicle{options_.speed, options_.yaw_rate};
    std::vector<ego::Region> people;
    std::vector<Detection> closer;
    for (const eval::MotBox& b : boxes_[frame]) {
      people.push_back({b.box.x, b.box.y, b.box.w, b.box.h});
      closer.push_back({static_cast<float>(b.box.x), static_cast<float>(b.box.y),
                        static_cast<float>(b.box.w), static_cast<float>(b.box.h), 1});
    }
    points_->add_points_within(closer.data(), static_cast<int>(closer.size()),
                               ego::kPointsPerPerson, *field_);
    const int passed = index > 0 ? frame - last_frame_ : 1;  // some may be missing
    last_frame_ = frame;
    const Nanos interval{std::llround(1e9 * passed / options_.rate)};
    const ego::EgoMotion& motion = ego_->update(*field_, interval, vehicle, people);
    std::vector<ego::RegionMotion> judged;
    judged.reserve(people.size());
    for (const ego::Region& region : people) judged.push_back(ego_->region(region));
    const Nanos done = clock_.now();
    flow_time_ += flowed - start;
    ego_time_ += done - flowed;
    ++frames_;
    if (motion.state == ego::EgoState::valid) ++valid_;
    for (std::size_t i = 0; i < judged.size(); ++i) count(frame, boxes_[frame][i], judged[i]);
    write_line(path, motion, frame, judged);
    if (!drawings_ || !is_drawn(index)) return Done{};
    draw(bgr, motion, people, judged, frame);
    return write_png(drawn_[index], bgr);
  }

  /// How fast a box itself moves in the picture, as metres a second of somebody 1.7 m tall: from
  /// three and a half frames before to as many after.
  [[nodiscard]] std::optional<double> own_speed(int frame, const eval::MotBox& b) const {
    const auto find = [&](int at) -> const eval::Box* {
      const auto found = boxes_.find(at);
      if (found == boxes_.end()) return nullptr;
      for (const eval::MotBox& other : found->second)
        if (other.id == b.id) return &other.box;
      return nullptr;
    };
    const eval::Box *before = find(frame - 4), *after = find(frame + 3);
    if (before == nullptr || after == nullptr) return std::nullopt;
    const double dx = after->x + after->w / 2 - before->x - before->w / 2;
    const double dy = after->y + after->h / 2 - before->y - before->h / 2;
    return std::hypot(dx, dy) / 7 * options_.rate * 1.7 / b.box.h;
  }

  void count(int frame, const eval::MotBox& b, const ego::RegionMotion& judged) {
    const auto verdict = static_cast<std::size_t>(judged.verdict);
    ++verdicts_[verdict];
    if (!options_.fixed) return;
    if (const std::optional<double> speed = own_speed(frame, b))
      ++by_speed_[*speed < kSlow ? 0 : *speed < kFast ? 1 : 2][verdict];
  }

  void write_line(const std::string& path, const ego::EgoMotion& m, int frame,
                  const std::vector<ego::RegionMotion>& judged) {
    const bool travels = m.state == ego::EgoState::valid && m.travel != ego::Travel::none;
    Json line = {{"image", path},
                 {"frame", frame},
                 {"state", name_of(m.state)},
                 {"travel", name_of(m.travel)},
                 {"yaw_distrusted", m.yaw_distrusted},
                 {"speed_distrusted", m.speed_distrusted},
                 {"pitch_rate_radps", m.pitch_rate_radps},
                 {"yaw_rate_radps", m.yaw_rate_radps},
                 {"roll_rate_radps", m.roll_rate_radps},
                 {"foe", travels ? Json{m.foe_x, m.foe_y} : Json{}},
                 {"foe_sigma_px", m.foe_sigma_px},
                 {"horizon_row", m.horizon_row},
                 {"horizon_sigma_px", m.horizon_sigma_px},
                 {"points", m.points},
                 {"inlier_share", m.inlier_share},
                 {"noise_px", m.noise_px}};
    Json regions = Json::array();
    for (std::size_t i = 0; i < judged.size(); ++i) {
      const eval::MotBox& b = boxes_[frame][i];
      regions.push_back({{"id", b.id},
                         {"x", b.box.x},
                         {"y", b.box.y},
                         {"w", b.box.w},
                         {"h", b.box.h},
                         {"verdict", name_of(judged[i].verdict)},
                         {"residual", {judged[i].rx, judged[i].ry}},
                         {"sigma_px", judged[i].sigma},
                         {"significance", judged[i].significance},
                         {"points", judged[i].points}});
    }
    if (!options_.boxes.empty()) line["regions"] = std::move(regions);
    lines_ += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }

  void draw(cv::Mat& bgr, const ego::EgoMotion& m, const std::vector<ego::Region>& people,
            const std::vector<ego::RegionMotion>& judged, int frame) {
    for (const ego::PointResidual& r : ego_->residuals()) {
      const cv::Point2f at{r.x, r.y};
      if (r.significance >= 4)
        cv::arrowedLine(bgr, at, at + cv::Point2f{3 * r.rx, 3 * r.ry}, {0, 0, 255}, 1, cv::LINE_AA,
                        0, 0.3);
      else
        cv::circle(bgr, at, 1, {220, 170, 0}, cv::FILLED);
    }
    for (std::size_t i = 0; i < people.size(); ++i) {
      const ego::Region& b = people[i];
      const cv::Scalar colour = colour_of(judged[i].verdict);
      cv::rectangle(bgr, cv::Rect2d{b.x, b.y, b.w, b.h}, colour, 2);
      cv::putText(bgr, std::to_string(boxes_[frame][i].id), cv::Point2d{b.x + 3, b.y + 14},
                  cv::FONT_HERSHEY_SIMPLEX, 0.45, colour, 1, cv::LINE_AA);
    }
    const int row = static_cast<int>(std::lround(m.horizon_row));
    cv::line(bgr, {0, row}, {bgr.cols, row}, {255, 255, 0}, 1);
    if (m.state == ego::EgoState::valid && m.travel != ego::Travel::none)
      cv::drawMarker(bgr, cv::Point2d{m.foe_x, m.foe_y}, {255, 0, 255}, cv::MARKER_CROSS, 24, 2);
    const std::string text =
        fmt::format("{} {}  yaw {:+.3f} pitch {:+.3f} roll {:+.3f} rad/s  {:.0f} % of {}",
                    name_of(m.state), name_of(m.travel), m.yaw_rate_radps, m.pitch_rate_radps,
                    m.roll_rate_radps, 100 * m.inlier_share, m.points);
    cv::putText(bgr, text, {8, bgr.rows - 8}, cv::FONT_HERSHEY_SIMPLEX, 0.5, {0, 0, 0}, 3,
                cv::LINE_AA);
    cv::putText(bgr, text, {8, bgr.rows - 8}, cv::FONT_HERSHEY_SIMPLEX, 0.5, {255, 255, 255}, 1,
                cv::LINE_AA);
  }

  void summarise() const {
    const auto ms = [&](Nanos sum) {
      return std::chrono::duration<double, std::milli>(sum).count() / std::max(frames_, 1);
    };
    fmt::print(stderr,
               "ego-motion found in {} of {} frames; {} in {}x{}: {:.1f} ms per frame, ego-motion "
               "and regions {:.1f} ms\n",
               valid_, frames_, points_ ? points_->name() : "-", points_ ? points_->width() : 0,
               points_ ? points_->height() : 0, ms(flow_time_), ms(ego_time_));
    if (options_.boxes.empty()) return;
    const auto row = [](const std::array<int, 3>& v) {
      return fmt::format("{} moving, {} standing, {} unknown", v[2], v[1], v[0]);
    };
    fmt::print(stderr, "people: {}\n", row(verdicts_));
    if (!options_.fixed) return;
    fmt::print(stderr,
               "by the speed of the boxes: under {} m/s: {}\n"
               "  {} to {} m/s: {}\n"
               "  over {} m/s: {}\n",
               kSlow, row(by_speed_[0]), kSlow, kFast, row(by_speed_[1]), kFast, row(by_speed_[2]));
  }

  static constexpr double kSlow = 0.25, kFast = 0.6;

  const EgoOptions& options_;
  SystemClock clock_;
  std::optional<Context> context_;
  std::optional<Workers> workers_;
  std::unique_ptr<flow::MotionPoints> points_;
  std::optional<ego::EgoEstimator> ego_;
  std::unique_ptr<MotionField> field_ = std::make_unique<MotionField>();
  std::optional<OutputFolder> drawings_;
  std::vector<std::string> drawn_;  // where each frame's drawing goes; empty: not drawn
  eval::MotBoxes boxes_;
  std::string lines_;
  Nanos flow_time_{}, ego_time_{};
  int width_ = 0, height_ = 0, frames_ = 0, valid_ = 0, last_frame_ = 0;
  std::array<int, 3> verdicts_{};
  std::array<std::array<int, 3>, 3> by_speed_{};
};

}  // namespace

void add_ego(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("ego", "Estimate ego-motion through a sequence, and which objects move");
  command->footer(
      "The pictures are the frames of one sequence, in order. Writes one JSON line per picture: "
      "state,\n"
      "direction of travel, rotation rates, focus of expansion, horizon and, with --boxes, "
      "whether\n"
      "each box moves by itself. --draw shows motion that the camera's motion explains as dots, "
      "other\n"
      "motion as arrows (three times as long). Boxes are red if they move, green if they stand, "
      "amber\n"
      "if unknown. The cross is the focus of expansion, the line the horizon.\n"
      "Without --speed and --yaw-rate everything is estimated from the pictures.\n"
      "Example: kerblab ego --focal 711 --rate 10 --boxes gt.txt --draw drawn --json ego.jsonl\n"
      "  img1/*.jpg");
  const auto o = std::make_shared<EgoOptions>();
  command->add_option("image", o->images, "Frames, in order; @FILE reads a list, one path per line")
      ->required()
      ->option_text("IMAGE...");
  add_name_option(*command, "--json", o->json, "Output file of the JSON lines; - is stdout")
      ->capture_default_str();
  add_name_option(*command, "--draw", o->draw, "Folder for one PNG file per frame");
  command->add_option("--every", o->every, "Draw every Nth frame")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  add_name_option(*command, "--boxes", o->boxes,
                  "Boxes of people to classify as moving or standing: MOT text");
  command
      ->add_option("--first", o->first,
                   "Frame number of the first picture in --boxes; default: the numbers in the file "
                   "names, or 1 if there are none")
      ->check(CLI::Range(0, 100000000));
  command->add_flag(
      "--camera-stands", o->fixed,
      "The camera stands still: also group the verdicts by the speed of the boxes in the picture");
  add_camera_options(*command, o->camera);
  command
      ->add_option("--tolerance", o->ego.aim_tolerance_deg,
                   "Largest angle between the direction of travel and --pitch, --yaw, degrees")
      ->check(between(0.5, 30))
      ->capture_default_str();
  command
      ->add_option("--noise", o->ego.noise_px,
                   "Standard deviation of a good corner's motion, pixels")
      ->check(between(0.02, 5))
      ->capture_default_str();
  command->add_option("--nearest", o->ego.nearest_m, "Nearest distance of standing objects, metres")
      ->check(between(0.2, 20))
      ->capture_default_str();
  command->add_option("--slope", o->ego.slope_deg, "Largest rise of the road ahead, degrees")
      ->check(between(0, 10))
      ->capture_default_str();
  command
      ->add_option("--significance", o->ego.significance,
                   "Residual, in standard deviations, from which an object counts as moving")
      ->check(between(2, 20))
      ->capture_default_str();
  command->add_option("--walking", o->ego.walking_mps, "Slowest walk that must be measurable, m/s")
      ->check(between(0.2, 3))
      ->capture_default_str();
  command->add_option("--rate", o->rate, "Frame rate, frames per second")
      ->check(between(0.1, 1000))
      ->capture_default_str();
  command->add_option("--speed", o->speed, "Constant speed of the car, m/s; default: unknown")
      ->check(between(-50, 150));
  command
      ->add_option("--yaw-rate", o->yaw_rate,
                   "Constant yaw rate of the car, left is positive, rad/s; default: unknown")
      ->check(between(-10, 10));
  command
      ->add_option("--method", o->method,
                   "Flow method: lk, ncc, points, or auto (points on the CPU, lk on CUDA)")
      ->check(CLI::IsMember({"auto", "lk", "ncc", "points"}))
      ->capture_default_str();
  command
      ->add_option("--width", o->width,
                   "Wider pictures are reduced before flow is measured, pixels")
      ->check(CLI::Range(64, 65535))
      ->capture_default_str();
  command->add_option("--points", o->points, "Most motion vectors per frame")
      ->check(CLI::Range(1, MotionField::kMostSpread))
      ->capture_default_str();
  add_backend_option(*command, o->backend);
  add_threads_option(*command, o->threads);
  run_when_chosen(*command, action, [o] { return Ego{*o}.run(); });
}

}  // namespace kerb::lab
