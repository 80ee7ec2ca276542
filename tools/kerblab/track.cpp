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
#include "drivers/replay/picture_files.hpp"
#include "gpu/hog/fusion.hpp"
#include "tools/eval/mot.hpp"
#include "tools/eval/text.hpp"
#include "tools/kerblab/between.hpp"
#include "tools/kerblab/camera_options.hpp"
#include "tools/kerblab/command.hpp"
#include "tools/kerblab/draw.hpp"
#include "tools/kerblab/draw_tracks.hpp"
#include "tools/kerblab/engines.hpp"
#include "tools/kerblab/follower.hpp"
#include "tools/kerblab/frames.hpp"
#include "tools/kerblab/models.hpp"
#include "tools/kerblab/output.hpp"
#include "tools/kerblab/pictures.hpp"
#include "tools/kerblab/progress.hpp"
#include "tools/kerblab/search_options.hpp"
#include "tools/track/sort.hpp"

namespace kerb::lab {
namespace {

namespace fs = std::filesystem;
using replay::failure;

struct TrackOptions {
  std::string sequence, out, model, detections, save, draw, config, method = "kerbwatch";
  std::optional<double> fps, birth;
  double coast_s = 0.25;
  int every = 1, look_every = 1;
  CameraOptions camera;
  SearchOptions how;
};

/// MOT's seqinfo.ini: its line frameRate=N. Fails: damaged (a rate that is none).
Result<std::optional<double>> rate_of(const fs::path& sequence) {
  const std::string file = (sequence / "seqinfo.ini").string();
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return std::optional<double>{};
  const Result<std::string> text = eval::read_text("read sequence", file);
  if (!text) return text.error();
  eval::Lines lines{*text};
  for (std::string_view line; lines.next(line);) {
    const std::vector<std::string_view> parts = eval::split(line, '=');
    if (parts.size() != 2 || parts[0] != "frameRate") continue;
    const std::optional<double> rate = eval::number(parts[1]);
    if (!rate || *rate < 0.1 || *rate > 1000)
      return eval::line_error("read sequence", file, lines.number(), "frameRate: 0.1..1000");
    return rate;
  }
  return std::optional<double>{};
}

/// Boxes of one frame, best first, as many as there is room for.
void take(const std::vector<eval::MotBox>& boxes, std::optional<float> threshold,
          DetectionList& out) {
  out.count = 0;
  for (const eval::MotBox& b : boxes) {
    if (threshold && b.conf < static_cast<double>(*threshold)) continue;
    if (out.count == DetectionList::kCapacity) break;
    out.items[out.count++] = {static_cast<float>(b.box.x), static_cast<float>(b.box.y),
                              static_cast<float>(b.box.w), static_cast<float>(b.box.h),
                              static_cast<float>(b.conf)};
  }
  std::stable_sort(out.items, out.items + out.count,
                   [](const Detection& a, const Detection& b) { return a.score > b.score; });
}

std::vector<eval::MotBox> boxes_of(const DetectionList& found) {
  std::vector<eval::MotBox> boxes;
  for (const Detection* d = found.items; d != found.items + found.count; ++d)
    boxes.push_back(
        {-1, {double{d->x}, double{d->y}, double{d->w}, double{d->h}}, double{d->score}, false});
  return boxes;
}

/// The detector, where no file has its detections already.
class Finder {
 public:
  Status open(const TrackOptions& options, const Context& context, Workers& workers) {
    Result<hog::Model> model = options.model.empty() ? default_model() : load_model(options.model);
    if (!model) return model.error();
    settings_ = settings_for(options.how, model->advice);
    Result<std::unique_ptr<hog::Fusion>> fusion = hog::Fusion::create(settings_.fuse);
    if (!fusion) return fusion.error();
    fusion_ = std::move(*fusion);
    engines_.emplace(context, workers, std::move(*model), settings_.search);
    return Done{};
  }

  Status find(const LoadedPicture& picture, DetectionList& out) {
    const Result<hog::Engine*> engine = engines_->engine(picture.bgr.cols, picture.bgr.rows);
    if (!engine) return engine.error();
    const Result<hog::Engine::Hits> hits = (*engine)->search(picture.view(), settings_.threshold);
    if (!hits) return hits.error();
    fusion_->fuse(*hits, engines_->model().geometry(), (*engine)->plan(), out);
    return Done{};
  }

 private:
  RunSettings settings_;
  std::unique_ptr<hog::Fusion> fusion_;
  std::optional<EngineShelf> engines_;
};

class Track {
 public:
  explicit Track(const TrackOptions& options)
      : options_{options}, is_sort_{options.method == "sort"} {}

  Status run() {
    if (Status ok = read_sequence(); !ok) return ok;
    if (Status ok = read_config(); !ok) return ok;
    if (Status ok = check_outputs(); !ok) return ok;
    if (!options_.detections.empty()) {
      Result<eval::MotBoxes> known = eval::read_mot_detections(options_.detections);
      if (!known) return known.error();
      known_ = *std::move(known);
    }
    if (Status ok = open(); !ok) return ok;
    {
      Progress progress{clock_, "track"};
      for (std::size_t i = 0; i < paths_.size(); ++i) {
        if (Status done = one(i); !done) return done;
        progress.show(i + 1, paths_.size());
      }
    }
    if (drawings_)
      if (Status ok = drawings_->commit(); !ok) return ok;
    if (!options_.save.empty())
      if (Status ok = write_output(options_.save, found_lines_); !ok) return ok;
    if (Status ok = write_output(options_.out, lines_); !ok) return ok;
    summarise();
    return Done{};
  }

 private:
  Status read_sequence() {
    const fs::path folder{options_.sequence};
    std::error_code ignored;
    const fs::path pictures = fs::is_directory(folder / "img1", ignored) ? folder / "img1" : folder;
    Result<std::vector<std::string>> paths = replay::list_pictures(pictures.string());
    if (!paths) return failure(paths.error().code, "read sequence: no pictures", pictures.string());
    paths_ = *std::move(paths);
    Result<std::vector<int>> frames = number_frames("track", paths_, std::nullopt);
    if (!frames) return frames.error();
    frames_ = *std::move(frames);
    if (frames_.front() < 1)
      return failure(Errc::invalid_argument, "track: frames count from 1", paths_.front());
    const Result<std::optional<double>> told = rate_of(folder);
    if (!told) return told.error();
    fps_ = options_.fps.value_or(told->value_or(30));
    return Done{};
  }

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

  Status check_outputs() {
    std::vector<std::string> inputs = paths_, outputs = {options_.out};
    for (const std::string* file : {&options_.model, &options_.detections, &options_.config})
      if (!file->empty()) inputs.push_back(*file);
    if (!options_.save.empty()) outputs.push_back(options_.save);
    for (const std::string& output : outputs)
      if (Status ok = check_output(output); !ok) return ok;
    if (Status ok = check_distinct(outputs); !ok) return ok;
    if (Status ok = check_apart(outputs, inputs); !ok) return ok;
    drawn_.resize(paths_.size());
    if (options_.draw.empty()) return Done{};
    Result<OutputFolder> drawings = OutputFolder::create(options_.draw);
    if (!drawings) return drawings.error();
    drawings_.emplace(std::move(*drawings));
    for (std::size_t i = 0; i < paths_.size(); ++i)
      if ((i + 1) % static_cast<std::size_t>(options_.every) == 0)
        drawn_[i] = drawings_->next(fs::path{paths_[i]}.stem().string(), ".png");
    return check_apart(drawings_->targets(), inputs);
  }

  Status open() {
    Result<Context> context = Context::create(options_.how.backend);
    if (!context) return context.error();
    context_.emplace(std::move(*context));
    workers_.emplace(options_.how.threads);
    if (!options_.detections.empty()) return Done{};
    return finder_.emplace().open(options_, *context_, *workers_);
  }

  /// Another size than the first picture's is no sequence.
  Status check_size(const LoadedPicture& picture, const std::string& path) {
    if (width_ == 0) {
      width_ = picture.bgr.cols;
      height_ = picture.bgr.rows;
    }
    if (picture.bgr.cols == width_ && picture.bgr.rows == height_) return Done{};
    return failure(Errc::invalid_argument, "track: another size than the first picture", path);
  }

  Status one(std::size_t index) {
    LoadedPicture picture;
    // SORT looks at boxes alone.
    if (!is_sort_ || finder_ || !drawn_[index].empty()) {
      Result<LoadedPicture> loaded = load_picture(paths_[index], true);
      if (!loaded) return loaded.error();
      picture = *std::move(loaded);
      if (Status ok = check_size(picture, paths_[index]); !ok) return ok;
    }
    const bool looks = index % static_cast<std::size_t>(options_.look_every) == 0;
    found_.count = 0;
    if (looks)
      if (Status ok = find(picture, frames_[index]); !ok) return ok;
    return is_sort_ ? step_sort(picture, index) : step_people(picture, index, looks);
  }

  Status find(const LoadedPicture& picture, int frame) {
    const Nanos start = clock_.now();
    if (finder_) {
      if (Status ok = finder_->find(picture, found_); !ok) return ok;
    } else {
      take(known_[frame], options_.how.threshold, found_);
    }
    find_time_ += clock_.now() - start;
    detections_ += found_.count;
    if (options_.save.empty()) return Done{};
    for (const Detection* d = found_.items; d != found_.items + found_.count; ++d)
      found_lines_ +=
          fmt::format("{},-1,{},{},{},{},{},-1,-1,-1\n", frame, d->x, d->y, d->w, d->h, d->score);
    return Done{};
  }

  void tell(int frame, const eval::MotBox& b, const std::string& place) {
    ids_.insert(b.id);
    ++boxes_;
    lines_ += fmt::format("{},{},{:.2f},{:.2f},{:.2f},{:.2f},{:.4g},{}\n", frame, b.id, b.box.x,
                          b.box.y, b.box.w, b.box.h, b.conf, place);
  }

  Status step_sort(LoadedPicture& picture, std::size_t index) {
    // Frames that are missing in the sequence are frames without detections.
    for (int frame = last_frame_ + 1; index > 0 && frame < frames_[index]; ++frame)
      static_cast<void>(sort_.update({}));
    last_frame_ = frames_[index];
    const Nanos start = clock_.now();
    const std::vector<eval::MotBox> told = sort_.update(boxes_of(found_));
    sort_time_ += clock_.now() - start;
    for (const eval::MotBox& b : told) tell(frames_[index], b, "-1,-1,-1");
    if (drawn_[index].empty()) return Done{};
    draw_boxes(picture.bgr, told);
    draw_caption(picture.bgr, fmt::format("frame {}", frames_[index]));
    return write_png(drawn_[index], picture.bgr);
  }

  Status step_people(LoadedPicture& picture, std::size_t index, bool looks) {
    if (!follower_) {
      track::TrackerSettings settings;
      settings.birth_score = options_.birth.value_or(settings.birth_score);
      Result<std::unique_ptr<Follower>> follower =
          Follower::create(*context_, *workers_, config_, settings, width_, height_);
      if (!follower) return follower.error();
      follower_ = std::move(*follower);
    }
    const double seconds = 1 + (frames_[index] - frames_.front()) / fps_;
    const Nanos captured{std::llround(1e9 * seconds)};
    if (Status ok = follower_->step(picture, captured, looks ? &found_ : nullptr, people_); !ok)
      return ok;
    std::vector<track::Person> told;
    for (const track::Person* p = people_.items; p != people_.items + people_.count; ++p)
      if (p->confirmed &&
          std::chrono::duration<double>(captured - p->last_seen).count() <= options_.coast_s + 1e-6)
        told.push_back(*p);
    std::sort(told.begin(), told.end(),
              [](const track::Person& a, const track::Person& b) { return a.id < b.id; });
    for (const track::Person& p : told) {
      const eval::Box box{double{p.box.x}, double{p.box.y}, double{p.box.w}, double{p.box.h}};
      tell(frames_[index], {static_cast<int>(p.id), box, p.certainty, false},
           fmt::format("{:.2f},{:.2f},0", p.x_m, p.y_m));
    }
    if (drawn_[index].empty()) return Done{};
    const ego::EgoMotion& motion = follower_->motion();
    const bool is_known = motion.state == ego::EgoState::valid;
    const double pitch_more = motion.pitch_rad - follower_->camera().pitch_rad;
    draw_people(picture.bgr, told, follower_->camera(), is_known ? pitch_more : 0);
    draw_caption(picture.bgr,
                 fmt::format("frame {}  {}", frames_[index],
                             is_known ? name_of(motion.travel) : name_of(motion.state)));
    return write_png(drawn_[index], picture.bgr);
  }

  void summarise() const {
    const auto ms = [this](Nanos time) {
      return std::chrono::duration<double, std::milli>(time).count() /
             static_cast<double>(paths_.size());
    };
    std::string times = finder_ ? fmt::format("detecting {:.1f} ms a frame, ", ms(find_time_)) : "";
    times += follower_ ? fmt::format("flow {:.1f}, ego motion and tracking {:.2f} ms",
                                     ms(follower_->flow_time()), ms(follower_->track_time()))
                       : fmt::format("tracking {:.2f} ms", ms(sort_time_));
    fmt::print(stderr, "{} frames at {:g} a second, {} detections; {} boxes of {} people; {}\n",
               paths_.size(), fps_, detections_, boxes_, ids_.size(), times);
    if (const std::string note = default_model_note();
        finder_ && options_.model.empty() && !note.empty())
      warn(note);
  }

  const TrackOptions& options_;
  bool is_sort_;
  SystemClock clock_;
  Config config_;
  std::vector<std::string> paths_;
  std::vector<int> frames_;  // the number of each
  double fps_ = 30;
  eval::MotBoxes known_;  // detections from a file
  std::optional<Context> context_;
  std::optional<Workers> workers_;
  std::optional<Finder> finder_;  // none: known_ has it all
  std::unique_ptr<Follower> follower_;
  Sort sort_{SortSettings{}};
  std::optional<OutputFolder> drawings_;
  std::vector<std::string> drawn_;  // where each frame's drawing goes; empty: not drawn
  DetectionList found_;
  track::PersonList people_;
  std::string lines_, found_lines_;
  std::set<int> ids_;
  Nanos find_time_{}, sort_time_{};
  int width_ = 0, height_ = 0, last_frame_ = 0, detections_ = 0, boxes_ = 0;
};

}  // namespace

void add_track(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("track", "Follow people through a sequence of pictures");
  command->footer(
      "The sequence is a folder of pictures, or one with a folder img1, as MOT's are; the numbers\n"
      "their names end with are the frames'. Writes MOT text: frame,id,x,y,w,h,certainty and, of\n"
      "kerbwatch, metres ahead of the rear axle and to the left of it, and 0.\n"
      "kerbwatch is the product's: detector, flow, the camera's own motion, tracks on the road.\n"
      "Only confirmed people are told, and for --coast seconds after the detector saw them last.\n"
      "sort is the yardstick: SORT (Bewley et al. 2016) on the same detections.\n"
      "--draw shows id, metres from the middle of the rear axle, where each will be in a second, "
      "and\n"
      "at the upper right all of them from above.\n"
      "Lens and mounting are those of --config's first camera, the options' where given.\n"
      "Example: kerblab track --sequence KITTI-17 --fps 10 --focal 707 --center 604 180\n"
      "  --height 1.65 --out tracks.txt --save-detections found.txt --draw drawn --every 10");
  const auto o = std::make_shared<TrackOptions>();
  command->add_option("--sequence", o->sequence, "Folder of the frames")
      ->required()
      ->check(not_empty);
  command->add_option("--out", o->out, "Where the tracks go; - is stdout")
      ->required()
      ->check(not_empty);
  command->add_option("--method", o->method, "kerbwatch or sort")
      ->check(CLI::IsMember({"kerbwatch", "sort"}))
      ->capture_default_str();
  command->add_option("--model", o->model, "Model of the detector; else the shipped one")
      ->check(not_empty);
  command
      ->add_option("--detections", o->detections,
                   "Instead of detecting: MOT text, conf is the score; those of --threshold and "
                   "above, all where it is unset")
      ->check(not_empty);
  command->add_option("--save-detections", o->save, "Writes them, for --detections")
      ->check(not_empty);
  command
      ->add_option("--fps", o->fps,
                   "Frames a second; else as seqinfo.ini tells, or 30 where there is none")
      ->check(between(0.1, 1000));
  command->add_option("--birth", o->birth, "kerbwatch: least score that begins somebody")
      ->check(between(-1e6, 1e6));
  command
      ->add_option("--coast", o->coast_s,
                   "kerbwatch: seconds for which somebody is told whom the detector misses")
      ->check(between(0, 60))
      ->capture_default_str();
  command->add_option("--look-every", o->look_every, "Detect in each so-manieth frame only")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--draw", o->draw, "Folder for a PNG a frame")->check(not_empty);
  command->add_option("--every", o->every, "Draw each so-manieth frame")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command
      ->add_option("--config", o->config,
                   "Configuration of the product: camera, flow and motion as there")
      ->check(not_empty);
  add_camera_options(*command, o->camera);
  add_search_options(*command, o->how, "Least score of a detection; else as advised");
  command->callback([o, &action] {
    action = [o] {
      if (Status ok = read_settings(o->how); !ok) return fail(ok.error());
      const Status done = Track{*o}.run();
      return done ? 0 : fail(done.error());
    };
  });
}

}  // namespace kerb::lab
