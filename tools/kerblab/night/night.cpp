// SPDX-License-Identifier: Apache-2.0
// kerblab night: dark pictures as the detector gets them, and what is left of their noise.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/flow/motion_points.hpp"
#include "gpu/memory/context.hpp"
#include "gpu/memory/workers.hpp"
#include "gpu/night/temporal_filter.hpp"
#include "gpu/night/tone_curve.hpp"
#include "hal/base/splitmix.hpp"
#include "tools/kerblab/app/command.hpp"
#include "tools/kerblab/app/input_files.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/app/progress.hpp"
#include "tools/kerblab/pictures/draw.hpp"
#include "tools/kerblab/pictures/pictures.hpp"

namespace kerb::lab {
namespace {

using Json = nlohmann::ordered_json;
using Byte = std::uint8_t;

constexpr int kPlanes = 3;

struct NightOptions {
  std::vector<std::string> images, truth;
  std::string out, json;
  night::ToneCurveSettings curve;
  night::TemporalFilterSettings filter;
  double add_noise = 0, add_shot = 0;
  std::uint64_t seed = 1;
  int points = 1200, threads = 0;
  bool brighten = false, smooth = false, no_flow = false;
};

/// Twelve random numbers added up are nearly normal.
double bell(SplitMix64& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(random.next() >> 11) * 0x1p-53;
  return sum;
}

double peak_ratio_db(double mean_square) {
  return mean_square > 0 ? 10 * std::log10(255 * 255 / mean_square)
                         : std::numeric_limits<double>::infinity();
}

class Night {
 public:
  explicit Night(const NightOptions& options) : o_{options} {}

  Status run() {
    const Result<std::vector<std::string>> paths = expand_list(o_.images);
    if (!paths) return paths.error();
    std::vector<std::string> truths;
    if (!o_.truth.empty()) {
      Result<std::vector<std::string>> found = expand_list(o_.truth);
      if (!found) return found.error();
      truths = std::move(*found);
      if (truths.size() != paths->size())
        return Error{Errc::invalid_argument, 0, "--truth",
                     Text<112>{fmt::format("{} pictures for {}", truths.size(), paths->size())}};
    }
    std::vector<std::string> inputs = *paths;
    inputs.insert(inputs.end(), truths.begin(), truths.end());
    if (!o_.json.empty()) {
      if (Status ok = check_output(o_.json); !ok) return ok;
      if (Status ok = check_apart({o_.json}, inputs); !ok) return ok;
    }
    if (Status ok = night::validate(o_.curve); !ok) return ok;
    if (Status ok = night::validate(o_.filter); !ok) return ok;
    Result<Context> context = Context::create(BackendChoice::cpu);
    if (!context) return context.error();
    context_.emplace(std::move(*context));
    workers_.emplace(o_.threads);
    std::optional<OutputFolder> folder;
    std::vector<std::string> written(paths->size());
    if (!o_.out.empty()) {
      Result<OutputFolder> made = OutputFolder::create(o_.out);
      if (!made) return made.error();
      folder.emplace(std::move(*made));
      for (std::size_t i = 0; i < written.size(); ++i)
        written[i] = folder->next(std::filesystem::path{(*paths)[i]}.stem().string(), ".png");
      if (Status ok = check_apart(folder->targets(), inputs); !ok) return ok;
    }
    {
      Progress progress{clock_, "night"};
      for (std::size_t i = 0; i < paths->size(); ++i) {
        if (Status ok = one((*paths)[i], truths.empty() ? std::string{} : truths[i], written[i], i);
            !ok)
          return ok;
        progress.show(i + 1, paths->size());
      }
    }
    if (folder)
      if (Status ok = folder->commit(); !ok) return ok;
    if (!o_.json.empty())
      if (Status ok = write_output(o_.json, lines_); !ok) return ok;
    if (o_.json != "-") summarise(paths->size());
    return Done{};
  }

 private:
  [[nodiscard]] PlanesView<Space::host, Byte> view(std::vector<Byte>& bytes) const {
    return {bytes.data(), kPlanes, width_,
            height_,      width_,  static_cast<std::ptrdiff_t>(width_) * height_};
  }

  /// For pictures of this size; a film has one size.
  Status open(int width, int height, const std::string& path) {
    if (width == width_ && height == height_) return Done{};
    if (o_.smooth && width_ != 0)
      return Error{Errc::invalid_argument, 0, "night",
                   Text<112>{path + ": size differs from the first picture"}};
    width_ = width;
    height_ = height;
    const int samples = kPlanes * width * height;
    smooth_.resize(static_cast<std::size_t>(samples));
    bright_.resize(smooth_.size());
    if (o_.brighten) {
      Result<night::ToneCurve> made =
          night::ToneCurve::create(*context_, o_.curve, width, height, kPlanes);
      if (!made) return made.error();
      curve_.emplace(std::move(*made));
    }
    if (!o_.smooth) return Done{};
    Result<night::TemporalFilter> made =
        night::TemporalFilter::create(*context_, o_.filter, width, height, kPlanes);
    if (!made) return made.error();
    filter_.emplace(std::move(*made));
    if (o_.no_flow) return Done{};
    Result<std::unique_ptr<flow::MotionPoints>> points =
        flow::MotionPoints::create(*context_, *workers_, {}, width, height);
    if (!points) return points.error();
    points_ = std::move(*points);
    return Done{};
  }

  /// Noise on each plane, as the filter's model has it.
  void spoil(LoadedPicture& picture, std::size_t index) const {
    if (o_.add_noise <= 0 && o_.add_shot <= 0) return;
    SplitMix64 random{o_.seed * 1000003 + index};
    for (Byte& b : picture.planes) {
      const double sigma = std::sqrt(o_.add_noise + o_.add_shot * b);
      b = static_cast<Byte>(std::lround(std::clamp(b + sigma * bell(random), 0.0, 255.0)));
    }
    const std::size_t plane = picture.grey.size();
    for (std::size_t i = 0; i < plane; ++i)
      picture.grey[i] =
          static_cast<Byte>((9798 * picture.planes[i] + 19235 * picture.planes[plane + i] +
                             3735 * picture.planes[2 * plane + i] + 16384) >>
                            15);
  }

  static double mean_square(const Byte* a, const std::vector<Byte>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
      const double d = static_cast<double>(a[i]) - b[i];
      sum += d * d;
    }
    return sum / static_cast<double>(b.size());
  }

  Status one(const std::string& path, const std::string& truth, const std::string& written,
             std::size_t index) {
    Result<LoadedPicture> picture = load_picture(path, true);
    if (!picture) return picture.error();
    if (Status ok = open(picture->bgr.cols, picture->bgr.rows, path); !ok) return ok;
    spoil(*picture, index);
    Json line;
    line["image"] = path;
    PlanesView<Space::host, const Byte> now = picture->view().rgb;
    const Nanos start = clock_.now();
    if (filter_) {
      if (points_) {
        PreparedImage image;
        image.grey = picture->view().grey;
        if (Status ok = points_->estimate(image, o_.points, *field_); !ok) return ok;
      }
      const Nanos flowed = clock_.now();
      const bool has_motion = points_ && field_->has_previous;
      if (Status ok =
              filter_->run(*workers_, now, has_motion ? field_.get() : nullptr, view(smooth_));
          !ok)
        return ok;
      filter_time_ += clock_.now() - flowed;
      now = view(smooth_);
      const night::TemporalFilter::Facts& facts = filter_->last();
      line["kept"] = facts.kept;
      line["exposure"] = facts.gain / 256.0;
      line["unfit"] = static_cast<double>(facts.unfit) / facts.blocks;
    }
    if (!truth.empty()) {
      const Result<LoadedPicture> clean = load_picture(truth, true);
      if (!clean) return clean.error();
      if (clean->planes.size() != picture->planes.size())
        return Error{Errc::invalid_argument, 0, "--truth",
                     Text<112>{truth + ": another size than " + path}};
      const double before = mean_square(picture->planes.data(), clean->planes);
      const double after = mean_square(now.data, clean->planes);
      line["psnr_before_db"] = peak_ratio_db(before);
      line["psnr_db"] = peak_ratio_db(after);
      before_ += before;
      after_ += after;
    }
    if (curve_) {
      const Nanos smoothed = clock_.now();
      const Result<bool> changed = curve_->run(*workers_, now, view(bright_));
      if (!changed) return changed.error();
      curve_time_ += clock_.now() - smoothed;
      if (*changed) now = view(bright_);
      changed_ += *changed ? 1 : 0;
      line["gain"] = curve_->last_gain() / 256.0;
    }
    line["ms"] = std::chrono::duration<double, std::milli>(clock_.now() - start).count();
    lines_ += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    return written.empty() ? Status{Done{}} : save(now, written);
  }

  Status save(const PlanesView<Space::host, const Byte>& planes, const std::string& path) {
    cv::Mat bgr(height_, width_, CV_8UC3);  // in braces it would be a list of three numbers
    for (int y = 0; y < height_; ++y) {
      Byte* to = bgr.ptr<Byte>(y);
      for (int x = 0; x < width_; ++x)
        for (int c = 0; c < kPlanes; ++c)
          to[3 * x + c] = planes.data[(2 - c) * planes.plane_stride + y * planes.row_stride + x];
    }
    return write_png(path, bgr);
  }

  void summarise(std::size_t count) const {
    const auto n = static_cast<double>(count);
    const auto ms = [&](Nanos time) {
      return std::chrono::duration<double, std::milli>(time).count() / n;
    };
    fmt::print("{} pictures", count);
    if (curve_) fmt::print(", {} brightened ({:.2f} ms each)", changed_, ms(curve_time_));
    if (filter_) fmt::print(", smoothed ({:.2f} ms each)", ms(filter_time_));
    if (!o_.truth.empty())
      fmt::print(", PSNR {:.2f} dB, before {:.2f} dB", peak_ratio_db(after_ / n),
                 peak_ratio_db(before_ / n));
    fmt::print("\n");
  }

  const NightOptions& o_;
  SystemClock clock_;
  std::optional<Context> context_;
  std::optional<Workers> workers_;
  std::optional<night::ToneCurve> curve_;
  std::optional<night::TemporalFilter> filter_;
  std::unique_ptr<flow::MotionPoints> points_;
  std::unique_ptr<MotionField> field_ = std::make_unique<MotionField>();
  int width_ = 0, height_ = 0, changed_ = 0;
  std::vector<Byte> smooth_, bright_;
  std::string lines_;
  double before_ = 0, after_ = 0;
  Nanos curve_time_{}, filter_time_{};
};

}  // namespace

void add_night(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("night", "Brighten dark pictures and smooth the noise of films");
  command->footer(
      "Writes the pictures as the product's detector gets them with vision.night_curve and\n"
      "vision.night_filter, as PNG files of the same names. With --smooth the pictures are a film, "
      "in\n"
      "their order, and the optical flow between them is measured first.\n"
      "Examples:\n"
      "  kerblab night --brighten --target 64 --out bright @dark.txt\n"
      "  kerblab night --smooth --noise-floor 20 --truth @clean.txt --json - @noisy.txt");
  const auto o = std::make_shared<NightOptions>();
  command->add_option("image", o->images, "Pictures; @FILE reads a list, one path per line")
      ->required()
      ->option_text("IMAGE...");
  add_name_option(*command, "--out", o->out, "Folder of the pictures; created if missing");
  add_name_option(*command, "--json", o->json,
                  "Write a JSON line per picture to this file; - is stdout");
  command->add_flag("--brighten", o->brighten, "Apply the tone curve");
  command->add_option("--target", o->curve.target, "Mean that dark pictures are raised to, 1..200")
      ->capture_default_str();
  command->add_option("--gain", o->curve.max_gain, "Largest gain of the darkest values, 1..16")
      ->capture_default_str();
  command->add_option("--local", o->curve.local, "Share of the local curves, 0..1")
      ->capture_default_str();
  command->add_option("--slope", o->curve.max_slope, "Largest slope of the local curves, 1..16")
      ->capture_default_str();
  command->add_flag("--smooth", o->smooth, "Apply the temporal filter, before the tone curve");
  command
      ->add_option("--noise-floor", o->filter.noise_floor,
                   "Variance of the noise at black, grey values squared, 0.01..10000")
      ->capture_default_str();
  command
      ->add_option("--noise-slope", o->filter.noise_slope, "Its growth per grey value, -100..100")
      ->capture_default_str();
  command->add_option("--strength", o->filter.strength, "Weight of the past, 0..0.95")
      ->capture_default_str();
  command->add_flag("--no-flow", o->no_flow, "Do not measure the optical flow");
  command->add_option("--truth", o->truth,
                      "The pictures without noise, in the same order: gives the PSNR of --smooth");
  command
      ->add_option("--add-noise", o->add_noise,
                   "Adds normal noise of this variance to the input first, 0..10000")
      ->check(between(0, 10000))
      ->capture_default_str();
  command->add_option("--add-shot", o->add_shot, "... and of this variance per grey value, 0..100")
      ->check(between(0, 100))
      ->capture_default_str();
  command->add_option("--seed", o->seed, "Of the added noise")->capture_default_str();
  add_threads_option(*command, o->threads);
  run_when_chosen(*command, action, [o] { return Night{*o}.run(); });
}

}  // namespace kerb::lab
