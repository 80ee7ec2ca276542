// SPDX-License-Identifier: Apache-2.0
// kerblab sim view: a run to look at, as a contact sheet or a video.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>
#include <thread>

#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/app/progress.hpp"
#include "tools/kerblab/sim/pictures.hpp"
#include "tools/kerblab/sim/sim.hpp"

namespace kerb::lab {
namespace {

struct ViewOptions {
  SceneChoice scenes;
  CandidateChoice candidate;
  std::string out;
  std::optional<double> at;
  int pictures = 12, columns = 4, width = 640;
  double rate = 0;  // of a video; 0: the camera's
};

enum class Kind { none, picture, video };
Kind kind_of(const std::string& path) {
  std::string extension = std::filesystem::path{path}.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".png" || extension == ".jpg" || extension == ".jpeg") return Kind::picture;
  return extension == ".mp4" ? Kind::video : Kind::none;
}

class QuietLog final : public Log {
 public:
  void write(LogLevel, const char*, std::string_view) noexcept override {}
};

Status write_sheet(RunPainter& painter, double seconds, const ViewOptions& o) {
  cv::Mat sheet;
  if (o.at) {
    sheet = painter.at(*o.at);
  } else {
    const SystemClock clock;
    Progress progress{clock, "view"};
    const int columns = std::min(o.columns, o.pictures);
    for (int i = 0; i < o.pictures; ++i) {
      const double t = o.pictures == 1 ? 0 : seconds * i / (o.pictures - 1);
      const cv::Mat one = painter.at(t);
      if (sheet.empty())
        sheet = cv::Mat{(o.pictures + columns - 1) / columns * (one.rows + 4) - 4,
                        columns * (one.cols + 4) - 4, CV_8UC3, cv::Scalar::all(24)};
      one.copyTo(sheet(cv::Rect{i % columns * (one.cols + 4), i / columns * (one.rows + 4),
                                one.cols, one.rows}));
      progress.show(static_cast<std::size_t>(i) + 1, static_cast<std::size_t>(o.pictures));
    }
  }
  std::vector<std::uint8_t> bytes;
  cv::imencode(std::filesystem::path{o.out}.extension().string(), sheet, bytes);
  return write_output(o.out, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Status write_video(RunPainter& painter, const sim::Scenario& scenario, const ViewOptions& o) {
  const std::filesystem::path target{o.out};
  const std::filesystem::path part =
      target.parent_path() / ("." + target.stem().string() + ".part.mp4");
  const double rate = o.rate > 0 ? o.rate : scenario.camera.rate_hz;
  const auto count = static_cast<std::size_t>(scenario.seconds * rate);
  bool written = true;
  {
    const SystemClock clock;
    Progress progress{clock, "view"};
    cv::VideoWriter writer;
    for (std::size_t i = 0; i < count && written; ++i) {
      const cv::Mat picture = painter.at(static_cast<double>(i) / rate);
      if (i == 0)
        written = writer.open(part.string(), cv::VideoWriter::fourcc('m', 'p', '4', 'v'), rate,
                              picture.size());
      if (written) writer.write(picture);
      progress.show(i + 1, count);
    }
  }
  std::error_code code;
  if (written) std::filesystem::rename(part, target, code);
  if (written && !code) return Done{};
  std::filesystem::remove(part, code);
  return Error{Errc::io, 0, "write video", Text<112>{o.out}};
}

int view(const ViewOptions& o) {
  const Kind kind = kind_of(o.out);
  if (kind == Kind::none) return fail(o.out + ": must end in .png, .jpg or .mp4");
  if (Status ok = check_output(o.out); !ok) return fail(ok.error());
  const std::optional<ChosenScenes> scenes = load_scenes(o.scenes);
  if (!scenes) return kBadInput;
  const SceneSet& set = scenes->sets.front();
  const sim::Scenario& scenario = set.loaded.scenarios.front();
  if (scenes->sets.size() > 1 || set.loaded.scenarios.size() > 1)
    warn(fmt::format("more than one run is selected; this is {}", scenario.name));
  if (o.at && *o.at > scenario.seconds)
    return fail(fmt::format("--at {:g}: the run lasts {:g} s", *o.at, scenario.seconds));
  const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::optional<sim::RunOptions> options = run_options(o.candidate, threads);
  if (!options) return kBadInput;
  std::vector<std::string> inputs = inputs_of(o.candidate, *options);
  inputs.insert(inputs.end(), scenes->files.begin(), scenes->files.end());
  if (Status ok = check_apart({o.out}, inputs); !ok) return fail(ok.error());
  BatchRun run;
  run.set = set.name;
  keep_found(*options, run);
  QuietLog log;
  Result<sim::Run> done = sim::run_scenario(scenario, *options, log);
  if (!done) return fail(done.error());
  run.run = std::move(*done);
  RunPainter painter{run, o.width, threads};
  const Status written = kind == Kind::video ? write_video(painter, scenario, o)
                                             : write_sheet(painter, scenario.seconds, o);
  return written ? 0 : fail(written.error());
}

}  // namespace

void add_sim_view(CLI::App& group, Action& action) {
  CLI::App* command =
      group.add_subcommand("view", "Show a run as a contact sheet, a picture or a video");
  command->footer(
      "Light boxes are the truth. Amber boxes are people whom the firmware follows, with their\n"
      "distance (red: the firmware expects a contact). Thin boxes are detections. The border is "
      "red\n"
      "during a collision warning and amber during information.\n"
      "Examples:\n"
      "  kerblab sim view --suite euroncap --only CPNA --oracle --out sheet.png\n"
      "  kerblab sim view my-street.toml --at 2.5 --width 1280 --out picture.png\n"
      "  kerblab sim view my-street.toml --out run.mp4");
  const auto o = std::make_shared<ViewOptions>();
  add_scene_options(*command, o->scenes);
  add_candidate_options(*command, o->candidate);
  command->add_option("--out", o->out, "Output file: .png, .jpg or .mp4")
      ->required()
      ->check(not_empty);
  command->add_option("--at", o->at, "One picture, at this time of the scenario, s")
      ->check(between(0, 1e6));
  command->add_option("--count", o->pictures, "Pictures of the sheet, evenly spaced in time")
      ->check(CLI::Range(1, 400))
      ->capture_default_str();
  command->add_option("--columns", o->columns, "Columns of the sheet")
      ->check(CLI::Range(1, 40))
      ->capture_default_str();
  command->add_option("--width", o->width, "Width of each picture, at most the camera's, pixels")
      ->check(CLI::Range(64, 8192))
      ->capture_default_str();
  command
      ->add_option("--rate", o->rate, "Frame rate of a video, frames per second; 0: the camera's")
      ->check(between(0, 240))
      ->capture_default_str();
  run_when_chosen(*command, action, [o] { return view(*o); });
}

}  // namespace kerb::lab
