// SPDX-License-Identifier: Apache-2.0
// A run's time line, drawn by hand as SVG: the page needs no library for it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/simulator/report/report.hpp"

namespace kerb::sim {
namespace {

constexpr double kWidth = 480, kLeft = 66, kRight = 10;  // of the drawing, in its own units
constexpr double kDistanceTop = 22, kDistanceHeight = 84;
constexpr double kTtcTop = 132, kTtcHeight = 74;
constexpr double kLaneTop = 222, kLane = 17, kBar = 12;
constexpr double kTtcMost = 6;  // seconds
constexpr std::size_t kMostPoints = 160;
constexpr double kSlack = 1e-9;

/// A value by time; nothing where there is none.
struct Point {
  double t;
  std::optional<double> value;
};

/// Fewer points, of each stretch the least: what is near and soon must not fall through.
std::vector<Point> thinned(const std::vector<Point>& points) {
  if (points.size() <= kMostPoints) return points;
  std::vector<Point> out;
  const std::size_t step = (points.size() + kMostPoints - 1) / kMostPoints;
  for (std::size_t i = 0; i < points.size(); i += step) {
    Point least = points[i];
    for (std::size_t j = i; j < std::min(i + step, points.size()); ++j)
      if (points[j].value && (!least.value || *points[j].value < *least.value)) least = points[j];
    out.push_back(least);
  }
  return out;
}

/// A round number of metres or seconds between the marks of an axis.
double step_for(double range, int marks) {
  const double raw = range / marks;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double nice : {1.0, 2.0, 5.0, 10.0})
    if (nice * power >= raw - kSlack) return nice * power;
  return 10 * power;
}

class Drawing {
 public:
  explicit Drawing(const ReportedRun& run)
      : run_{run}, seconds_{std::max(run.scenario.seconds, 1e-3)} {}

  std::string draw() {
    const std::string chart = charts();
    const std::string bars = lanes();
    const double axis = kLaneTop + lanes_ * kLane + 4;
    std::string svg = fmt::format(
        "<svg class=\"time\" viewBox=\"0 0 {} {:.0f}\" role=\"img\" aria-label=\"time line\">",
        kWidth, axis + 26);
    svg += time_axis(axis) + chart + bars + marks(axis) + "</svg>";
    return svg;
  }

 private:
  [[nodiscard]] double x(double t) const {
    return kLeft + std::clamp(t / seconds_, 0.0, 1.0) * (kWidth - kLeft - kRight);
  }
  static std::string text(double x, double y, const char* kind, const std::string& words) {
    return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", kind, x, y,
                       escaped(words));
  }
  [[nodiscard]] std::string path(const std::vector<Point>& points, const char* kind, double top,
                                 double height, double most) const {
    std::string d;
    bool pen_down = false;
    for (const Point& p : points) {
      if (!p.value) {
        pen_down = false;
        continue;
      }
      const double y = top + height * (1 - std::clamp(*p.value / most, 0.0, 1.0));
      d += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", x(p.t), y);
      pen_down = true;
    }
    return d.empty() ? "" : fmt::format("<path class=\"{}\" d=\"{}\"/>", kind, d);
  }
  static std::string frame(double top, double height, double most, double step, const char* title,
                           const char* unit) {
    std::string out = text(kLeft, top - 6, "title", fmt::format("{}, {}", title, unit));
    for (int i = 0; i * step <= most + kSlack; ++i) {
      const double v = i * step;
      const double y = top + height * (1 - v / most);
      out += fmt::format("<path class=\"grid\" d=\"M{} {:.1f}H{}\"/>", kLeft, y, kWidth - kRight);
      out += text(kLeft - 5, y + 3.5, "mark end", fmt::format("{:g}", v));
    }
    return out;
  }

  std::string charts() {
    std::vector<Point> distance, ttc;
    double most = 5;
    for (const Truth::Sample& s : run_.truth.samples) {
      const bool is_there = s.person >= 0 && s.ahead > -1;
      distance.push_back({s.t, is_there ? std::optional{std::max(s.distance, 0.0)} : std::nullopt});
      if (is_there) most = std::max(most, std::min(s.distance, 80.0));
      ttc.push_back({s.t, s.ttc && *s.ttc <= kTtcMost ? s.ttc : std::nullopt});
    }
    const double step = step_for(most, 3);
    most = step * std::ceil(most / step - kSlack);
    std::string out =
        frame(kDistanceTop, kDistanceHeight, most, step,
              "Distance to the most relevant person (line: truth, dots: as sent)", "m");
    out += path(thinned(distance), "line true", kDistanceTop, kDistanceHeight, most);
    const std::vector<Sent::People>& people = run_.judgement.sent.people;
    const std::size_t every = people.size() / kMostPoints + 1;
    for (std::size_t i = 0; i < people.size(); i += every)
      if (people[i].nearest_m && *people[i].nearest_m <= most)
        out += fmt::format("<circle class=\"dot\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"1.6\"/>",
                           x(people[i].at),
                           kDistanceTop + kDistanceHeight * (1 - *people[i].nearest_m / most));
    out += frame(kTtcTop, kTtcHeight, kTtcMost, 2,
                 "Time to collision, if car and person keep their motion", "s");
    if (const auto& wanted = run_.scenario.criteria.collision_warning_before_impact_s)
      out += fmt::format("<path class=\"wanted\" d=\"M{} {:.1f}H{}\"/>", kLeft,
                         kTtcTop + kTtcHeight * (1 - *wanted / kTtcMost), kWidth - kRight);
    out += path(thinned(ttc), "line ttc", kTtcTop, kTtcHeight, kTtcMost);
    return out;
  }

  std::string lane(const char* label) {
    const double top = kLaneTop + lanes_++ * kLane;
    return text(kLeft - 5, top + kBar - 2.5, "mark end", label) +
           fmt::format("<rect class=\"lane\" x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\"/>",
                       kLeft, top, kWidth - kLeft - kRight, kBar);
  }
  [[nodiscard]] std::string bar(double begin, double end, const char* kind,
                                const std::string& words = {}) const {
    const double top = kLaneTop + (lanes_ - 1) * kLane;
    const double left = x(begin), width = std::max(x(end) - left, 1.2);
    std::string out = fmt::format(
        "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\"><title>{} "
        "{:.2f} to {:.2f} s</title></rect>",
        kind, left, top, width, kBar, escaped(words.empty() ? kind : words), begin, end);
    if (!words.empty() && width > 5.2 * static_cast<double>(words.size()))
      out += text(left + 3, top + kBar - 3, "inbar", words);
    return out;
  }
  std::string visible_lane() {
    std::string out = lane("visible");
    const double top = kLaneTop + (lanes_ - 1) * kLane;
    std::vector<Point> points;
    for (const Truth::Sample& s : run_.truth.samples) points.push_back({s.t, s.visible});
    // Thinned by the least, as the rest: what is hidden shows.
    const std::vector<Point> few = thinned(points);
    if (few.empty()) return out;
    std::string d = fmt::format("M{:.1f} {:.1f}", x(few.front().t), top + kBar);
    for (const Point& p : few)
      d += fmt::format("L{:.1f} {:.1f}", x(p.t), top + kBar * (1 - p.value.value_or(0)));
    d += fmt::format("L{:.1f} {:.1f}Z", x(few.back().t), top + kBar);
    return out + fmt::format("<path class=\"visible\" d=\"{}\"/>", d);
  }
  std::string people_lane() {
    std::string out = lane("people");
    const std::vector<Sent::People>& people = run_.judgement.sent.people;
    for (std::size_t i = 0; i < people.size();) {
      std::size_t j = i;
      while (j < people.size() && people[j].count == people[i].count) ++j;
      const double end = j < people.size() ? people[j].at : seconds_;
      if (people[i].count > 0)
        out += bar(people[i].at, end, "people", std::to_string(people[i].count));
      i = j;
    }
    return out;
  }
  std::string lanes() {
    const Sent& sent = run_.judgement.sent;
    std::string out = visible_lane();
    if (!run_.truth.close.empty()) {
      out += lane("close");
      for (const Truth::Close& c : run_.truth.close) out += bar(c.begin, c.end, "close");
    }
    if (!run_.scenario.faults.empty()) {
      out += lane("fault");
      for (const FaultSpec& f : run_.scenario.faults)
        if (f.from_s < seconds_)
          out += bar(f.from_s, std::min(f.to_s, seconds_), "fault", sim::name_of(f.kind));
    }
    out += people_lane();
    out += lane("warning");
    for (const Sent::Warning& w : sent.warnings)
      out += bar(w.begin, w.end, w.level == WarningLevel::collision ? "collision" : "information",
                 name_of(w.level));
    out += lane("lamp");
    for (const Sent::Stretch& s : sent.lamp) out += bar(s.begin, s.end, "lamp");
    out += lane("sound");
    for (const Sent::Stretch& s : sent.tone) out += bar(s.begin, s.end, "sound");
    out += lane("state");
    for (std::size_t i = 0; i < sent.states.size(); ++i) {
      const double end = i + 1 < sent.states.size() ? sent.states[i + 1].at : seconds_;
      const HealthReport& h = sent.states[i].health;
      const std::string words = h.cause == Cause::none
                                    ? name_of(h.state)
                                    : fmt::format("{}: {}", name_of(h.state), name_of(h.cause));
      out += bar(sent.states[i].at, end,
                 h.state == HealthState::active     ? "active"
                 : h.state == HealthState::starting ? "starting"
                                                    : "unwell",
                 words);
    }
    return out;
  }
  [[nodiscard]] std::string time_axis(double y) const {
    std::string out;
    const double step = step_for(seconds_, 6);
    for (int i = 0; i * step <= seconds_ + kSlack; ++i) {
      const double t = i * step;
      out += fmt::format("<path class=\"grid\" d=\"M{0:.1f} {1}V{2}\"/>", x(t), kDistanceTop, y);
      out += text(x(t), y + 12, "mark middle", fmt::format("{:g}", t));
    }
    return out + text((kLeft + kWidth) / 2, y + 23, "mark middle", "seconds of the scenario");
  }
  [[nodiscard]] std::string marks(double bottom) const {
    std::string out;
    const auto mark = [&](double t, const char* kind, const std::string& words, double y) {
      out +=
          fmt::format("<path class=\"{}\" d=\"M{:.1f} {}V{}\"/>", kind, x(t), kDistanceTop, bottom);
      const bool at_right = x(t) > kWidth * 0.8;
      out += text(x(t) + (at_right ? -3 : 3), y, at_right ? "note end" : "note", words);
    };
    if (run_.truth.half_visible)
      mark(*run_.truth.half_visible, "seen", "half visible", kDistanceTop + 9);
    if (run_.truth.contact) mark(run_.truth.contact->t, "impact", "impact", kDistanceTop + 20);
    return out;
  }

  const ReportedRun& run_;
  const double seconds_;
  int lanes_ = 0;
};

}  // namespace

std::string render_time_line(const ReportedRun& run) { return Drawing{run}.draw(); }

}  // namespace kerb::sim
