// SPDX-License-Identifier: Apache-2.0
// kerblab sim follow: one person of a scenario, followed by the bands of what they wear and by
// colours; nobody says where they are after the first picture.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "firmware/spectral/spectral_watch.hpp"
#include "gpu/emd/matcher.hpp"
#include "gpu/emd/targets.hpp"
#include "gpu/image/split_mosaic.hpp"
#include "gpu/memory/context.hpp"
#include "tools/kerblab/output.hpp"
#include "tools/kerblab/progress.hpp"
#include "tools/kerblab/sim.hpp"
#include "tools/kerblab/sim_scenes.hpp"
#include "tools/simulator/render/renderer.hpp"

namespace kerb::lab {
namespace {

using Json = nlohmann::ordered_json;

constexpr float kBeside = 0.4F;  // searched beyond the upper body, person's heights
constexpr float kLike = 0.5F;    // less: nobody is there, the place stays
constexpr float kShare = 0.02F;  // of each picture, in the model
constexpr int kLevels = 16;      // of R, G and B, in the histogram of colours
constexpr int kShifts = 16;

struct FollowOptions {
  SceneChoice scenes;
  std::string sheet, json;
  int person = 1, frames = 200, tiles = 8, threads = 2;
  double reach_nm = EmdMatcherSettings{}.reach * 100;
};

cv::Point2f middle(const Detection& b) { return {b.x + b.w / 2, b.y + b.h / 2}; }

/// Across the picture alone: coat and trousers may be of one cloth, and down it nothing holds a
/// box.
Detection around(const Detection& body, float tall) {
  return {body.x - kBeside * tall, body.y, body.w + 2 * kBeside * tall, body.h, 0};
}

/// By the bands: as the product does where its detector finds nobody.
class ByBands {
 public:
  static Result<ByBands> create(const Context& context, Workers& workers,
                                const sim::CameraSpec& camera, int mosaic, double reach) {
    FrameSourceInfo info;
    info.width = camera.width;
    info.height = camera.height;
    info.mosaic = mosaic;
    EmdMatcherSettings settings;
    settings.reach = reach;
    for (const sim::Band& band : camera.bands) settings.nanometres.push_back(band.centre_nm);
    Result<std::unique_ptr<SpectralMatcher>> made =
        EmdMatcher::create(context, workers, info, settings);
    if (!made) return made.error();
    return ByBands{std::move(*made), info};
  }
  Status show(const std::vector<std::uint8_t>& pixels) {
    RawImageView<Space::host> raw;
    raw.data = pixels.data();
    raw.width = info_.width;
    raw.height = info_.height;
    raw.row_stride = info_.width;
    raw.mosaic = info_.mosaic;
    const int n = info_.mosaic, w = info_.width / n, h = info_.height / n;
    planes_.resize(static_cast<std::size_t>(n * n) * static_cast<std::size_t>(w * h));
    const PlanesView<Space::host, std::uint16_t> out{planes_.data(),       n * n, w, h, w,
                                                     std::ptrdiff_t{w} * h};
    image_.bands = out;
    return cpu::split_mosaic(raw, out);
  }
  Status learn(const Detection& body, float share) {
    const Result<bool> learned = matcher_->learn(image_, 0, body, share);
    if (!learned) return learned.error();
    return *learned ? Status{Done{}}
                    : Status{Error{Errc::invalid_argument, 0, "sim follow",
                                   "the person is too small in the first picture"}};
  }
  /// Moves the box to where it is likeliest; how like it that is.
  Result<float> follow(Detection& body, float tall) {
    const SpectralMatcher::Search search{0, around(body, tall), body};
    SpectralMatcher::Found found;
    if (Status ok = matcher_->look(image_, &search, 1, &found); !ok) return ok.error();
    if (!found.known || found.likeness < kLike) return found.likeness;
    body.x = found.x - body.w / 2;
    return found.likeness;
  }
  /// How like it every place of the picture is, bright is like.
  Result<cv::Mat> likeness() {
    const int n = info_.mosaic, w = info_.width / n, h = info_.height / n;
    cv::Mat out{h, w, CV_8UC1, cv::Scalar::all(0)};
    constexpr int kTile = 40;  // samples a side: as many places as a search may have
    const auto small = static_cast<float>(n);
    for (int y = 0; y < h; y += kTile)
      for (int x = 0; x < w; x += kTile) {
        const SpectralMatcher::Search search{
            0,
            {small * static_cast<float>(x), small * static_cast<float>(y), small * kTile,
             small * kTile, 0},
            {0, 0, small, small, 0}};
        SpectralMatcher::Found found;
        if (Status ok = matcher_->look(image_, &search, 1, &found); !ok) return ok.error();
        for (int j = y; j < std::min(y + kTile, h); ++j)
          for (int i = x; i < std::min(x + kTile, w); ++i) {
            const float like = matcher_->likeness(
                0, {small * static_cast<float>(i), small * static_cast<float>(j), small, small, 0});
            out.at<std::uint8_t>(j, i) =
                static_cast<std::uint8_t>(std::lround(255 * std::max(like, 0.0F)));
          }
      }
    return out;
  }

 private:
  ByBands(std::unique_ptr<SpectralMatcher> matcher, const FrameSourceInfo& info)
      : matcher_{std::move(matcher)}, info_{info} {}
  std::unique_ptr<SpectralMatcher> matcher_;
  FrameSourceInfo info_;
  std::vector<std::uint16_t> planes_;
  PreparedImage image_;
};

/// By three colours: a histogram of the upper body against one of what is around it, and mean shift
/// on how likely each pixel's colour is by them.
class ByColours {
 public:
  void show(const cv::Mat& bgr) { picture_ = bgr; }
  void learn(const Detection& body, float tall, float share) {
    const cv::Rect inner = rect_of(body), outer = rect_of(around(body, tall));
    std::vector<float> theirs(ratios_.size()), others(ratios_.size());
    for (int y = outer.y; y < outer.y + outer.height; ++y)
      for (int x = outer.x; x < outer.x + outer.width; ++x)
        (inner.contains({x, y}) ? theirs : others)[bin(y, x)] += 1;
    const auto inside = static_cast<float>(std::max(inner.area(), 1));
    const auto outside = static_cast<float>(std::max(outer.area() - inner.area(), 1));
    for (std::size_t i = 0; i < ratios_.size(); ++i) {
      const float a = theirs[i] / inside, b = others[i] / outside;
      const float now = a > 0 ? a / (a + b) : 0;
      ratios_[i] += share * (now - ratios_[i]);
    }
  }
  void follow(Detection& body, float tall) {
    const cv::Rect region = rect_of(around(body, tall));
    if (region.width <= static_cast<int>(body.w) || region.height < 2) return;
    likely_.resize(static_cast<std::size_t>(region.area()));
    std::size_t at = 0;
    for (int y = region.y; y < region.y + region.height; ++y)
      for (int x = region.x; x < region.x + region.width; ++x)
        likely_[at++] = static_cast<std::uint8_t>(std::lround(255 * ratios_[bin(y, x)]));
    const PlanesView<Space::host, const std::uint8_t> plane{
        likely_.data(), 1,
        region.width,   region.height,
        region.width,   static_cast<std::ptrdiff_t>(likely_.size())};
    emd::Found found;
    found.box = {static_cast<int>(std::lround(body.x)) - region.x, 0,
                 static_cast<int>(std::lround(body.w)), region.height};
    if (!emd::cpu::mean_shift(plane, kShifts, &found) || found.mean == 0) return;
    body.x = static_cast<float>(found.box.x + region.x);
  }

 private:
  [[nodiscard]] cv::Rect rect_of(const Detection& b) const {
    const cv::Rect all{0, 0, picture_.cols, picture_.rows};
    return cv::Rect{static_cast<int>(std::lround(b.x)), static_cast<int>(std::lround(b.y)),
                    static_cast<int>(std::lround(b.w)), static_cast<int>(std::lround(b.h))} &
           all;
  }
  [[nodiscard]] std::size_t bin(int y, int x) const {
    const auto& p = picture_.at<cv::Vec3b>(y, x);
    std::size_t out = 0;
    for (int c = 0; c < 3; ++c)
      out = out * kLevels + static_cast<std::size_t>(p[c] * kLevels / 256);
    return out;
  }
  cv::Mat picture_;
  std::vector<float> ratios_ = std::vector<float>(std::size_t{kLevels} * kLevels * kLevels);
  std::vector<std::uint8_t> likely_;
};

void draw_box(cv::Mat& bgr, const Detection& b, const cv::Scalar& colour, int thick) {
  cv::rectangle(bgr, cv::Point2f{b.x, b.y}, cv::Point2f{b.x + b.w, b.y + b.h}, colour, thick);
}

struct Errors {
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

const cv::Scalar kTruthColour{255, 255, 255}, kBandsColour{60, 220, 60},
    kColoursColour{60, 60, 255};

class Follower {
 public:
  Follower(const FollowOptions& options, const sim::Scenario& scenario)
      : o_{options}, scenario_{scenario}, world_{scenario} {}

  Status run() {
    sim::Scenario coloured = scenario_;
    coloured.camera.sensor = sim::Sensor::rgb;
    sim::Renderer bands{scenario_, {false, o_.threads}}, colours{coloured, {false, o_.threads}};
    int mosaic = 1;
    while (mosaic * mosaic < static_cast<int>(scenario_.camera.bands.size())) ++mosaic;
    Result<Context> context = Context::create(BackendChoice::automatic);
    if (!context) return context.error();
    Workers workers{o_.threads};
    Result<ByBands> by_bands =
        ByBands::create(*context, workers, scenario_.camera, mosaic, o_.reach_nm / 100);
    if (!by_bands) return by_bands.error();
    ByColours by_colours;
    const SystemClock clock;
    Progress progress{clock, scenario_.name};
    sim::Rendered seen, seen_rgb;
    Detection from_bands, from_colours;
    float tall = 0;
    for (int i = 0; i < o_.frames; ++i) {
      const double t = i / scenario_.camera.rate_hz;
      bands.draw(world_, t, seen);
      colours.draw(world_, t, seen_rgb);
      const sim::Renderer::Outline whole = bands.outline(world_, o_.person - 1, t);
      const Detection truth = upper_body(
          {static_cast<float>(whole.x0), static_cast<float>(whole.y0),
           static_cast<float>(whole.x1 - whole.x0), static_cast<float>(whole.y1 - whole.y0), 0});
      cv::Mat bgr;
      cv::cvtColor(cv::Mat{seen_rgb.height, seen_rgb.width, CV_8UC3, seen_rgb.pixels.data()}, bgr,
                   cv::COLOR_RGB2BGR);
      if (Status ok = by_bands->show(seen.pixels); !ok) return ok;
      by_colours.show(bgr);
      if (i == 0) {
        // A stride changes the outline's width: that of a person who stands is taken.
        tall = static_cast<float>(whole.y1 - whole.y0);
        const cv::Point2f c = middle(truth);
        const Detection body{c.x - kWide * tall / 2, truth.y, kWide * tall, truth.h, 0};
        from_bands = from_colours = body;
        if (Status ok = by_bands->learn(body, 1); !ok) return ok;
        by_colours.learn(body, tall, 1);
      } else {
        const Result<float> like = by_bands->follow(from_bands, tall);
        if (!like) return like.error();
        if (*like >= kLike)
          if (Status ok = by_bands->learn(from_bands, kShare); !ok) return ok;
        by_colours.follow(from_colours, tall);
      }
      note(truth, from_bands, from_colours);
      if (i % std::max(1, o_.frames / o_.tiles) == o_.frames / o_.tiles / 2)
        if (Status ok = add_tile(*by_bands, bgr, i, truth, from_bands, from_colours); !ok)
          return ok;
      progress.show(static_cast<std::size_t>(i) + 1, static_cast<std::size_t>(o_.frames));
    }
    half_width_ = static_cast<double>(kWide * tall) / 2;
    return Done{};
  }
  [[nodiscard]] Json report() const {
    const auto of = [&](const Errors& e) {
      return Json{{"median_px", e.quantile(0.5)},
                  {"p95_px", e.quantile(0.95)},
                  {"worst_px", e.quantile(1)},
                  {"on_the_person", e.on(half_width_)}};
    };
    return Json{{"scenario", scenario_.name},   {"person", o_.person}, {"frames", o_.frames},
                {"half_width_px", half_width_}, {"bands", of(bands_)}, {"colours", of(colours_)}};
  }
  [[nodiscard]] std::string words() const {
    const auto line = [&](const char* name, const Errors& e) {
      return fmt::format(
          "{:<8} median {:6.1f} px, 95 % {:6.1f}, worst {:6.1f}; on the person in {} of {}\n", name,
          e.quantile(0.5), e.quantile(0.95), e.quantile(1), e.on(half_width_), o_.frames);
    };
    return line("bands", bands_) + line("colours", colours_);
  }
  /// Two columns of tiles, each the colours beside the likeness.
  [[nodiscard]] cv::Mat sheet() const {
    if (tiles_.empty()) return {};
    const cv::Size one = tiles_.front().size();
    const int columns = 2, rows = (static_cast<int>(tiles_.size()) + 1) / columns;
    cv::Mat out{rows * (one.height + 4) - 4, columns * (one.width + 8) - 8, CV_8UC3,
                cv::Scalar::all(40)};
    for (int i = 0; i < static_cast<int>(tiles_.size()); ++i)
      tiles_[static_cast<std::size_t>(i)].copyTo(out(cv::Rect{
          i % columns * (one.width + 8), i / columns * (one.height + 4), one.width, one.height}));
    return out;
  }

 private:
  static constexpr float kWide = 0.176F;  // of a person's height: 0.44 of a box 0.4 as wide

  void note(const Detection& truth, const Detection& by_bands, const Detection& by_colours) {
    const auto off = [&](const Detection& b) {
      return std::abs(static_cast<double>(middle(b).x - middle(truth).x));
    };
    bands_.off.push_back(off(by_bands));
    colours_.off.push_back(off(by_colours));
  }
  /// The middle of the picture: what is near the truth, and where the two have got to.
  Status add_tile(ByBands& by_bands, const cv::Mat& bgr, int frame, const Detection& truth,
                  const Detection& from_bands, const Detection& from_colours) {
    constexpr int kTileWidth = 380;
    Result<cv::Mat> like = by_bands.likeness();
    if (!like) return like.error();
    cv::Mat left = bgr.clone(), right;
    cv::resize(*like, right, left.size(), 0, 0, cv::INTER_NEAREST);
    cv::applyColorMap(right, right, cv::COLORMAP_INFERNO);
    for (cv::Mat* side : {&left, &right}) {
      draw_box(*side, truth, kTruthColour, 2);
      draw_box(*side, from_colours, kColoursColour, 4);
      draw_box(*side, from_bands, kBandsColour, 4);
    }
    const int top = bgr.rows / 5, high = bgr.rows * 3 / 5;  // sky and bonnet say nothing
    cv::Mat both;
    cv::hconcat(left.rowRange(top, top + high), right.rowRange(top, top + high), both);
    cv::resize(both, both, {2 * kTileWidth, 2 * kTileWidth * both.rows / both.cols}, 0, 0,
               cv::INTER_AREA);
    cv::putText(both, fmt::format("{}", frame + 1), {6, 18}, cv::FONT_HERSHEY_SIMPLEX, 0.5,
                kTruthColour, 1, cv::LINE_AA);
    tiles_.push_back(both);
    return Done{};
  }

  const FollowOptions& o_;
  const sim::Scenario& scenario_;
  sim::World world_;
  Errors bands_, colours_;
  double half_width_ = 0;
  std::vector<cv::Mat> tiles_;
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
    warn(fmt::format("more than one run is chosen; this is {}", scenario.name));
  if (scenario.camera.sensor != sim::Sensor::mosaic)
    return fail(fmt::format("{}: its camera has no mosaic", scenario.name));
  if (o.person > static_cast<int>(scenario.people.size()))
    return fail(fmt::format("--person {}: there are {}", o.person, scenario.people.size()));
  if (o.frames / scenario.camera.rate_hz > scenario.seconds + 1e-9)
    return fail(fmt::format("--frames {}: the run has {:.0f}", o.frames,
                            scenario.seconds * scenario.camera.rate_hz));
  Follower follower{o, scenario};
  if (Status done = follower.run(); !done) return fail(done.error());
  if (!o.sheet.empty()) {
    std::vector<std::uint8_t> bytes;
    cv::imencode(std::filesystem::path{o.sheet}.extension().string(), follower.sheet(), bytes,
                 {cv::IMWRITE_JPEG_QUALITY, 82});
    if (Status ok =
            write_output(o.sheet, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        !ok)
      return fail(ok.error());
  }
  if (!o.json.empty())
    if (Status ok = write_output(o.json, follower.report().dump(2) + "\n"); !ok)
      return fail(ok.error());
  fmt::print(o.json == "-" ? stderr : stdout, "{}", follower.words());
  return 0;
}

}  // namespace

void add_sim_follow(CLI::App& group, Action& action) {
  CLI::App* command = group.add_subcommand(
      "follow", "Follow one person by the bands of what they wear, and by colours");
  command->footer(
      "The camera is one with a mosaic; another in its place sees three colours. The first "
      "picture\n"
      "says where the person's upper body is, and nothing does after that: bands are followed by "
      "the\n"
      "Earth Mover's Distance, as the product does where its detector finds nobody, colours by "
      "mean\n"
      "shift on a histogram of them. Says how far both are from the truth. The sheet shows "
      "colours\n"
      "beside the likeness by bands, bright is like; white the truth, green bands, red colours.\n"
      "Examples:\n  kerblab sim follow --suite camouflage --only follow --sheet followed.png\n"
      "  kerblab sim follow my-street.toml --person 2 --frames 100 --json -");
  const auto o = std::make_shared<FollowOptions>();
  add_scene_options(*command, o->scenes);
  command->add_option("--person", o->person, "Whom, in the scenario's order")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--frames", o->frames, "Pictures")
      ->check(CLI::Range(2, 100000))
      ->capture_default_str();
  command->add_option("--sheet", o->sheet, "Some of the pictures, on one: .png or .jpg")
      ->check(not_empty);
  command->add_option("--tiles", o->tiles, "So many of them")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--json", o->json, "The figures; - is stdout")->check(not_empty);
  command->add_option("--reach", o->reach_nm, "As spectral.reach_nm of the configuration")
      ->check(CLI::Range(5, 1000))
      ->capture_default_str();
  command->add_option("--threads", o->threads, "For drawing and looking")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  command->callback([o, &action] { action = [o] { return follow(*o); }; });
}

}  // namespace kerb::lab
