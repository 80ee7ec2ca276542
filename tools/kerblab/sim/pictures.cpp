// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/sim/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "tools/kerblab/sim/moments.hpp"
#include "tools/simulator/judge/visibility.hpp"
#include "tools/simulator/run/camera_faults.hpp"

namespace kerb::lab {
namespace {

constexpr double kLikely = 0.5;  // of a contact
constexpr int kReportWidth = 416, kJpegQuality = 72;
constexpr int kMomentWidth = 640;  // of a picture of its own
const cv::Scalar kTruth{220, 220, 220}, kFound{0, 176, 255}, kCollision{32, 45, 217},
    kInformation{0, 177, 242}, kWhite{255, 255, 255}, kBlack{0, 0, 0};

sim::Scenario resized(const sim::Scenario& scenario, int width) {
  sim::Scenario out = scenario;
  if (width == 0 || width >= scenario.camera.width) return out;
  out.camera.height = std::max(16, static_cast<int>(std::lround(double(scenario.camera.height) *
                                                                width / scenario.camera.width)) &
                                       ~1);
  out.camera.width = width;
  // What is measured in pixels shrinks along; what is left of it is the smaller picture's own.
  out.camera.blur_px = scenario.camera.blur_px * width / scenario.camera.width;
  return out;
}

/// Somebody's box by geometry: a figure as tall as they are, in a pinhole camera.
std::optional<cv::Rect2d> box_of(const sim::Scenario& scenario, const sim::Moment& now,
                                 std::size_t person) {
  const sim::CameraSpec& camera = scenario.camera;
  const double focal = camera.width / 2.0 / std::tan(sim::radians(camera.fov_deg) / 2);
  const sim::Vec2 ahead = sim::direction(now.car.place.heading);
  const sim::Vec2 eye = now.car.place.at - camera.behind_m * ahead + camera.left_m * left_of(ahead);
  const double yaw = now.car.place.heading + sim::radians(camera.yaw_deg);
  const double pitch = sim::radians(camera.pitch_deg);
  const sim::Vec2 to = now.people[person].place.at - eye;
  const sim::Vec2 look = sim::direction(yaw);
  const double flat = dot(to, look), left = dot(to, left_of(look));
  const auto row = [&](double height) {
    const double up = height - camera.height_m;
    const double depth = flat * std::cos(pitch) - up * std::sin(pitch);
    return camera.height / 2.0 - focal * (up * std::cos(pitch) + flat * std::sin(pitch)) / depth;
  };
  if (flat < 0.3) return std::nullopt;
  const double height = scenario.people[person].height_m;
  const double x = camera.width / 2.0 - focal * left / flat, top = row(height), bottom = row(0);
  const double wide = 0.4 * (bottom - top);
  return cv::Rect2d{x - wide / 2, top, wide, bottom - top};
}

void label(cv::Mat& bgr, const std::string& words, cv::Point at, double size,
           const cv::Scalar& colour, const cv::Scalar& ground) {
  int base = 0;
  const cv::Size box = cv::getTextSize(words, cv::FONT_HERSHEY_SIMPLEX, size, 1, &base);
  cv::rectangle(bgr, {at.x, at.y, box.width + 8, box.height + base + 6}, ground, cv::FILLED);
  cv::putText(bgr, words, {at.x + 4, at.y + box.height + 3}, cv::FONT_HERSHEY_SIMPLEX, size, colour,
              1, cv::LINE_AA);
}

}  // namespace

struct RunPainter::Impl {
  Impl(const BatchRun& batch, int width, int threads)
      : run{batch},
        scenario{resized(batch.run.scenario, width)},
        world{scenario},
        visibility{scenario},
        faults{scenario, sim::channels_of(scenario.camera.sensor)},
        painter{sim::make_rendered_painter(scenario, threads)} {}

  cv::Mat picture(double t) {
    std::vector<std::uint8_t> bytes;
    painter->paint(world, t, bytes);
    const bool comes = faults.apply(t, bytes);
    const sim::CameraSpec& c = scenario.camera;
    const bool colour = sim::channels_of(c.sensor) == 3;
    const cv::Mat raw{c.height, c.width, colour ? CV_8UC3 : CV_8UC1, bytes.data()};
    cv::Mat bgr;
    cv::cvtColor(raw, bgr, colour ? cv::COLOR_RGB2BGR : cv::COLOR_GRAY2BGR);
    if (!comes) {
      bgr *= 0.25;
      label(bgr, "no picture", {8, c.height - 30}, 0.5, kWhite, kBlack);
    }
    return bgr;
  }
  void draw_people(cv::Mat& bgr, double t) {
    world.at(t, now);
    for (std::size_t i = 0; i < now.people.size(); ++i) {
      if (visibility.visible(now, i) < sim::kSeenShare) continue;
      if (const std::optional<cv::Rect2d> box = box_of(scenario, now, i))
        cv::rectangle(bgr, *box, kTruth, 1, cv::LINE_AA);
    }
    // The picture before, whose result was just known.
    const FoundPeople* last = nullptr;
    for (const FoundPeople& f : run.found)
      if (f.t <= t + 1e-6) last = &f;
    if (last == nullptr) return;
    const double scale = double(bgr.cols) / run.run.scenario.camera.width;
    const bool large = bgr.cols > 800;
    const auto scaled = [scale](const Detection& d) {
      return cv::Rect2d{scale * d.x, scale * d.y, scale * d.w, scale * d.h};
    };
    for (const Detection& d : last->people)
      cv::rectangle(bgr, scaled(d), kFound * 0.6, 1, cv::LINE_AA);
    for (const FollowedPerson& p : last->followed) {
      const cv::Scalar& colour = p.probability >= kLikely ? kCollision : kFound;
      const cv::Rect2d box = scaled(p.box);
      cv::rectangle(bgr, box, colour, large ? 3 : 2, cv::LINE_AA);
      label(bgr, fmt::format("{:.0f} m", p.ahead_m),
            {static_cast<int>(box.x), static_cast<int>(box.y) - (large ? 24 : 15)},
            large ? 0.55 : 0.35, kWhite, colour);
    }
  }
  void draw_words(cv::Mat& bgr, double t) {
    const double size = bgr.cols > 800 ? 0.7 : 0.42;
    const int line = bgr.cols > 800 ? 30 : 19;
    std::string words = fmt::format("{:.2f} s  {:.0f} km/h", t, now.car.mps * 3.6);
    const sim::Truth& truth = run.run.truth;
    if (truth.contact && truth.contact->t >= t)
      words += fmt::format("  impact in {:.2f} s", truth.contact->t - t);
    label(bgr, words, {4, 4}, size, kWhite, kBlack);
    for (const sim::Sent::Warning& w : run.run.judgement.sent.warnings) {
      if (t < w.begin - 1e-6 || t >= w.end) continue;
      const bool collision = w.level == WarningLevel::collision;
      label(bgr, collision ? "COLLISION WARNING" : "INFORMATION", {4, 4 + line}, size, kWhite,
            collision ? kCollision : kInformation);
      cv::rectangle(bgr, {0, 0, bgr.cols, bgr.rows}, collision ? kCollision : kInformation,
                    bgr.cols > 800 ? 8 : 4);
    }
    const sim::Sent::State* state = nullptr;
    for (const sim::Sent::State& s : run.run.judgement.sent.states)
      if (s.at <= t + 1e-6) state = &s;
    if (state == nullptr || state->health.state == HealthState::active) return;
    label(bgr,
          fmt::format("{} {}", name_of(state->health.state),
                      state->health.cause == Cause::none ? "" : name_of(state->health.cause)),
          {4, bgr.rows - line - 4}, size, kWhite, {120, 40, 110});
  }

  const BatchRun& run;
  sim::Scenario scenario;
  sim::World world;
  sim::Visibility visibility;
  sim::CameraFaults faults;
  std::unique_ptr<sim::Painter> painter;
  sim::Moment now;
};

RunPainter::RunPainter(const BatchRun& run, int width, int threads)
    : impl_{std::make_unique<Impl>(run, width, threads)} {}
RunPainter::~RunPainter() = default;

cv::Mat RunPainter::at(double t) {
  cv::Mat bgr = impl_->picture(t);
  impl_->draw_people(bgr, t);
  impl_->draw_words(bgr, t);
  return bgr;
}

bool can_draw_moments() noexcept { return true; }

std::vector<sim::Picture> draw_moments(const BatchRun& run, const sim::RunOptions& options) {
  std::vector<sim::Picture> out;
  RunPainter painter{run, kReportWidth, options.threads};
  for (const sim::MomentThatMatters& moment :
       sim::moments_of(run.run.scenario, run.run.truth, run.run.judgement)) {
    const cv::Mat bgr = painter.at(moment.t);
    sim::Picture picture;
    picture.t = moment.t;
    picture.caption = moment.caption;
    picture.width = bgr.cols;
    picture.height = bgr.rows;
    cv::imencode(".jpg", bgr, picture.jpeg, {cv::IMWRITE_JPEG_QUALITY, kJpegQuality});
    out.push_back(std::move(picture));
  }
  return out;
}

std::vector<std::uint8_t> draw_moment(const BatchRun& run, double t, int threads,
                                      std::size_t most_bytes) {
  const cv::Mat bgr = RunPainter{run, kMomentWidth, threads}.at(t);
  std::vector<std::uint8_t> jpeg;
  for (int quality = 85; quality >= 25; quality -= 5) {
    cv::imencode(".jpg", bgr, jpeg, {cv::IMWRITE_JPEG_QUALITY, quality});
    if (jpeg.size() <= most_bytes) return jpeg;
  }
  return {};
}

}  // namespace kerb::lab
