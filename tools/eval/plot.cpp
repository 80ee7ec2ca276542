// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

namespace kerb::eval {
namespace {

using Point = std::pair<double, double>;

// Okabe and Ito's colours, which the colour-blind can tell apart; then the same, dashed.
constexpr Colour kColours[] = {{0, 114, 178}, {213, 94, 0},   {0, 158, 115}, {204, 121, 167},
                               {230, 159, 0}, {86, 180, 233}, {0, 0, 0},     {150, 120, 60}};
constexpr Colour kBlack{0, 0, 0}, kGrid{216, 216, 216};
constexpr double kLeft = 86, kRight = 24, kTop = 48, kFrameHeight = 520, kBelow = 70, kRow = 22;

std::string tick_name(double value) {
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
                                       kRow * static_cast<double>(plot.series.size()) + 8);
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
  [[nodiscard]] double x_of(double value) const {
    return std::log(value / plot_.x_from) / std::log(plot_.x_to / plot_.x_from);
  }
  [[nodiscard]] double y_of(double value) const {
    return std::log(value / plot_.y_from) / std::log(plot_.y_to / plot_.y_from);
  }
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
      text({kLeft + x * frame_width_, kTop + kFrameHeight + 20, tick_name(tick), 13,
            Drawing::Anchor::middle});
    }
    for (const double tick : plot_.y_ticks) {
      const double y = y_of(tick);
      if (y < -1e-9 || y > 1 + 1e-9) continue;
      line({{0, y}, {1, y}}, kGrid, 1);
      text({kLeft - 8, kTop + (1 - y) * kFrameHeight + 5, tick_name(tick), 13,
            Drawing::Anchor::end});
    }
  }

  void curve(std::size_t index) {
    const Plot::Series& series = plot_.series[index];
    const Colour colour = kColours[index % std::size(kColours)];
    const bool dashed = (index / std::size(kColours)) % 2 == 1;
    std::vector<Point> run;
    const auto flush = [&] {
      if (run.size() > 1) line(run, colour, 2.5, dashed);
      run.clear();
    };
    for (std::size_t i = 1; i < series.points.size(); ++i) {
      const auto place = [&](const Point& p) { return Point{x_of(p.first), y_of(p.second)}; };
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
    const double y = kTop + kFrameHeight + kBelow + kRow * static_cast<double>(index);
    Drawing::Item sample;
    sample.line.points = {{kLeft, y}, {kLeft + 36, y}};
    sample.line.colour = colour;
    sample.line.width = 2.5;
    sample.line.dashed = dashed;
    drawing_.items.push_back(std::move(sample));
    text({kLeft + 46, y + 5, series.name, 14});
  }

  const Plot& plot_;
  Drawing drawing_;
  double frame_width_ = 0;
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
