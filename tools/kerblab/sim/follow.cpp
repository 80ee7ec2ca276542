// SPDX-License-Identifier: Apache-2.0
// kerblab sim follow: one person of a scenario, followed by the bands of what they wear and by
// colours; nobody says where they are after the first picture.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "firmware/spectral/spectral_search.hpp"
#include "gpu/memory/context.hpp"
#include "tools/kerblab/app/options.hpp"
#include "tools/kerblab/app/output.hpp"
#include "tools/kerblab/app/progress.hpp"
#include "tools/kerblab/sim/follow_sheet.hpp"
#include "tools/kerblab/sim/scenes.hpp"
#include "tools/kerblab/sim/sim.hpp"
#include "tools/simulator/render/renderer.hpp"
#include "tools/spectral/band_follower.hpp"
#include "tools/spectral/colour_follower.hpp"

namespace kerb::lab {
namespace {

using Json = nlohmann::ordered_json;

struct FollowOptions {
  SceneChoice scenes;
  std::string sheet, json;
  int person = 1, frames = 200, tiles = 8, threads = 2;
  double reach_nm = EmdMatcherSettings{}.reach * 100;
};

struct FollowErrors {
  std::vector<double> off;  // pixels across, one a picture
  [[nodiscard]] double quantile(double q) const {
    std::vector<double> sorted = off;
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
  }
  /// Pictures in which the place is on the upper body.
  [[nodiscard]] int on(double half_width) const {
    return static_cast<int>(
        std::count_if(off.begin(), off.end(), [&](double d) { return d <= half_width; }));
  }
};

class FollowRun {
 public:
  FollowRun(const FollowOptions& options, const sim::Scenario& scenario)
      : o_{options}, scenario_{scenario}, world_{scenario} {}

  Status run() {
    sim::Scenario coloured = scenario_;
    coloured.camera.sensor = sim::Sensor::rgb;
    sim::Renderer bands{scenario_, {false, o_.threads}}, colours{coloured, {false, o_.threads}};
    Result<Context> context = Context::create(BackendChoice::automatic);
    if (!context) return context.error();
    Workers workers{o_.threads};
    Result<spectral::BandFollower> by_bands = make_band_follower(*context, workers);
    if (!by_bands) return by_bands.error();
    spectral::ColourFollower by_colours;
    const SystemClock clock;
    Progress progress{clock, scenario_.name};
    sim::Rendered seen, seen_rgb;
    FollowedBoxes boxes;
    float tall = 0;
    for (int i = 0; i < o_.frames; ++i) {
      const double t = i / scenario_.camera.rate_hz;
      bands.draw(world_, t, seen);
      colours.draw(world_, t, seen_rgb);
      const sim::Renderer::Outline whole = bands.outline(world_, o_.person - 1, t);
      boxes.truth = upper_body({static_cast<float>(whole.x0), static_cast<float>(whole.y0),
                                static_cast<float>(whole.x1 - whole.x0),
                                static_cast<float>(whole.y1 - whole.y0), 0});
      if (Status ok = by_bands->show(seen.pixels.data()); !ok) return ok;
      by_colours.show(seen_rgb.pixels.data(), seen_rgb.width, seen_rgb.height);
      if (i == 0) {
        // A stride changes the outline's width: that of a person who stands is taken.
        tall = static_cast<float>(whole.y1 - whole.y0);
        boxes.bands = boxes.colours = {middle_of(boxes.truth) - kWide * tall / 2, boxes.truth.y,
                                       kWide * tall, boxes.truth.h, 0};
        if (Status ok = by_bands->begin(boxes.bands, tall); !ok) return ok;
        by_colours.begin(boxes.colours, tall);
      } else {
        if (Status ok = by_bands->follow(boxes.bands); !ok) return ok;
        by_colours.follow(boxes.colours);
      }
      note(boxes);
      if (!o_.sheet.empty() && is_shown(i))
        if (Status ok = add_to_sheet(*by_bands, seen_rgb, i, boxes); !ok) return ok;
      progress.show(static_cast<std::size_t>(i) + 1, static_cast<std::size_t>(o_.frames));
    }
    half_width_ = static_cast<double>(kWide * tall) / 2;
    return Done{};
  }
  [[nodiscard]] Json report() const {
    const auto of = [&](const FollowErrors& e) {
      return Json{{"median_px", e.quantile(0.5)},
                  {"p95_px", e.quantile(0.95)},
                  {"worst_px", e.quantile(1)},
                  {"on_the_person", e.on(half_width_)}};
    };
    return Json{{"scenario", scenario_.name},   {"person", o_.person}, {"frames", o_.frames},
                {"half_width_px", half_width_}, {"bands", of(bands_)}, {"colours", of(colours_)}};
  }
  [[nodiscard]] std::string words() const {
    const auto line = [&](const char* name, const FollowErrors& e) {
      return fmt::format(
          "{:<8} median {:6.1f} px, 95 % {:6.1f}, worst {:6.1f}; on the person in {} of {}\n", name,
          e.quantile(0.5), e.quantile(0.95), e.quantile(1), e.on(half_width_), o_.frames);
    };
    return line("bands", bands_) + line("colours", colours_);
  }
  [[nodiscard]] cv::Mat sheet() const { return sheet_.picture(); }

 private:
  static constexpr float kWide = 0.176F;  // of a person's height: 0.44 of a box 0.4 as wide

  static float middle_of(const Detection& b) { return b.x + b.w / 2; }
  Result<spectral::BandFollower> make_band_follower(const Context& context,
                                                    Workers& workers) const {
    FrameSourceInfo info;
    info.width = scenario_.camera.width;
    info.height = scenario_.camera.height;
    info.mosaic = 1;
    while (info.mosaic * info.mosaic < static_cast<int>(scenario_.camera.bands.size()))
      ++info.mosaic;
    EmdMatcherSettings settings;
    settings.reach = o_.reach_nm / 100;
    for (const sim::Band& band : scenario_.camera.bands)
      settings.nanometres.push_back(band.centre_nm);
    return spectral::BandFollower::create(context, workers, info, settings, !o_.sheet.empty());
  }
  void note(const FollowedBoxes& boxes) {
    const auto off = [&](const Detection& b) {
      return std::abs(static_cast<double>(middle_of(b) - middle_of(boxes.truth)));
    };
    bands_.off.push_back(off(boxes.bands));
    colours_.off.push_back(off(boxes.colours));
  }
  /// Of as many equal parts as there are tiles, the middle of each.
  [[nodiscard]] bool is_shown(int frame) const {
    const std::int64_t tiles = std::min(o_.tiles, o_.frames);
    for (std::int64_t k = 0; k < tiles; ++k)
      if (frame == (2 * k + 1) * o_.frames / (2 * tiles)) return true;
    return false;
  }
  Status add_to_sheet(spectral::BandFollower& by_bands, sim::Rendered& rgb, int frame,
                      const FollowedBoxes& boxes) {
    Result<std::vector<std::uint8_t>> like = by_bands.likeness();
    if (!like) return like.error();
    cv::Mat bgr;
    cv::cvtColor(cv::Mat{rgb.height, rgb.width, CV_8UC3, rgb.pixels.data()}, bgr,
                 cv::COLOR_RGB2BGR);
    sheet_.add(bgr, cv::Mat{by_bands.height(), by_bands.width(), CV_8UC1, like->data()}, frame + 1,
               boxes);
    return Done{};
  }

  const FollowOptions& o_;
  const sim::Scenario& scenario_;
  sim::World world_;
  FollowErrors bands_, colours_;
  double half_width_ = 0;
  FollowSheet sheet_;
};

int follow(const FollowOptions& o) {
  std::vector<std::string> outputs;
  for (const std::string& path : {o.sheet, o.json})
    if (!path.empty()) outputs.push_back(path);
  for (const std::string& path : outputs)
    if (Status ok = check_output(path); !ok) return fail(ok.error());
  if (!o.sheet.empty()) {
    const std::string kind = std::filesystem::path{o.sheet}.extension().string();
    if (kind != ".png" && kind != ".jpg") return fail(o.sheet + ": must end in .png or .jpg");
  }
  const std::optional<ChosenScenes> scenes = load_scenes(o.scenes);
  if (!scenes) return kBadInput;
  if (Status ok = check_apart(outputs, scenes->files); !ok) return fail(ok.error());
  if (Status ok = check_distinct(outputs); !ok) return fail(ok.error());
  const sim::Scenario& scenario = scenes->sets.front().loaded.scenarios.front();
  if (scenes->sets.size() > 1 || scenes->sets.front().loaded.scenarios.size() > 1)
    warn(fmt::format("more than one run is selected; this is {}", scenario.name));
  if (scenario.camera.sensor != sim::Sensor::mosaic)
    return fail(fmt::format("{}: its camera has no mosaic", scenario.name));
  if (o.person > static_cast<int>(scenario.people.size()))
    return fail(fmt::format("--person {}: the scenario has {}", o.person, scenario.people.size()));
  if (o.frames / scenario.camera.rate_hz > scenario.seconds + 1e-9)
    return fail(fmt::format("--frames {}: the run has {:.0f}", o.frames,
                            scenario.seconds * scenario.camera.rate_hz));
  FollowRun run{o, scenario};
  if (Status done = run.run(); !done) return fail(done.error());
  if (!o.sheet.empty()) {
    std::vector<std::uint8_t> bytes;
    if (!cv::imencode(std::filesystem::path{o.sheet}.extension().string(), run.sheet(), bytes,
                      {cv::IMWRITE_JPEG_QUALITY, 82}))
      return fail(o.sheet + ": the sheet cannot be encoded");
    if (Status ok =
            write_output(o.sheet, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        !ok)
      return fail(ok.error());
  }
  if (!o.json.empty())
    if (Status ok = write_output(o.json, run.report().dump(2) + "\n"); !ok) return fail(ok.error());
  fmt::print(o.json == "-" ? stderr : stdout, "{}", run.words());
  return 0;
}

}  // namespace

void add_sim_follow(CLI::App& group, Action& action) {
  CLI::App* command = group.add_subcommand(
      "follow", "Follow one person by the spectral bands of their clothes, and by colours");
  command->footer(
      "The scenario's camera must have a mosaic; a second camera at the same place sees three "
      "colours.\n"
      "Only in the first picture the position of the person's upper body is given. After that, "
      "bands\n"
      "are followed by the Earth Mover's Distance, colours by mean shift on a colour histogram. "
      "The\n"
      "likeness by bands is computed as in the product; the rule that follows it, and its "
      "thresholds,\n"
      "belong to this command. Prints how far both are from the truth. The sheet shows colours "
      "beside\n"
      "the likeness by bands (bright: similar). White: truth; green: bands; red: colours.\n"
      "Examples:\n"
      "  kerblab sim follow --suite camouflage --only follow --sheet followed.png\n"
      "  kerblab sim follow my-street.toml --person 2 --frames 100 --json -");
  const auto o = std::make_shared<FollowOptions>();
  add_scene_options(*command, o->scenes);
  command->add_option("--person", o->person, "Number of the person in the scenario, from 1")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--frames", o->frames, "Number of pictures")
      ->check(CLI::Range(2, 100000))
      ->capture_default_str();
  add_name_option(*command, "--sheet", o->sheet,
                  "Write a sheet of pictures to this file, .png or .jpg");
  command->add_option("--tiles", o->tiles, "Most pictures of the sheet, evenly spaced in time")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  add_name_option(*command, "--json", o->json,
                  "Write the results as JSON to this file; - is stdout");
  command->add_option("--reach", o->reach_nm, "Like spectral.reach_nm of the configuration, nm")
      ->check(between(5, 200))
      ->capture_default_str();
  command->add_option("--threads", o->threads, "Number of threads for rendering and searching")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  run_when_chosen(*command, action, [o] { return follow(*o); });
}

}  // namespace kerb::lab
