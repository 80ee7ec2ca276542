// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kerb::eval {

/// Curves over two logarithmic axes, as the literature draws them. What it looks like is laid out
/// once, as lines and texts, for every renderer.
struct Plot {
  struct Series {
    std::string name;
    std::vector<std::pair<double, double>> points;  ///< both over 0
  };
  std::string title, x_label, y_label;
  double x_from = 1e-3, x_to = 1e1, y_from = 0.05, y_to = 1;
  std::vector<double> x_ticks, y_ticks;
  std::vector<Series> series;
};

struct Colour {
  std::uint8_t r = 0, g = 0, b = 0;
};

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

/// Frame, grid, ticks, curves cut to the frame, and a legend below, in the series' order.
[[nodiscard]] Drawing lay_out(const Plot& plot);

/// The drawing as an SVG file. Texts may hold anything; what XML does not allow is left out.
[[nodiscard]] std::string to_svg(const Drawing& drawing);

}  // namespace kerb::eval
