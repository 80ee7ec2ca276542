// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/draw_tracks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <optional>

#include "tools/kerblab/draw.hpp"

namespace kerb::lab {
namespace {

constexpr double kFarthest = 40, kWidest = 10;  // metres ahead and to each side, from above

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

/// From above; the picture's part in which it is drawn is darkened first.
class Plan {
 public:
  explicit Plan(cv::Mat& bgr) {
    const int height = std::min(bgr.rows * 2 / 5, 260);
    const auto width = static_cast<int>(height * 2 * kWidest / kFarthest);
    view_ = bgr({bgr.cols - width - 6, 6, width, height});
    view_ *= 0.35;
    scale_ = height / kFarthest;
    for (int metres = 10; metres < kFarthest; metres += 10) {
      const int row = static_cast<int>(std::lround(height - metres * scale_));
      cv::line(view_, {0, row}, {width, row}, {120, 120, 120}, 1);
      cv::putText(view_, fmt::format("{} m", metres), {2, row - 2}, cv::FONT_HERSHEY_SIMPLEX, 0.32,
                  {170, 170, 170}, 1, cv::LINE_AA);
    }
    cv::rectangle(view_, at(4, 0.9), at(0, -0.9), {200, 200, 200}, cv::FILLED);
  }

  void add(const track::Person& p, const cv::Scalar& colour) {
    cv::line(view_, at(p.x_m, p.y_m), at(p.x_m + p.vx_mps, p.y_m + p.vy_mps), colour, 1,
             cv::LINE_AA);
    cv::circle(view_, at(p.x_m, p.y_m), 3, colour, cv::FILLED, cv::LINE_AA);
  }

 private:
  [[nodiscard]] cv::Point at(double x, double y) const {
    const auto place = [](double v) {
      return static_cast<int>(std::lround(std::clamp(v, -1e4, 1e4)));
    };
    return {place(view_.cols / 2.0 - y * scale_), place(view_.rows - x * scale_)};
  }
  cv::Mat view_;
  double scale_ = 1;
};

void draw_arrow(cv::Mat& bgr, const track::Person& p, const track::CameraModel& camera,
                double pitch_more, const cv::Scalar& colour) {
  const std::optional<track::Pixel> from = track::project(camera, {p.x_m, p.y_m}, 0, pitch_more),
                                    to =
                                        track::project(camera, {p.x_m + p.vx_mps, p.y_m + p.vy_mps},
                                                       0, pitch_more);
  if (!from || !to || std::hypot(to->x - from->x, to->y - from->y) > 2.0 * bgr.cols) return;
  const cv::Point2d a{from->x, from->y}, b{to->x, to->y};
  cv::arrowedLine(bgr, a, b, {0, 0, 0}, 4, cv::LINE_AA, 0, 0.25);
  cv::arrowedLine(bgr, a, b, colour, 2, cv::LINE_AA, 0, 0.25);
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

void draw_people(cv::Mat& bgr, const std::vector<track::Person>& people,
                 const track::CameraModel& camera, double pitch_more) {
  std::vector<track::Person> by_distance = people;  // the nearest on top
  std::sort(by_distance.begin(), by_distance.end(),
            [](const track::Person& a, const track::Person& b) { return a.x_m > b.x_m; });
  for (const track::Person& p : by_distance) {
    const cv::Scalar colour = colour_of_id(static_cast<int>(p.id));
    draw_box(bgr, {double{p.box.x}, double{p.box.y}, double{p.box.w}, double{p.box.h}}, colour,
             p.seen ? 2 : 1, fmt::format("{} {:.1f} m", p.id, std::hypot(p.x_m, p.y_m)));
    draw_arrow(bgr, p, camera, pitch_more, colour);
  }
  Plan plan{bgr};
  for (const track::Person& p : by_distance) plan.add(p, colour_of_id(static_cast<int>(p.id)));
}

void draw_caption(cv::Mat& bgr, const std::string& text) {
  for (const auto& [colour, thickness] :
       {std::pair{cv::Scalar{0, 0, 0}, 3}, std::pair{cv::Scalar{255, 255, 255}, 1}})
    cv::putText(bgr, text, {8, bgr.rows - 8}, cv::FONT_HERSHEY_SIMPLEX, 0.5, colour, thickness,
                cv::LINE_AA);
}

}  // namespace kerb::lab
