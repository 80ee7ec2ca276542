// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kerb::eval {

struct Colour {
  std::uint8_t r = 0, g = 0, b = 0;
};

/// Curves over two axes, logarithmic as the literature draws miss rates, or linear. What it looks
/// like is laid out once, as lines and texts, for every renderer.
struct Plot {
  enum class Scale : std::uint8_t { logarithmic, linear };
  using Range = std::pair<double, double>;  ///< low, high
  struct Series {
    std::string name;                               ///< empty: not in the legend
    std::vector<std::pair<double, double>> points;  ///< over 0 where the axis is logarithmic
    bool marks = false;                             ///< a ring at each point
    bool connected = true;                          ///< a line through the points
    bool dashed = false;
    std::optional<Colour> colour{};  ///< none: by its place in the list
    /// For each point, or none at all: thin lines along an axis, and a text beside it; texts that
    /// would cover each other are joined by commas.
    std::vector<Range> x_ranges{}, y_ranges{};
    std::vector<std::string> labels{};
  };
  std::string title, x_label, y_label;
  Scale x_scale = Scale::logarithmic, y_scale = Scale::logarithmic;
  double x_from = 1e-3, x_to = 1e1, y_from = 0.05, y_to = 1;
  std::vector<double> x_ticks, y_ticks;
  std::vector<Series> series;
};

/// Ticks of a linear axis from 0 that reaches at least to `most`: up to ten steps of 1, 2 or 5
/// times a power of ten. The last one is where the axis ends. 0 and 1 where `most` is not over 0.
[[nodiscard]] std::vector<double> linear_ticks(double most);

/// A picture of lines and texts, in pixels from the top left; to be drawn in this order on white.
struct Drawing {
  enum class Anchor : std::uint8_t { start, middle, end };
  struct Line {
    std::vector<std::pair<double, double>> points;
    Colour colour{};
    double width = 1;
    bool dashed = false;
  };
  struct Text {
    double x = 0, y = 0;  ///< the base line's anchor
    std::string text;
    double size = 14;
    Anchor anchor = Anchor::start;
    bool upright = false;  ///< reads from the bottom to the top
    Colour colour{};
  };
  struct Item {
    bool is_line = true;
    Line line;
    Text text;
  };
  int width = 900, height = 640;
  std::vector<Item> items;
};

/// Frame, grid, ticks, curves, marks and ranges cut to the frame, and a legend below, in the
/// series' order.
[[nodiscard]] Drawing lay_out(const Plot& plot);

/// The drawing as an SVG file. Texts may hold anything; what XML does not allow is left out.
[[nodiscard]] std::string to_svg(const Drawing& drawing);

}  // namespace kerb::eval
