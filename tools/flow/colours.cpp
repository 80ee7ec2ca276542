// SPDX-License-Identifier: Apache-2.0
#include "tools/flow/colours.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kerb::lab {
namespace {

// How many colours lie between two of the wheel's corners, which differ in one component each.
// People tell reds and blues apart better than greens: there are more of those.
constexpr int kRedYellow = 15, kYellowGreen = 6, kGreenCyan = 4, kCyanBlue = 11, kBlueMagenta = 13,
              kMagentaRed = 6;
constexpr int kColours =
    kRedYellow + kYellowGreen + kGreenCyan + kCyanBlue + kBlueMagenta + kMagentaRed;
using Wheel = std::array<std::array<double, 3>, kColours>;

Wheel make_wheel() {
  struct Arc {
    int count;
    int full, moving;  // components; the third is 0
    bool rises;
  };
  Wheel wheel{};
  std::size_t at = 0;
  for (const Arc& arc :
       {Arc{kRedYellow, 0, 1, true}, Arc{kYellowGreen, 1, 0, false}, Arc{kGreenCyan, 1, 2, true},
        Arc{kCyanBlue, 2, 1, false}, Arc{kBlueMagenta, 2, 0, true}, Arc{kMagentaRed, 0, 2, false}})
    for (int i = 0; i < arc.count; ++i, ++at) {
      const double part = std::floor(255.0 * i / arc.count) / 255;
      wheel[at][static_cast<std::size_t>(arc.full)] = 1;
      wheel[at][static_cast<std::size_t>(arc.moving)] = arc.rises ? part : 1 - part;
    }
  return wheel;
}

}  // namespace

Rgb flow_colour(double u, double v) noexcept {
  static const Wheel wheel = make_wheel();
  const double length = std::hypot(u, v);
  const double turn = std::atan2(-v, -u) / std::numbers::pi;  // -1..1
  const double place = (turn + 1) / 2 * (kColours - 1);
  const auto from = std::min(static_cast<std::size_t>(place), std::size_t{kColours - 1});
  const std::size_t to = (from + 1) % kColours;
  const double part = place - static_cast<double>(from);
  Rgb out{};
  for (std::size_t c = 0; c < 3; ++c) {
    double value = (1 - part) * wheel[from][c] + part * wheel[to][c];
    value = length <= 1 ? 1 - length * (1 - value) : 0.75 * value;
    out[c] = static_cast<std::uint8_t>(255 * value);
  }
  return out;
}

double longest(const Field& field) noexcept {
  double most = 0;
  for (std::size_t i = 0; i < field.size(); ++i)
    if (is_known(field.u[i], field.v[i]))
      most = std::max(most,
                      std::hypot(static_cast<double>(field.u[i]), static_cast<double>(field.v[i])));
  return most > 0 ? most : 1;
}

std::vector<std::uint8_t> draw_field(const Field& field, double full) {
  std::vector<std::uint8_t> out(3 * field.size());
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (!is_known(field.u[i], field.v[i])) continue;
    const Rgb colour =
        flow_colour(static_cast<double>(field.u[i]) / full, static_cast<double>(field.v[i]) / full);
    std::copy(colour.begin(), colour.end(), out.begin() + static_cast<std::ptrdiff_t>(3 * i));
  }
  return out;
}

std::vector<std::uint8_t> draw_wheel(int side, Rgb back) {
  std::vector<std::uint8_t> out;
  out.reserve(3 * static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
  const double middle = (side - 1) / 2.0;
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      const double u = (x - middle) / middle, v = (y - middle) / middle;
      const Rgb colour = std::hypot(u, v) <= 1 ? flow_colour(u, v) : back;
      out.insert(out.end(), colour.begin(), colour.end());
    }
  return out;
}

}  // namespace kerb::lab
