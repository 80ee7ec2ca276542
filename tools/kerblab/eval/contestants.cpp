// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/eval/contestants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <opencv2/objdetect.hpp>
#include <variant>

#include "drivers/replay/picture.hpp"
#include "gpu/hog/fusion.hpp"
#include "hal/base/clock.hpp"
#include "tools/eval/names.hpp"
#include "tools/files/text.hpp"
#include "tools/kerblab/app/progress.hpp"
#include "tools/kerblab/model/searches.hpp"
#include "tools/kerblab/pictures/pictures.hpp"

namespace kerb::lab {
namespace {

double milliseconds(Nanos time) { return std::chrono::duration<double, std::milli>(time).count(); }

class ModelRun {
 public:
  ModelRun(const EvalRun& run, hog::Model model) : run_{run}, model_{std::move(model)} {}

  Result<Performance> operator()() {
    Result<Context> context = Context::create(run_.how.backend);
    if (!context) return context.error();
    context_.emplace(std::move(*context));
    workers_.emplace(run_.how.threads);
    settings_ = settings_for(run_.how, model_);
    // Windows for FPPW: without fusion a dense model's curve may go further down.
    window_least_ = model_.look_again ? -1e9F : settings_.threshold;  // of windows, not of people
    if (!run_.crops.empty() && std::holds_alternative<hog::DenseModel>(model_.kind))
      window_least_ = std::min(window_least_, model_.advice.threshold - 1);
    if (Status ok = hog::validate(settings_.fuse); !ok) return ok.error();
    colour_ = run_.how.colour || hog::needs_colour(model_);
    searches_.emplace(*context_, *workers_, model_, settings_.search, settings_.fuse);

    out_.name = model_.name;
    out_.recommended = static_cast<double>(model_.advice.threshold);
    out_.settings = settings();
    out_.learners = std::visit([](const auto& m) { return learners_of(m); }, model_.kind);
    has_negatives_ = std::any_of(run_.pictures.begin(), run_.pictures.end(),
                                 [](const EvalPicture& p) { return p.is_negative; });
    Progress progress{clock_, model_.name};
    const std::size_t all = run_.pictures.size() + run_.crops.size();
    std::size_t done = 0;
    for (const EvalPicture& picture : run_.pictures) {
      if (Status ok = search(picture); !ok) return ok.error();
      progress.show(++done, all);
    }
    for (const std::string& crop : run_.crops) {
      if (Status ok = score_crop(crop); !ok) return ok.error();
      progress.show(++done, all);
    }
    return std::move(out_);
  }

 private:
  static std::int64_t learners_of(const hog::DenseModel& m) {
    return std::int64_t{m.blocks_x()} * m.blocks_y();
  }
  static std::int64_t learners_of(const hog::CascadeModel& m) { return m.learner_count(); }

  [[nodiscard]] std::string settings() const {
    std::string text = fmt::format("scale {} stride {} fusion {}", settings_.search.scale_step,
                                   settings_.search.stride, name_of(settings_.fuse.kind));
    if (settings_.search.padding != 0) text += fmt::format(" padding {}", settings_.search.padding);
    if (settings_.search.min_height != 0)
      text += fmt::format(" min-height {}", settings_.search.min_height);
    if (settings_.threshold > -1e9F) text += fmt::format(" threshold {}", settings_.threshold);
    return text;
  }

  Status search(const EvalPicture& picture) {
    const Result<LoadedPicture> loaded = load_picture(picture.path, colour_);
    if (!loaded) return loaded.error();
    const Result<hog::PeopleSearch*> search = searches_->search(loaded->bgr.cols, loaded->bgr.rows);
    if (!search) return search.error();
    const Nanos start = clock_.now();
    if (Status ok = (*search)->find(loaded->view(), settings_.threshold, people_); !ok) return ok;
    Seen& seen = out_.seen.emplace_back();
    seen.ms = milliseconds(clock_.now() - start);
    seen.width = loaded->bgr.cols;
    seen.height = loaded->bgr.rows;
    for (int i = 0; i < people_.count; ++i) {
      const Detection& d = people_.items[i];
      seen.boxes.push_back({{d.x, d.y, d.w, d.h}, d.score});
    }
    hog::Engine& engine = (*search)->engine();
    if (picture.is_negative && !run_.crops.empty())
      if (Status ok = score_windows(engine, *loaded); !ok) return ok;
    if (run_.count_work && (picture.is_negative || !has_negatives_))
      return count_work(engine, *loaded);
    return Done{};
  }

  /// All windows of a picture without people, for FPPW.
  Status score_windows(hog::Engine& engine, const LoadedPicture& picture) {
    const Result<hog::Engine::Hits> found = engine.search(picture.view(), window_least_);
    if (!found) return found.error();
    out_.negative_windows += engine.plan().window_count;
    for (int i = 0; i < found->count; ++i) out_.negative_scores.push_back(found->data[i].score);
    return Done{};
  }

  Status count_work(hog::Engine& engine, const LoadedPicture& picture) {
    if (engine.plan().window_count == 0) return Done{};
    const Result<hog::Work> work = engine.count_work(picture.view());
    if (!work) return work.error();
    if (!out_.work) out_.work.emplace();
    out_.work->windows += work->windows;
    out_.work->learners += work->learners;
    out_.work->windows_at_stage.resize(
        std::max(out_.work->windows_at_stage.size(), work->windows_at_stage.size()));
    for (std::size_t i = 0; i < work->windows_at_stage.size(); ++i)
      out_.work->windows_at_stage[i] += work->windows_at_stage[i];
    return Done{};
  }

  /// The one window whose person stands in the middle of the crop, as tall as the crop's.
  Status score_crop(const std::string& path) {
    const Result<LoadedPicture> loaded = load_picture(path, colour_);
    if (!loaded) return loaded.error();
    const int width = loaded->bgr.cols, height = loaded->bgr.rows;
    if (!crop_engine_ || crop_width_ != width || crop_height_ != height)
      if (Status ok = lay_out_crops(width, height, path); !ok) return ok;
    const Result<hog::Engine::Hits> hits = crop_engine_->search(loaded->view(), window_least_);
    if (!hits) return hits.error();
    double score = -std::numeric_limits<double>::infinity();
    for (int i = 0; i < hits->count; ++i)
      if (hits->data[i].window == crop_window_) score = static_cast<double>(hits->data[i].score);
    out_.crop_scores.push_back(score);
    return Done{};
  }

  Status lay_out_crops(int width, int height, const std::string& path) {
    const hog::Geometry& g = model_.geometry();
    const double scale = run_.crop_person_height / static_cast<double>(g.person_height);
    const auto start = [&](int side, float from, float length) {
      return static_cast<int>(
          std::lround((scaled_side(side, scale) - static_cast<double>(length)) / 2 -
                      static_cast<double>(from)));
    };
    const int x = start(width, g.person_x, g.person_width);
    const int y = start(height, g.person_y, g.person_height);
    hog::SearchSettings one;
    one.min_height = run_.crop_person_height;
    one.max_levels = 1;
    one.stride = std::clamp(std::gcd(x, y), 1, 256);
    const Result<hog::SearchPlan> plan = hog::plan_search(g, one, width, height);
    if (!plan) return plan.error();
    const bool holds =
        x >= 0 && y >= 0 && !plan->windows.empty() && x / one.stride < plan->windows[0].columns &&
        y / one.stride < plan->windows[0].rows && x % one.stride == 0 && y % one.stride == 0;
    if (!holds)
      return replay::failure(Errc::invalid_argument, "crop smaller than the model's window", path);
    crop_window_ = y / one.stride * plan->windows[0].columns + x / one.stride;
    crop_width_ = width;
    crop_height_ = height;
    Result<std::unique_ptr<hog::Engine>> engine =
        hog::make_engine(*context_, *workers_, model_, one, width, height);
    if (!engine) return engine.error();
    crop_engine_ = std::move(*engine);
    return Done{};
  }

  const EvalRun& run_;
  hog::Model model_;
  SystemClock clock_;
  std::optional<Context> context_;
  std::optional<Workers> workers_;
  std::optional<SearchShelf> searches_;
  std::unique_ptr<hog::Engine> crop_engine_;
  int crop_width_ = 0, crop_height_ = 0, crop_window_ = 0;
  RunSettings settings_;
  float window_least_ = 0;
  bool colour_ = false, has_negatives_ = false;
  DetectionList people_;
  Performance out_;
};

}  // namespace

std::optional<double> Performance::mean_ms() const {
  double sum = 0;
  for (const Seen& picture : seen) {
    if (!picture.ms) return std::nullopt;
    sum += *picture.ms;
  }
  if (seen.empty()) return std::nullopt;
  return sum / static_cast<double>(seen.size());
}

Result<Performance> run_model(const EvalRun& run, hog::Model model) {
  return ModelRun{run, std::move(model)}();
}

Result<Performance> run_opencv(const EvalRun& run) {
  constexpr double kGroup = 2;
  const RunSettings settings = settings_for(run.how, hog::Advice{});
  const int stride = settings.search.stride, padding = settings.search.padding;
  const double scale = settings.search.scale_step;
  Performance out;
  out.name = "OpenCV HOGDescriptor";
  const auto threshold = static_cast<double>(settings.threshold);
  out.settings = fmt::format(
      "detectMultiScale, {}, hit threshold {} scale {:.4g} stride {} padding {} group {}",
      run.how.colour ? "colour" : "grey", threshold, scale, stride, padding, kGroup);
  cv::setNumThreads(run.how.threads == 0 ? -1 : run.how.threads);
  const SystemClock clock;
  try {
    cv::HOGDescriptor hog;
    hog.setSVMDetector(cv::HOGDescriptor::getDefaultPeopleDetector());
    Progress progress{clock, out.name};
    for (std::size_t i = 0; i < run.pictures.size(); ++i) {
      const Result<LoadedPicture> picture = load_picture(run.pictures[i].path, false);
      if (!picture) return picture.error();
      std::vector<cv::Rect> found;
      std::vector<double> weights;
      const cv::Mat grey{picture->bgr.rows, picture->bgr.cols, CV_8UC1,
                         const_cast<std::uint8_t*>(picture->grey.data())};
      const Nanos start = clock.now();
      if (picture->bgr.cols >= 64 && picture->bgr.rows >= 128)
        hog.detectMultiScale(run.how.colour ? picture->bgr : grey, found, weights, threshold,
                             {stride, stride}, {padding, padding}, scale, kGroup);
      Seen& seen = out.seen.emplace_back();
      seen.ms = milliseconds(clock.now() - start);
      seen.width = picture->bgr.cols;
      seen.height = picture->bgr.rows;
      for (std::size_t k = 0; k < found.size(); ++k)
        seen.boxes.push_back(
            {{found[k].x + found[k].width / 4.0, found[k].y + found[k].height / 8.0,
              found[k].width / 2.0, found[k].height * 3 / 4.0},
             static_cast<float>(weights[k])});  // as it is saved
      progress.show(i + 1, run.pictures.size());
    }
  } catch (const std::exception&) {
    return Error{Errc::device, 0, "OpenCV's detectMultiScale"};
  }
  return out;
}

Result<Performance> run_detections(const EvalRun& run, const std::string& name,
                                   const std::string& file) {
  const Result<std::vector<eval::PictureDetections>> lines = eval::read_detections(file);
  if (!lines) return lines.error();
  std::vector<std::string> names, paths;
  for (const eval::PictureDetections& line : *lines) names.push_back(line.image);
  for (const EvalPicture& picture : run.pictures) paths.push_back(picture.path);
  const Result<std::vector<int>> places = eval::find_pictures("read detections", names, paths);
  if (!places) return places.error();
  Performance out;
  out.name = name;
  out.settings = file;
  out.seen.resize(paths.size());
  std::vector<bool> has_line(paths.size(), false);
  for (std::size_t i = 0; i < lines->size(); ++i) {
    if ((*places)[i] < 0) continue;
    const auto at = static_cast<std::size_t>((*places)[i]);
    out.seen[at].boxes = (*lines)[i].boxes;
    out.seen[at].ms = (*lines)[i].ms;
    out.seen[at].width = (*lines)[i].width;
    out.seen[at].height = (*lines)[i].height;
    has_line[at] = true;
  }
  for (std::size_t i = 0; i < paths.size(); ++i)
    if (!has_line[i])
      return files::line_error("read detections", file, 0, "no line for " + paths[i],
                               Errc::invalid_argument);
  return out;
}

}  // namespace kerb::lab
