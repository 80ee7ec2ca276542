// SPDX-License-Identifier: Apache-2.0
// kerblab track: people through a sequence of pictures, as MOT text and as drawings.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "drivers/replay/picture.hpp"
#include "firmware/ego/configured.hpp"
#include "tools/eval/mot.hpp"
#include "tools/kerblab/app/camera_options.hpp"
#include "tools/kerblab/app/command.hpp"
#include "tools/kerblab/app/numbers.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/app/progress.hpp"
#include "tools/kerblab/detect/finder.hpp"
#include "tools/kerblab/model/models.hpp"
#include "tools/kerblab/model/search_options.hpp"
#include "tools/kerblab/pictures/draw.hpp"
#include "tools/kerblab/pictures/pictures.hpp"
#include "tools/kerblab/track/decider.hpp"
#include "tools/kerblab/track/draw_tracks.hpp"
#include "tools/kerblab/track/follower.hpp"
#include "tools/kerblab/track/product_finder.hpp"
#include "tools/kerblab/track/sequence.hpp"
#include "tools/track/byte_track.hpp"
#include "tools/track/mounting.hpp"
#include "tools/track/sort.hpp"

namespace kerb::lab {
namespace {

namespace fs = std::filesystem;
using replay::failure;

struct TrackOptions {
  std::string sequence, out, model, detections, save, draw, config, method = "kerbwatch";
  std::string warnings, speed;
  bool as_product = false;
  std::optional<double> fps, birth, high;
  double coast_s = 0.2;
  int every = 1, look_every = 1;
  CameraOptions camera;
  SearchOptions how;
};

/// Detections of one frame, best first, as many as there is room for.
std::vector<Detection> detections_of(const std::vector<eval::MotBox>& boxes,
                                     std::optional<float> threshold) {
  std::vector<Detection> out;
  for (const eval::MotBox& b : boxes)
    if (!threshold || b.conf >= static_cast<double>(*threshold))
      out.push_back({static_cast<float>(b.box.x), static_cast<float>(b.box.y),
                     static_cast<float>(b.box.w), static_cast<float>(b.box.h),
                     static_cast<float>(b.conf)});
  std::stable_sort(out.begin(), out.end(),
                   [](const Detection& a, const Detection& b) { return a.score > b.score; });
  if (out.size() > DetectionList::kCapacity) out.resize(DetectionList::kCapacity);
  return out;
}

std::vector<eval::MotBox> boxes_of(const std::vector<Detection>& found) {
  std::vector<eval::MotBox> boxes;
  boxes.reserve(found.size());
  for (const Detection& d : found)
    boxes.push_back(
        {-1, {double{d.x}, double{d.y}, double{d.w}, double{d.h}}, double{d.score}, false});
  return boxes;
}

/// Who is told of a frame: confirmed people who are seen or, for `coast_s` seconds, should be: not
/// who has left the picture, nor who is behind another.
std::vector<track::Person> told_of(const track::PersonList& people, Nanos captured, double coast_s,
                                   int width, int height) {
  constexpr double kInPicture = 0.7, kHidden = 0.5;  // shares of a box
  const auto box = [](const track::Person& p) {
    return eval::Box{double{p.box.x}, double{p.box.y}, double{p.box.w}, double{p.box.h}};
  };
  const auto* const end = people.items + people.count;
  std::vector<track::Person> told;
  for (const auto* p = people.items; p != end; ++p) {
    if (!p->confirmed) continue;
    const double unseen = std::chrono::duration<double>(captured - p->last_seen).count();
    const auto hides = [&](const track::Person& other) {
      return other.seen && other.confirmed && other.id != p->id &&
             eval::covered(box(*p), box(other)) > kHidden;
    };
    const eval::Box picture{0, 0, double(width), double(height)};
    if (p->seen || (unseen <= coast_s + 1e-6 && eval::covered(box(*p), picture) >= kInPicture &&
                    std::none_of(people.items, end, hides)))
      told.push_back(*p);
  }
  std::sort(told.begin(), told.end(),
            [](const track::Person& a, const track::Person& b) { return a.id < b.id; });
  return told;
}

class Track {
 public:
  explicit Track(const TrackOptions& options)
      : options_{options}, by_boxes_{options.method != "kerbwatch"} {
    if (options.method != "bytetrack") return;
    ByteTrackSettings settings;
    settings.low_score = -1e9;  // of those that are read
    settings.high_score = options.high.value_or(settings.high_score);
    byte_track_.emplace(settings);
  }

  Status run() {
    Result<Sequence> sequence = read_sequence(options_.sequence, options_.fps);
    if (!sequence) return sequence.error();
    sequence_ = *std::move(sequence);
    if (Status ok = read_config(); !ok) return ok;
    if (Status ok = read_speed(); !ok) return ok;
    if (Status ok = check_outputs(); !ok) return ok;
    Result<Context> context = Context::create(options_.how.backend);
    if (!context) return context.error();
    context_.emplace(std::move(*context));
    workers_.emplace(options_.how.threads);
    if (Status ok = !options_.detections.empty() ? read_all()
                    : options_.as_product        ? find_all_as_product()
                                                 : find_all();
        !ok)
      return ok;
    if (Status ok = follow_all(); !ok) return ok;
    if (drawings_)
      if (Status ok = drawings_->commit(); !ok) return ok;
    if (!options_.save.empty())
      if (Status ok = write_output(options_.save, found_text()); !ok) return ok;
    if (decider_)
      if (Status ok = write_output(options_.warnings, Decider::kHeader + decider_->lines()); !ok)
        return ok;
    if (Status ok = write_output(options_.out, lines_); !ok) return ok;
    summarise();
    return Done{};
  }

 private:
  Status read_config() {
    if (!options_.config.empty()) {
      LoadResult loaded = load_config(options_.config);
      if (!loaded.ok())
        return Error{Errc::invalid_argument, 0, "read configuration",
                     Text<112>{loaded.lines().front()}};
      config_ = std::move(loaded.config);
    }
    options_.camera.apply(config_.cameras.front());
    return Done{};
  }

  /// A number, km/h, or "road".
  Status read_speed() {
    const bool mounted =
        !options_.config.empty() || (options_.camera.height_m && options_.camera.pitch_deg);
    if ((!options_.warnings.empty() || options_.as_product) && !mounted)
      return Error{Errc::invalid_argument, 0, "track",
                   "--warnings and --as-product need --height and --pitch, or --config"};
    if (!options_.warnings.empty() && (by_boxes_ || options_.speed.empty()))
      return Error{Errc::invalid_argument, 0, "track",
                   "--warnings needs --speed and --method kerbwatch"};
    if (!options_.warnings.empty())
      decider_.emplace(config_.decisions.warning.at(config_.warning.sensitivity));
    car_.by_the_road = options_.speed == "road";
    if (options_.speed.empty() || car_.by_the_road) return Done{};
    const Result<std::vector<double>> kmh =
        parse_numbers("--speed", "a speed in km/h, nor road", options_.speed, 1, 1);
    if (!kmh) return kmh.error();
    if (!(std::abs(kmh->front()) <= 300))
      return Error{Errc::invalid_argument, 0, "--speed", "must be at most 300 km/h"};
    car_.speed_mps = kmh->front() / 3.6;
    return Done{};
  }

  Status check_outputs() {
    std::vector<std::string> inputs = sequence_.paths, outputs = {options_.out};
    for (const std::string* file : {&options_.model, &options_.detections, &options_.config})
      if (!file->empty()) inputs.push_back(*file);
    for (const std::string* file : {&options_.save, &options_.warnings})
      if (!file->empty()) outputs.push_back(*file);
    for (const std::string& output : outputs)
      if (Status ok = check_output(output); !ok) return ok;
    if (Status ok = check_distinct(outputs); !ok) return ok;
    if (Status ok = check_apart(outputs, inputs); !ok) return ok;
    drawn_.resize(sequence_.paths.size());
    if (options_.draw.empty()) return Done{};
    Result<OutputFolder> drawings = OutputFolder::create(options_.draw);
    if (!drawings) return drawings.error();
    drawings_.emplace(std::move(*drawings));
    for (std::size_t i = 0; i < drawn_.size(); ++i)
      if ((i + 1) % static_cast<std::size_t>(options_.every) == 0)
        drawn_[i] = drawings_->next(fs::path{sequence_.paths[i]}.stem().string(), ".png");
    return check_apart(drawings_->targets(), inputs);
  }

  [[nodiscard]] bool looks_at(std::size_t index) const {
    return index % static_cast<std::size_t>(options_.look_every) == 0;
  }

  /// Another size than the first picture's is no sequence.
  Result<LoadedPicture> load(std::size_t index) {
    const std::string& path = sequence_.paths[index];
    Result<LoadedPicture> picture = load_picture(path, true);
    if (!picture) return picture;
    if (width_ == 0) {
      width_ = picture->bgr.cols;
      height_ = picture->bgr.rows;
      if (Status ok = check_calibration(config_.cameras.front(), width_, height_); !ok)
        return ok.error();
    }
    if (picture->bgr.cols == width_ && picture->bgr.rows == height_) return picture;
    return failure(Errc::invalid_argument, "track: size differs from the first picture", path);
  }

  Status find_all() {
    Result<hog::Model> model =
        options_.model.empty() ? default_model() : load_model(options_.model);
    if (!model) return model.error();
    Result<Finder> finder = Finder::create(*context_, *workers_, *std::move(model), options_.how);
    if (!finder) return finder.error();
    return find_with(*finder);
  }

  Status find_all_as_product() {
    if (const Result<LoadedPicture> first = load(0); !first) return first.error();
    Config config = config_;
    if (!options_.model.empty()) config.detector.model = options_.model;
    config.vision_threads = options_.how.threads;
    Result<ProductFinder> finder = ProductFinder::create(std::move(config), width_, height_);
    if (!finder) return finder.error();
    return find_with(*finder);
  }

  template <typename Any>
  Status find_with(Any& finder) {
    Progress progress{clock_, "detect"};
    const auto list = std::make_unique<DetectionList>();
    for (std::size_t i = 0; i < sequence_.paths.size(); ++i) {
      std::vector<Detection>& found = found_.emplace_back();
      if (!looks_at(i)) continue;
      const Result<LoadedPicture> picture = load(i);
      if (!picture) return picture.error();
      const Nanos start = clock_.now();
      if (Status ok = finder.find(*picture, *list); !ok) return ok;
      find_time_ += clock_.now() - start;
      found.assign(list->items, list->items + list->count);
      progress.show(i + 1, sequence_.paths.size());
    }
    return Done{};
  }

  Status read_all() {
    Result<eval::MotBoxes> known = eval::read_mot_detections(options_.detections);
    if (!known) return known.error();
    for (std::size_t i = 0; i < sequence_.frames.size(); ++i) {
      std::vector<Detection>& found = found_.emplace_back();
      if (looks_at(i)) found = detections_of((*known)[sequence_.frames[i]], options_.how.threshold);
    }
    return Done{};
  }

  [[nodiscard]] std::string found_text() const {
    std::string text;
    for (std::size_t i = 0; i < found_.size(); ++i)
      for (const Detection& d : found_[i])
        text += fmt::format("{},-1,{},{},{},{},{},-1,-1,-1\n", sequence_.frames[i], d.x, d.y, d.w,
                            d.h, d.score);
    return text;
  }

  Status follow_all() {
    Progress progress{clock_, "track"};
    for (std::size_t i = 0; i < sequence_.paths.size(); ++i) {
      LoadedPicture picture;
      if (!by_boxes_ || !drawn_[i].empty()) {
        Result<LoadedPicture> loaded = load(i);
        if (!loaded) return loaded.error();
        picture = *std::move(loaded);
      }
      if (Status ok = by_boxes_ ? step_boxes(picture, i) : step_people(picture, i); !ok) return ok;
      progress.show(i + 1, sequence_.paths.size());
    }
    return Done{};
  }

  void tell(int frame, const eval::MotBox& b, const std::string& place) {
    ids_.insert(b.id);
    ++boxes_;
    lines_ += fmt::format("{},{},{:.2f},{:.2f},{:.2f},{:.2f},{:.4g},{}\n", frame, b.id, b.box.x,
                          b.box.y, b.box.w, b.box.h, b.conf, place);
  }

  /// SORT and ByteTrack look at boxes alone.
  Status step_boxes(LoadedPicture& picture, std::size_t index) {
    const auto update = [this](const std::vector<eval::MotBox>& boxes) {
      return byte_track_ ? byte_track_->update(boxes) : sort_.update(boxes);
    };
    const int frame = sequence_.frames[index];
    // Frames that are missing in the sequence are frames without detections.
    for (int missing = last_frame_ + 1; index > 0 && missing < frame; ++missing)
      static_cast<void>(update({}));
    last_frame_ = frame;
    const Nanos start = clock_.now();
    const std::vector<eval::MotBox> told = update(boxes_of(found_[index]));
    boxes_time_ += clock_.now() - start;
    for (const eval::MotBox& b : told) tell(frame, b, "-1,-1,-1");
    if (drawn_[index].empty()) return Done{};
    draw_boxes(picture.bgr, told);
    draw_caption(picture.bgr, fmt::format("frame {}", frame));
    return write_png(drawn_[index], picture.bgr);
  }

  [[nodiscard]] bool is_mounting_told() const {
    return !options_.config.empty() || options_.camera.height_m || options_.camera.pitch_deg;
  }

  /// Where nobody says how the camera sits, the people say it.
  void find_mounting() {
    if (is_mounting_told()) return;
    std::vector<Detection> all;
    for (const std::vector<Detection>& frame : found_)
      all.insert(all.end(), frame.begin(), frame.end());
    // The surer half: a tree is no person who stands.
    std::stable_sort(all.begin(), all.end(),
                     [](const Detection& a, const Detection& b) { return a.score > b.score; });
    all.resize((all.size() + 1) / 2);
    std::vector<eval::Box> boxes;
    for (const eval::MotBox& b : boxes_of(all)) boxes.push_back(b.box);
    CameraSettings& camera = config_.cameras.front();
    const Camera lens = ego::camera_of(camera, width_, height_);
    const std::optional<Mounting> fitted =
        fit_mounting(boxes, lens.focal_px, lens.center_y, height_);
    mounting_ =
        fitted
            ? fmt::format(
                  "; mounting estimated from {} of {} boxes: {:.2f} m high, pitch {:.2f} degrees",
                  std::lround(fitted->share * fitted->boxes), fitted->boxes, fitted->height_m,
                  fitted->pitch_deg)
            : std::string{"; mounting unknown, the configuration's defaults are used"};
    if (!fitted) return;
    camera.height_m = fitted->height_m;
    camera.pitch_deg = fitted->pitch_deg;
  }

  Status step_people(LoadedPicture& picture, std::size_t index) {
    if (!follower_) {
      find_mounting();
      track::TrackerSettings settings = config_.decisions.tracker;
      settings.birth_score = options_.birth.value_or(settings.birth_score);
      // A box that does not fit the road says nothing of a person where the road is a guess.
      if (!is_mounting_told()) settings.existence.strain = 0;
      Result<std::unique_ptr<Follower>> follower =
          Follower::create(*context_, *workers_, config_, settings, car_, width_, height_);
      if (!follower) return follower.error();
      follower_ = std::move(*follower);
    }
    const int frame = sequence_.frames[index];
    const double seconds = 1 + (frame - sequence_.frames.front()) / sequence_.fps;
    const Nanos captured{std::llround(1e9 * seconds)};
    list_.count = static_cast<int>(found_[index].size());
    std::copy(found_[index].begin(), found_[index].end(), list_.items);
    if (Status ok = follower_->step(picture, captured, looks_at(index) ? &list_ : nullptr, report_);
        !ok)
      return ok;
    WarningDecision warning;
    if (decider_) {
      const bool is_last = index + 1 == sequence_.frames.size();
      const int next = is_last ? frame + 1 : sequence_.frames[index + 1];
      const Nanos end = captured + Nanos{std::llround(1e9 * (next - frame) / sequence_.fps)};
      warning = decider_->step(frame, report_, follower_->vehicle(), end);
    }
    const std::vector<track::Person> told =
        told_of(report_.people, captured, options_.coast_s, width_, height_);
    for (const track::Person& p : told) {
      const eval::Box box{double{p.box.x}, double{p.box.y}, double{p.box.w}, double{p.box.h}};
      tell(frame, {static_cast<int>(p.id), box, p.certainty, false},
           fmt::format("{:.2f},{:.2f},0", p.x_m, p.y_m));
    }
    if (drawn_[index].empty()) return Done{};
    const ego::EgoMotion& motion = follower_->motion();
    const bool is_known = motion.state == ego::EgoState::valid;
    std::string caption = fmt::format("frame {}  {}", frame,
                                      is_known ? name_of(motion.travel) : name_of(motion.state));
    if (const std::optional<double> speed = follower_->vehicle().speed_mps)
      caption += fmt::format("  {:.1f} km/h", 3.6 * *speed);
    const CarSettings& car = config_.car;
    draw_path(picture.bgr, follower_->path(), {car.width_m, car.length_m, car.axle_to_bumper_m},
              follower_->camera());
    draw_caption(picture.bgr, caption);
    cv::Mat drawn = drawn_people(picture.bgr, told, follower_->camera());
    draw_warning(drawn({0, 0, picture.bgr.cols, picture.bgr.rows}), warning);
    return write_png(drawn_[index], drawn);
  }

  void summarise() const {
    const auto ms = [this](Nanos time) {
      return std::chrono::duration<double, std::milli>(time).count() /
             static_cast<double>(sequence_.paths.size());
    };
    std::size_t detections = 0;
    for (const std::vector<Detection>& frame : found_) detections += frame.size();
    const bool detected = options_.detections.empty();
    std::string times = detected ? fmt::format("detection {:.1f}, ", ms(find_time_)) : "";
    times += follower_ ? fmt::format("flow {:.1f}, ego-motion and tracking {:.2f} ms per frame",
                                     ms(follower_->flow_time()), ms(follower_->track_time()))
                       : fmt::format("tracking {:.2f} ms per frame", ms(boxes_time_));
    fmt::print(stderr, "{} frames at {:g} per second, {} detections; {} boxes of {} people; {}{}\n",
               sequence_.paths.size(), sequence_.fps, detections, boxes_, ids_.size(), times,
               mounting_);
    if (decider_)
      fmt::print(stderr, "{} collision warnings, {} information signals\n",
                 decider_->count(WarningLevel::collision),
                 decider_->count(WarningLevel::information));
    if (const std::string note = default_model_note();
        detected && options_.model.empty() && !note.empty())
      warn(note);
  }

  const TrackOptions& options_;
  bool by_boxes_;
  SystemClock clock_;
  Sequence sequence_;
  Config config_;
  std::optional<Context> context_;
  std::optional<Workers> workers_;
  std::vector<std::vector<Detection>> found_;  // in each frame, best first
  std::unique_ptr<Follower> follower_;
  Sort sort_{SortSettings{}};
  std::optional<ByteTrack> byte_track_;
  std::optional<OutputFolder> drawings_;
  std::vector<std::string> drawn_;  // where each frame's drawing goes; empty: not drawn
  DetectionList list_;
  risk::PeopleReport report_;
  AssumedCar car_;
  std::optional<Decider> decider_;
  std::string lines_, mounting_;
  std::set<int> ids_;
  Nanos find_time_{}, boxes_time_{};
  int width_ = 0, height_ = 0, last_frame_ = 0, boxes_ = 0;
};

}  // namespace

void add_track(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("track", "Track people through a sequence of pictures");
  command->footer(
      "The sequence is a folder of pictures, or one that contains a folder img1, as in MOT's data. "
      "The\n"
      "numbers at the end of the file names are the frame numbers. Writes MOT text:\n"
      "frame,id,x,y,w,h,certainty and, with kerbwatch, the distance ahead of the rear axle and to "
      "its\n"
      "left in metres, and 0.\n"
      "kerbwatch uses the product's detector, flow, ego-motion and tracker on the road. Only "
      "confirmed\n"
      "people are written, until --coast seconds after their last detection, unless they left the\n"
      "picture or are hidden behind another person.\n"
      "sort and bytetrack are for comparison: SORT (Bewley et al. 2016) and ByteTrack (Zhang et "
      "al. 2022)\n"
      "on the same detections.\n"
      "--draw shows id, distance from the middle of the rear axle in metres, the position in one "
      "second,\n"
      "and at the right all people from above.\n"
      "--warnings writes the warnings the driver would have got, one line each; --draw then has a "
      "red\n"
      "border (collision) or a yellow one (information). It needs --speed, because a recording "
      "without\n"
      "a bus has no speed, and the mounting.\n"
      "Lens and mounting are those of the first camera of --config; options override them. "
      "Without\n"
      "--config, --height and --pitch, camera height and pitch are estimated from the detected "
      "people,\n"
      "assuming that they are 1.7 m tall and the road is flat.\n"
      "Example: kerblab track --sequence KITTI-17 --fps 10 --focal 707 --center 604 180\n"
      "  --out tracks.txt --save-detections found.txt --draw drawn --every 10");
  const auto o = std::make_shared<TrackOptions>();
  command->add_option("--sequence", o->sequence, "Folder of the frames")
      ->required()
      ->check(not_empty);
  command->add_option("--out", o->out, "Output file of the tracks; - is stdout")
      ->required()
      ->check(not_empty);
  command->add_option("--method", o->method, "Tracker: kerbwatch, sort or bytetrack")
      ->check(CLI::IsMember({"kerbwatch", "sort", "bytetrack"}))
      ->capture_default_str();
  add_name_option(*command, "--model", o->model, "Model of the detector; default: the shipped one");
  add_name_option(*command, "--detections", o->detections,
                  "Read detections from this file instead of detecting: MOT text, conf is the "
                  "score; only those of at least --threshold, if given");
  add_name_option(*command, "--save-detections", o->save,
                  "Write the detections to this file, for --detections");
  command
      ->add_option("--fps", o->fps,
                   "Frame rate, frames per second; default: as in seqinfo.ini, or 30")
      ->check(between(0.1, 1000));
  command
      ->add_option("--high", o->high,
                   "bytetrack: lowest score of the first association; the detections below take "
                   "part in the second")
      ->check(between(-1e6, 1e6));
  command->add_option("--birth", o->birth, "kerbwatch: lowest score that starts a track")
      ->check(between(-1e6, 1e6));
  command
      ->add_option("--coast", o->coast_s,
                   "kerbwatch: seconds without a detection for which a person is still written")
      ->check(between(0, 60))
      ->capture_default_str();
  command->add_option("--look-every", o->look_every, "Detect only in every Nth frame")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  add_name_option(*command, "--draw", o->draw, "Folder for one PNG file per frame");
  command->add_option("--every", o->every, "Draw every Nth frame")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  add_name_option(*command, "--config", o->config,
                  "Configuration of the product: its settings of camera, flow and motion are used");
  add_name_option(
      *command, "--speed", o->speed,
      "kerbwatch: constant speed of the car, km/h; or road: measured from the motion of the road "
      "and the camera's height. The yaw rate comes from the pictures. Default: unknown");
  add_name_option(*command, "--warnings", o->warnings,
                  "kerbwatch: output file of the warnings the driver would get; - is stdout");
  command->add_flag("--as-product", o->as_product,
                    "Detect with [detector] of --config, or its defaults, on a CPU, instead of the "
                    "options below");
  add_camera_options(*command, o->camera);
  add_search_options(*command, o->how, "Lowest score of a detection; default: the model's advice");
  run_when_chosen(*command, action, [o]() -> Status {
    if (Status ok = read_settings(o->how); !ok) return ok;
    return Track{*o}.run();
  });
}

}  // namespace kerb::lab
