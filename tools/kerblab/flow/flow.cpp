// SPDX-License-Identifier: Apache-2.0
// kerblab flow: where each pixel of one picture went in the next.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <string>
#include <vector>

#include "drivers/replay/picture.hpp"
#include "gpu/memory/context.hpp"
#include "hal/base/clock.hpp"
#include "tools/flow/colours.hpp"
#include "tools/flow/errors.hpp"
#include "tools/flow/flo_file.hpp"
#include "tools/kerblab/app/command.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/flow/methods.hpp"
#include "tools/kerblab/pictures/draw.hpp"
#include "tools/kerblab/pictures/pictures.hpp"

namespace kerb::lab {
namespace {

using Json = nlohmann::ordered_json;

struct FlowOptions {
  std::vector<std::string> pictures;
  std::string method = "lk", out, draw, truth, mask, json, backend = "auto";
  double full = 0;
  int threads = 0;
  FlowSettings settings;
};

GreyView view_of(const LoadedPicture& picture) {
  return {picture.grey.data(), picture.bgr.cols, picture.bgr.rows, picture.bgr.cols};
}

/// The field in colours, the wheel as a legend in the corner that is free of it: beside the
/// picture.
cv::Mat drawing_of(const Field& field, double full) {
  std::vector<std::uint8_t> rgb = draw_field(field, full);
  const cv::Mat coloured{field.height, field.width, CV_8UC3, rgb.data()};
  const int side = std::clamp(field.height / 4, 48, 160) | 1;
  const int rim = 8, letters = 18;
  cv::Mat out(std::max(field.height, side + 2 * rim + letters), field.width + side + 2 * rim,
              CV_8UC3, cv::Scalar{255, 255, 255});
  coloured.copyTo(out(cv::Rect{0, 0, field.width, field.height}));
  std::vector<std::uint8_t> wheel = draw_wheel(side, {255, 255, 255});
  cv::Mat{side, side, CV_8UC3, wheel.data()}.copyTo(
      out(cv::Rect{field.width + rim, rim, side, side}));
  cv::putText(out, fmt::format("{:.3g} px", full), {field.width + rim, side + rim + letters},
              cv::FONT_HERSHEY_SIMPLEX, 0.4, cv::Scalar{0, 0, 0}, 1, cv::LINE_AA);
  cv::cvtColor(out, out, cv::COLOR_RGB2BGR);
  return out;
}

bool has_png_name(const std::string& path) {
  std::string end = std::filesystem::path{path}.extension().string();
  for (char& c : end) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return end == ".png";
}

class Flow {
 public:
  explicit Flow(const FlowOptions& options) : options_{options} {}

  Status run() {
    if (Status ok = check(); !ok) return ok;
    Result<LoadedPicture> a = load_picture(options_.pictures[0], false);
    if (!a) return a.error();
    Result<LoadedPicture> b = load_picture(options_.pictures[1], false);
    if (!b) return b.error();
    if (a->bgr.size() != b->bgr.size())
      return Error{Errc::invalid_argument, 0, "flow",
                   Text<112>{fmt::format("the pictures differ in size: {} x {} and {} x {}",
                                         a->bgr.cols, a->bgr.rows, b->bgr.cols, b->bgr.rows)}};
    std::optional<LoadedPicture> mask;
    if (!options_.mask.empty()) {
      Result<LoadedPicture> loaded = load_picture(options_.mask, false);
      if (!loaded) return loaded.error();
      mask.emplace(std::move(*loaded));
    }
    std::optional<Field> truth;
    if (!options_.truth.empty()) {
      Result<Field> read = read_flo(options_.truth);
      if (!read) return read.error();
      truth.emplace(std::move(*read));
    }
    if (Status ok = compute(*a, *b, mask ? view_of(*mask) : GreyView{}); !ok) return ok;
    if (truth)
      if (Status ok = compare(*truth); !ok) return ok;
    return write();
  }

 private:
  Status check() {
    if (!options_.draw.empty() && !has_png_name(options_.draw))
      return replay::failure(Errc::invalid_argument, "--draw: must end in .png", options_.draw);
    std::vector<std::string> outputs, inputs = options_.pictures;
    for (const std::string* path : {&options_.out, &options_.draw, &options_.json})
      if (!path->empty()) {
        if (Status ok = check_output(*path); !ok) return ok;
        outputs.push_back(*path);
      }
    for (const std::string* path : {&options_.truth, &options_.mask})
      if (!path->empty()) inputs.push_back(*path);
    for (auto path = outputs.begin(); path != outputs.end(); ++path)
      if (std::find(outputs.begin(), path, *path) != path)
        return replay::failure(Errc::invalid_argument, "two outputs have the same name", *path);
    return check_apart(outputs, inputs);
  }

  Status compute(const LoadedPicture& a, const LoadedPicture& b, const GreyView& mask) {
    BackendChoice choice = BackendChoice::automatic;
    parse(options_.backend, choice);
    const Result<Context> context = Context::create(choice);
    if (!context) return context.error();
    Workers workers{options_.threads};
    Result<std::unique_ptr<FlowMethod>> method =
        make_flow_method(options_.method, *context, workers, options_.settings);
    if (!method) return method.error();
    if (Status ok = (*method)->prepare(a.bgr.cols, a.bgr.rows); !ok) return ok;
    if (options_.settings.tile > 0 && (*method)->windows() == 1)
      warn(
          "--tile: with its margin a tile would need as much memory as the whole picture: computed "
          "without tiles; a smaller --reach or fewer --levels make the margin smaller");
    field_ = Field{a.bgr.cols, a.bgr.rows};
    const SystemClock clock;
    const Nanos start = clock.now();
    if (Status ok = (*method)->run(view_of(a), view_of(b), mask, field_); !ok) return ok;
    const double ms = std::chrono::duration<double, std::milli>(clock.now() - start).count();
    report_ = {{"method", options_.method},
               {"backend", name_of(context->backend())},
               {"width", field_.width},
               {"height", field_.height},
               {"ms", ms},
               {"bytes", (*method)->bytes()},
               {"windows", (*method)->windows()}};
    if (!field_.flags.empty()) report_["flags"] = count_flags();
    return Done{};
  }

  [[nodiscard]] Json count_flags() const {
    struct NamedFlag {
      flow::Flag flag;
      const char* name;
    };
    Json out;
    for (const NamedFlag& named :
         {NamedFlag{flow::kValid, "valid"}, NamedFlag{flow::kTexturePoor, "texture_poor"},
          NamedFlag{flow::kOutOfView, "out_of_view"},
          NamedFlag{flow::kInconsistent, "inconsistent"},
          NamedFlag{flow::kMaskedOut, "masked_out"}})
      out[named.name] = static_cast<double>(
                            std::count_if(field_.flags.begin(), field_.flags.end(),
                                          [&](std::uint8_t f) { return (f & named.flag) != 0; })) /
                        static_cast<double>(field_.size());
    return out;
  }

  Status compare(const Field& truth) {
    const Result<FlowErrors> errors = flow_errors(field_, truth);
    if (!errors) return errors.error();
    const Result<std::vector<CoveragePoint>> curve = coverage_curve(field_, truth);
    if (!curve) return curve.error();
    Json points = Json::array();
    for (const CoveragePoint& point : *curve)
      points.push_back({{"coverage", point.coverage}, {"end_point", point.end_point}});
    report_["errors"] = {{"pixels", errors->pixels},
                         {"end_point", errors->end_point},
                         {"angular", errors->angular},
                         {"over_1_px", errors->over_one},
                         {"over_3_px", errors->over_three},
                         {"valid_share", errors->valid_share},
                         {"valid_end_point", errors->valid_error},
                         {"by_coverage", points}};
    fmt::print(
        stderr,
        "end-point error {:.4f} px, angular {:.3f} degrees, {:.2f} % over 1 px, {:.2f} % over "
        "3 px, of {} pixels\n",
        errors->end_point, errors->angular, 100 * errors->over_one, 100 * errors->over_three,
        errors->pixels);
    if (!field_.flags.empty())
      fmt::print(stderr, "valid vectors, {:.1f} %: end-point error {:.4f} px\n",
                 100 * errors->valid_share, errors->valid_error);
    return Done{};
  }

  Status write() {
    fmt::print(stderr, "{} on {}: {:.1f} ms\n", options_.method,
               report_["backend"].get<std::string>(), report_["ms"].get<double>());
    if (!options_.draw.empty())
      if (Status ok =
              write_png(options_.draw,
                        drawing_of(field_, options_.full > 0 ? options_.full : longest(field_)));
          !ok)
        return ok;
    if (!options_.json.empty())
      if (Status ok = write_output(options_.json, report_.dump() + "\n"); !ok) return ok;
    return options_.out.empty() ? Status{Done{}} : write_output(options_.out, to_flo(field_));
  }

  const FlowOptions& options_;
  Field field_;
  Json report_;
};

}  // namespace

void add_flow(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("flow", "Optical flow between two pictures");
  std::string methods;
  for (const MethodName& method : flow_methods())
    methods += fmt::format("  {:<22}{}\n", method.name, method.text);
  command->footer(
      "Methods:\n" + methods +
      "Pictures are converted to grey. The .flo file has a vector for every pixel. The report "
      "(--json)\n"
      "has the shares of valid and flagged vectors and, with --truth, errors by coverage.\n"
      "Example: kerblab flow --method lk frame10.png frame11.png --out flow.flo --draw flow.png\n"
      "  --truth flow10.flo");
  const auto o = std::make_shared<FlowOptions>();
  std::vector<std::string> names;
  for (const MethodName& method : flow_methods()) names.emplace_back(method.name);
  command->add_option("picture", o->pictures, "Two pictures of the same size")
      ->required()
      ->expected(2)
      ->option_text("A B");
  command->add_option("--method", o->method, "Method, see below")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  add_name_option(*command, "--out", o->out, "Output file, Middlebury .flo; - is stdout");
  add_name_option(*command, "--draw", o->draw,
                  "PNG file of the flow in Middlebury's colours, with the colour wheel");
  command
      ->add_option("--full", o->full,
                   "Motion in pixels that gets full colour in --draw; 0: the longest vector")
      ->check(between(0, 1e6));
  add_name_option(*command, "--truth", o->truth, "True flow to compare with, a .flo file");
  add_name_option(*command, "--mask", o->mask,
                  "Mask, a picture of the same size: only pixels that are not black are computed");
  add_name_option(*command, "--json", o->json, "Write a report as JSON to this file; - is stdout");
  command
      ->add_option("--levels", o->settings.levels, "Levels of the pyramid; 0: the method's default")
      ->check(CLI::Range(0, flow::kMaxLevels));
  command
      ->add_option("--reach", o->settings.reach,
                   "Largest motion, pixels, 1..500 (lk) or 1..256; less means fewer levels and "
                   "smaller margins of tiles; 0: the method's default")
      ->check(CLI::Range(0, 500));
  command
      ->add_option("--tile", o->settings.tile,
                   "Compute in tiles of about this side, pixels, for pictures that do not fit in "
                   "memory; 0: no tiles")
      ->check(CLI::Range(0, flow::kMaxSide));
  add_backend_option(*command, o->backend);
  add_threads_option(*command, o->threads);
  run_when_chosen(*command, action, [o] { return Flow{*o}.run(); });
}

}  // namespace kerb::lab
