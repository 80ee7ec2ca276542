// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/track/draw_tracks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <utility>

#include "tools/kerblab/pictures/draw.hpp"

namespace kerb::lab {
namespace {

constexpr int kLeastPlan = 180;     // pixels wide
constexpr double kPathSeconds = 3;  // of the car's path

cv::Rect rounded(const eval::Box& b) {
  return {static_cast<int>(std::lround(b.x)), static_cast<int>(std::lround(b.y)),
          static_cast<int>(std::lround(b.w)), static_cast<int>(std::lround(b.h))};
}

void draw_box(cv::Mat& bgr, const eval::Box& box, const cv::Scalar& colour, int thickness,
              const std::string& label) {
  cv::rectangle(bgr, rounded(box), {0, 0, 0}, thickness + 2, cv::LINE_AA);  // seen on any ground
  cv::rectangle(bgr, rounded(box), colour, thickness, cv::LINE_AA);
  draw_label(bgr, rounded(box), label, colour);
}

/// All of them from above.
class Plan {
 public:
  Plan(cv::Mat view, double farthest_m) : view_{std::move(view)}, scale_{view_.rows / farthest_m} {
    view_ = cv::Scalar{40, 40, 40};
    const int step = farthest_m > 60 ? 20 : farthest_m > 25 ? 10 : 5;
    for (int metres = step; metres < farthest_m; metres += step) {
      const int row = at(metres, 0).y;
      cv::line(view_, {0, row}, {view_.cols, row}, {90, 90, 90}, 1);
      cv::putText(view_, fmt::format("{} m", metres), {2, row - 2}, cv::FONT_HERSHEY_SIMPLEX, 0.35,
                  {170, 170, 170}, 1, cv::LINE_AA);
    }
    cv::rectangle(view_, at(4, 0.9), at(0, -0.9), {200, 200, 200}, cv::FILLED);
  }

  void add(const track::Person& p, const cv::Scalar& colour) {
    const cv::Point from = at(p.x_m, p.y_m), to = at(p.x_m + p.vx_mps, p.y_m + p.vy_mps);
    cv::line(view_, from, to, colour, 1, cv::LINE_AA);
    cv::circle(view_, from, 3, colour, cv::FILLED, cv::LINE_AA);
    cv::putText(view_, fmt::format("{}", p.id), from + cv::Point{5, 4}, cv::FONT_HERSHEY_SIMPLEX,
                0.35, colour, 1, cv::LINE_AA);
  }

 private:
  [[nodiscard]] cv::Point at(double x, double y) const {
    const auto place = [](double v) {
      return static_cast<int>(std::lround(std::clamp(v, -1e4, 1e4)));
    };
    return {place(view_.cols / 2.0 - y * scale_), place(view_.rows - x * scale_)};
  }
  cv::Mat view_;
  double scale_;
};

/// From the middle of the box's lower edge: the picture shows the feet there, wherever the road's
/// calibration would put them.
void draw_arrow(cv::Mat& bgr, const track::Person& p, const Camera& camera,
                const cv::Scalar& colour) {
  const std::optional<Pixel> from = project(camera, {p.x_m, p.y_m}, 0),
                             to = project(camera, {p.x_m + p.vx_mps, p.y_m + p.vy_mps}, 0);
  if (!from || !to || std::hypot(to->x - from->x, to->y - from->y) > 2.0 * bgr.cols) return;
  const cv::Point2d foot{double{p.box.x} + double{p.box.w} / 2, double{p.box.y} + double{p.box.h}};
  const cv::Point2d end = foot + cv::Point2d{to->x - from->x, to->y - from->y};
  cv::arrowedLine(bgr, foot, end, {0, 0, 0}, 4, cv::LINE_AA, 0, 0.25);
  cv::arrowedLine(bgr, foot, end, colour, 2, cv::LINE_AA, 0, 0.25);
}

}  // namespace

cv::Scalar colour_of_id(int id) {
  const double hue = std::fmod(id * 0.618033988749895, 1.0) * 180;
  const cv::Mat hsv(1, 1, CV_8UC3, cv::Scalar{std::floor(hue), id % 2 == 0 ? 255.0 : 170.0, 255.0});
  cv::Mat bgr;
  cv::cvtColor(hsv, bgr, cv::COLOR_HSV2BGR);
  const auto& c = bgr.at<cv::Vec3b>(0, 0);
  return {double(c[0]), double(c[1]), double(c[2])};
}

void draw_boxes(cv::Mat& bgr, const std::vector<eval::MotBox>& boxes) {
  for (const eval::MotBox& b : boxes)
    draw_box(bgr, b.box, colour_of_id(b.id), 2, fmt::format("{}", b.id));
}

cv::Mat drawn_people(const cv::Mat& bgr, const std::vector<track::Person>& people,
                     const Camera& camera) {
  const int plan_width = std::max(kLeastPlan, bgr.rows / 2);
  cv::Mat out(bgr.rows, bgr.cols + plan_width, CV_8UC3);
  cv::Mat picture = out({0, 0, bgr.cols, bgr.rows});
  bgr.copyTo(picture);
  std::vector<track::Person> by_distance = people;  // the nearest on top
  std::sort(by_distance.begin(), by_distance.end(),
            [](const track::Person& a, const track::Person& b) { return a.x_m > b.x_m; });
  double farthest = 40;
  for (const track::Person& p : people) farthest = std::max(farthest, std::min(p.x_m + 5, 150.0));
  Plan plan{out({bgr.cols, 0, plan_width, bgr.rows}), farthest};
  for (const track::Person& p : by_distance) {
    const cv::Scalar colour = colour_of_id(static_cast<int>(p.id));
    draw_box(picture, {double{p.box.x}, double{p.box.y}, double{p.box.w}, double{p.box.h}}, colour,
             p.seen ? 2 : 1, fmt::format("{} {:.1f} m", p.id, std::hypot(p.x_m, p.y_m)));
    draw_arrow(picture, p, camera, colour);
    plan.add(p, colour);
  }
  return out;
}

void draw_path(cv::Mat& bgr, const risk::CarPath& path, const risk::CarShape& car,
               const Camera& camera) {
  // Corners of the bumper, left and right, on their way.
  std::vector<cv::Point> left, right;
  std::vector<std::pair<cv::Point, cv::Point>> seconds;
  const auto add = [&](const risk::CarPath::Knot& at, double ahead) {
    const auto corner = [&](double y) {
      const double x = car.axle_to_bumper_m + ahead;
      return project(camera, {at.x + at.cos * x - at.sin * y, at.y + at.sin * x + at.cos * y}, 0);
    };
    const std::optional<Pixel> l = corner(car.width_m / 2), r = corner(-car.width_m / 2);
    if (!l || !r) return false;
    const auto point = [](const Pixel& p) {
      return cv::Point{static_cast<int>(std::lround(std::clamp(p.x, -1e4, 1e4))),
                       static_cast<int>(std::lround(std::clamp(p.y, -1e4, 1e4)))};
    };
    left.push_back(point(*l));
    right.push_back(point(*r));
    return true;
  };
  if (!path.known()) return;
  const auto& knots = path.knots();
  const auto last = static_cast<std::size_t>(std::lround(kPathSeconds / risk::CarPath::kStep_s));
  const auto one = static_cast<std::size_t>(std::lround(1 / risk::CarPath::kStep_s));
  for (std::size_t i = 0; i <= last; ++i)
    if (add(knots[i], 0) && i > 0 && i % one == 0) seconds.emplace_back(left.back(), right.back());
  const int more = static_cast<int>(std::ceil((car.length_m - knots[last].x) / 0.25));
  for (int i = 0; i < more; ++i) add(knots[last], 0.25 * i);
  if (left.size() < 2) return;
  std::vector<cv::Point> outline = left;
  outline.insert(outline.end(), right.rbegin(), right.rend());
  cv::Mat tinted = bgr.clone();
  const cv::Scalar colour{255, 160, 0};
  cv::fillPoly(tinted, std::vector<std::vector<cv::Point>>{outline}, colour, cv::LINE_AA);
  cv::addWeighted(tinted, 0.25, bgr, 0.75, 0, bgr);
  cv::polylines(bgr, std::vector<std::vector<cv::Point>>{left, right}, false, colour, 1,
                cv::LINE_AA);
  for (const auto& [l, r] : seconds) cv::line(bgr, l, r, colour, 1, cv::LINE_AA);
}

void draw_warning(cv::Mat bgr, const WarningDecision& told) {
  if (told.level == WarningLevel::none) return;
  const bool collision = told.level == WarningLevel::collision;
  const cv::Scalar colour = collision ? cv::Scalar{0, 0, 255} : cv::Scalar{0, 220, 255};
  cv::rectangle(bgr, {0, 0, bgr.cols, bgr.rows}, colour, 12);
  std::string text = collision ? "COLLISION" : "INFORMATION";
  if (told.person) text += fmt::format("  {}", *told.person);
  if (told.time_to_collision_s) text += fmt::format("  {:.1f} s", *told.time_to_collision_s);
  cv::putText(bgr, text, {14, 32}, cv::FONT_HERSHEY_SIMPLEX, 0.8, {0, 0, 0}, 5, cv::LINE_AA);
  cv::putText(bgr, text, {14, 32}, cv::FONT_HERSHEY_SIMPLEX, 0.8, colour, 2, cv::LINE_AA);
}

void draw_caption(cv::Mat& bgr, const std::string& text) {
  for (const auto& [colour, thickness] :
       {std::pair{cv::Scalar{0, 0, 0}, 3}, std::pair{cv::Scalar{255, 255, 255}, 1}})
    cv::putText(bgr, text, {8, bgr.rows - 8}, cv::FONT_HERSHEY_SIMPLEX, 0.5, colour, thickness,
                cv::LINE_AA);
}

}  // namespace kerb::lab
