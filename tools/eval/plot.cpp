// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

namespace kerb::eval {
namespace {

using Point = std::pair<double, double>;

// Okabe and Ito's colours, which the colour-blind can tell apart; then the same, dashed.
constexpr Colour kColours[] = {{0, 114, 178}, {213, 94, 0},   {0, 158, 115}, {204, 121, 167},
                               {230, 159, 0}, {86, 180, 233}, {0, 0, 0},     {150, 120, 60}};
constexpr Colour kBlack{0, 0, 0}, kGrid{216, 216, 216};
constexpr double kMarkRadius = 4,
                 kCap = 4;  // pixels; a cap is half of the stroke across a range's end
constexpr double kLabelWidth = 30, kLabelHeight = 13;  // pixels: nearer ones are joined
constexpr double kRightEdge = 0.94;  // of the frame: labels to the left from there
constexpr double kLeft = 86, kRight = 24, kTop = 48, kFrameHeight = 520, kBelow = 70, kRow = 22;

std::string tick_name(double value, Plot::Scale scale) {
  if (scale == Plot::Scale::linear) {
    char plain[32];
    std::snprintf(plain, sizeof plain, "%g", std::abs(value) < 1e-12 ? 0.0 : value);
    return plain;
  }
  const double exponent = std::log10(value);
  const double whole = std::round(exponent);
  char text[32];
  if (std::abs(exponent - whole) < 1e-9 && (whole < -1 || whole > 3))
    std::snprintf(text, sizeof text, "1e%.0f", whole);
  else
    std::snprintf(text, sizeof text, "%g", value);
  return text;
}

/// The part of a segment with both ends' coordinates in 0..1, or nothing (Liang and Barsky).
std::optional<std::pair<Point, Point>> clipped(Point a, Point b) {
  const double dx = b.first - a.first, dy = b.second - a.second;
  const double towards[] = {-dx, dx, -dy, dy};
  const double room[] = {a.first, 1 - a.first, a.second, 1 - a.second};
  double from = 0, to = 1;
  for (int i = 0; i < 4; ++i) {
    if (towards[i] == 0) {
      if (room[i] < 0) return std::nullopt;
      continue;
    }
    const double cut = room[i] / towards[i];
    if (towards[i] < 0)
      from = std::max(from, cut);
    else
      to = std::min(to, cut);
  }
  if (from > to) return std::nullopt;
  // Ends within are given back as they are, so that the next segment is seen to go on from there.
  const auto along = [&](double part) { return Point{a.first + part * dx, a.second + part * dy}; };
  return std::pair{from > 0 ? along(from) : a, to < 1 ? along(to) : b};
}

class Layout {
 public:
  explicit Layout(const Plot& plot) : plot_{plot} {
    drawing_.height = static_cast<int>(kTop + kFrameHeight + kBelow +
                                       kRow * static_cast<double>(named_series()) + 8);
    frame_width_ = drawing_.width - kLeft - kRight;
  }

  Drawing run() {
    grid();
    for (std::size_t i = 0; i < plot_.series.size(); ++i) curve(i);
    line({{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}}, kBlack, 1.5);
    text({kLeft + frame_width_ / 2, kTop - 18, plot_.title, 17, Drawing::Anchor::middle});
    text({kLeft + frame_width_ / 2, kTop + kFrameHeight + 46, plot_.x_label, 15,
          Drawing::Anchor::middle});
    text({24, kTop + kFrameHeight / 2, plot_.y_label, 15, Drawing::Anchor::middle, true});
    return std::move(drawing_);
  }

 private:
  [[nodiscard]] std::size_t named_series() const {
    return static_cast<std::size_t>(std::count_if(plot_.series.begin(), plot_.series.end(),
                                                  [](const auto& s) { return !s.name.empty(); }));
  }
  static double share(Plot::Scale scale, double value, double from, double to) {
    return scale == Plot::Scale::linear ? (value - from) / (to - from)
                                        : std::log(value / from) / std::log(to / from);
  }
  [[nodiscard]] double x_of(double value) const {
    return share(plot_.x_scale, value, plot_.x_from, plot_.x_to);
  }
  [[nodiscard]] double y_of(double value) const {
    return share(plot_.y_scale, value, plot_.y_from, plot_.y_to);
  }
  [[nodiscard]] Point place(const Point& p) const { return {x_of(p.first), y_of(p.second)}; }
  /// In shares of the frame, y upwards.
  void line(const std::vector<Point>& points, Colour colour, double width, bool dashed = false) {
    Drawing::Item item;
    for (const Point& p : points)
      item.line.points.emplace_back(kLeft + p.first * frame_width_,
                                    kTop + (1 - p.second) * kFrameHeight);
    item.line.colour = colour;
    item.line.width = width;
    item.line.dashed = dashed;
    drawing_.items.push_back(std::move(item));
  }
  void text(const Drawing::Text& what) {
    Drawing::Item item;
    item.is_line = false;
    item.text = what;
    drawing_.items.push_back(std::move(item));
  }

  void grid() {
    for (const double tick : plot_.x_ticks) {
      const double x = x_of(tick);
      if (x < -1e-9 || x > 1 + 1e-9) continue;
      line({{x, 0}, {x, 1}}, kGrid, 1);
      text({kLeft + x * frame_width_, kTop + kFrameHeight + 20, tick_name(tick, plot_.x_scale), 13,
            Drawing::Anchor::middle});
    }
    for (const double tick : plot_.y_ticks) {
      const double y = y_of(tick);
      if (y < -1e-9 || y > 1 + 1e-9) continue;
      line({{0, y}, {1, y}}, kGrid, 1);
      text({kLeft - 8, kTop + (1 - y) * kFrameHeight + 5, tick_name(tick, plot_.y_scale), 13,
            Drawing::Anchor::end});
    }
  }

  void curve(std::size_t index) {
    const Plot::Series& series = plot_.series[index];
    const Colour colour = series.colour.value_or(kColours[index % std::size(kColours)]);
    const bool dashed = series.dashed || (index / std::size(kColours)) % 2 == 1;
    ranges(series, colour);
    if (series.connected) connect(series, colour, dashed);
    if (series.marks)
      for (const Point& point : series.points)
        if (const Point at = place(point); is_inside(at)) ring(at, colour);
    labels(series, colour);
    if (!series.name.empty()) legend(series, colour, dashed);
  }

  void connect(const Plot::Series& series, Colour colour, bool dashed) {
    std::vector<Point> run;
    const auto flush = [&] {
      if (run.size() > 1) line(run, colour, 2.5, dashed);
      run.clear();
    };
    for (std::size_t i = 1; i < series.points.size(); ++i) {
      const auto part = clipped(place(series.points[i - 1]), place(series.points[i]));
      if (!part) {
        flush();
        continue;
      }
      if (run.empty() || run.back() != part->first) {
        flush();
        run.push_back(part->first);
      }
      run.push_back(part->second);
    }
    flush();
  }

  /// Below the points, to the right; to the left at the right edge. Those of neighbours that would
  /// cover each other are one text.
  void labels(const Plot::Series& series, Colour colour) {
    std::optional<Drawing::Text> last;
    const auto flush = [&] {
      if (last && !last->text.empty()) text(*last);
      last.reset();
    };
    for (std::size_t i = 0; i < std::min(series.points.size(), series.labels.size()); ++i) {
      const Point at = place(series.points[i]);
      if (!is_inside(at) || series.labels[i].empty()) continue;
      const bool at_edge = at.first > kRightEdge;
      const double x = x_pixel(at) + (at_edge ? -1 : 1) * (kMarkRadius + 3);
      const double y = y_pixel(at) + kMarkRadius + 11;
      if (last && std::abs(x - last->x) < kLabelWidth && std::abs(y - last->y) < kLabelHeight) {
        last->text += ", " + series.labels[i];
        continue;
      }
      flush();
      last = Drawing::Text{x,
                           y,
                           series.labels[i],
                           12,
                           at_edge ? Drawing::Anchor::end : Drawing::Anchor::start,
                           false,
                           colour};
    }
    flush();
  }

  void ranges(const Plot::Series& series, Colour full) {
    const auto lighter = [](std::uint8_t c) {
      return static_cast<std::uint8_t>(c + (255 - c) / 2);
    };
    const Colour colour{lighter(full.r), lighter(full.g), lighter(full.b)};
    const auto draw = [&](Point low, Point high, bool across) {
      const Point from = place(low), to = place(high);
      const auto part = clipped(from, to);
      if (!part) return;
      line({part->first, part->second}, colour, 1);
      // An end that is cut off by the frame has no cap: the range goes on.
      for (const auto& [end, seen] : {std::pair{from, part->first}, std::pair{to, part->second}})
        if (end == seen) {
          const double dx = across ? 0 : kCap / frame_width_, dy = across ? kCap / kFrameHeight : 0;
          line({{end.first - dx, end.second - dy}, {end.first + dx, end.second + dy}}, colour, 1);
        }
    };
    for (std::size_t i = 0; i < series.points.size(); ++i) {
      const auto [x, y] = series.points[i];
      if (i < series.x_ranges.size())
        draw({series.x_ranges[i].first, y}, {series.x_ranges[i].second, y}, true);
      if (i < series.y_ranges.size())
        draw({x, series.y_ranges[i].first}, {x, series.y_ranges[i].second}, false);
    }
  }

  void legend(const Plot::Series& series, Colour colour, bool dashed) {
    const double y =
        kTop + kFrameHeight + kBelow + kRow * static_cast<double>(std::exchange(row_, row_ + 1));
    if (series.connected) {
      Drawing::Item sample;
      sample.line.points = {{kLeft, y}, {kLeft + 36, y}};
      sample.line.colour = colour;
      sample.line.width = 2.5;
      sample.line.dashed = dashed;
      drawing_.items.push_back(std::move(sample));
    }
    if (series.marks) ring({18 / frame_width_, 1 - (y - kTop) / kFrameHeight}, colour);
    text({kLeft + 46, y + 5, series.name, 14});
  }

  static bool is_inside(const Point& at) {
    constexpr double kEdge = 1e-9;
    return at.first >= -kEdge && at.first <= 1 + kEdge && at.second >= -kEdge &&
           at.second <= 1 + kEdge;
  }
  [[nodiscard]] double x_pixel(const Point& at) const { return kLeft + at.first * frame_width_; }
  [[nodiscard]] static double y_pixel(const Point& at) {
    return kTop + (1 - at.second) * kFrameHeight;
  }
  void ring(const Point& at, Colour colour) {
    constexpr int kCorners = 12;
    Drawing::Item item;
    for (int i = 0; i <= kCorners; ++i) {
      const double angle = 2 * std::numbers::pi * i / kCorners;
      item.line.points.emplace_back(x_pixel(at) + kMarkRadius * std::cos(angle),
                                    y_pixel(at) + kMarkRadius * std::sin(angle));
    }
    item.line.colour = colour;
    item.line.width = 2;
    drawing_.items.push_back(std::move(item));
  }

  const Plot& plot_;
  Drawing drawing_;
  double frame_width_ = 0;
  int row_ = 0;  // of the legend
};

/// Well-formed UTF-8 that XML allows, with its special characters written out.
std::string escaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t more = c < 0x80         ? 0
                             : (c >> 5) == 6  ? 1
                             : (c >> 4) == 14 ? 2
                             : (c >> 3) == 30 ? 3
                                              : 9;
    if (more == 0) {
      if (c == '<')
        out += "&lt;";
      else if (c == '>')
        out += "&gt;";
      else if (c == '&')
        out += "&amp;";
      else if (c >= 0x20)
        out.push_back(text[i]);
      continue;
    }
    bool whole = more < 9 && i + more < text.size();
    for (std::size_t k = 1; whole && k <= more; ++k)
      whole = (static_cast<unsigned char>(text[i + k]) >> 6) == 2;
    if (!whole) continue;
    out.append(text, i, more + 1);
    i += more;
  }
  return out;
}

std::string hex(Colour c) {
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", c.r, c.g, c.b);
  return text;
}

std::string fixed(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

}  // namespace

std::vector<double> linear_ticks(double most) {
  if (!(most > 0) || !std::isfinite(most)) return {0, 1};
  constexpr double kMostSteps = 10, kSlack = 1e-9;
  const double power = std::pow(10, std::floor(std::log10(most / kMostSteps)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0})
    if (factor * power * kMostSteps >= most * (1 - kSlack)) step = factor * power;
  std::vector<double> out{0};
  while (out.back() < most * (1 - kSlack)) out.push_back(step * static_cast<double>(out.size()));
  return out;
}

Drawing lay_out(const Plot& plot) { return Layout{plot}.run(); }

std::string to_svg(const Drawing& drawing) {
  const std::string width = std::to_string(drawing.width), height = std::to_string(drawing.height);
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" +
                    height + "\" viewBox=\"0 0 " + width + " " + height +
                    "\" font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" "
                    "fill=\"#ffffff\"/>\n";
  for (const Drawing::Item& item : drawing.items) {
    if (item.is_line) {
      svg += "<polyline fill=\"none\" stroke=\"" + hex(item.line.colour) + "\" stroke-width=\"" +
             fixed(item.line.width) + "\"" + (item.line.dashed ? " stroke-dasharray=\"8 5\"" : "") +
             " points=\"";
      const char* gap = "";
      for (const Point& p : item.line.points) {
        svg += gap + fixed(p.first) + "," + fixed(p.second);
        gap = " ";
      }
      svg += "\"/>\n";
      continue;
    }
    const Drawing::Text& t = item.text;
    constexpr const char* kAnchors[] = {"start", "middle", "end"};
    svg += "<text x=\"" + fixed(t.x) + "\" y=\"" + fixed(t.y) + "\" font-size=\"" + fixed(t.size) +
           "\" text-anchor=\"" + kAnchors[static_cast<int>(t.anchor)] + "\" fill=\"" +
           hex(t.colour) + "\"" +
           (t.upright ? " transform=\"rotate(-90 " + fixed(t.x) + " " + fixed(t.y) + ")\"" : "") +
           ">" + escaped(t.text) + "</text>\n";
  }
  return svg + "</svg>\n";
}

}  // namespace kerb::eval
