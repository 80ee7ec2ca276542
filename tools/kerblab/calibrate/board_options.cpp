// SPDX-License-Identifier: Apache-2.0
#include "tools/kerblab/calibrate/board_options.hpp"

#include <CLI/CLI.hpp>
#include <charconv>

#include "tools/kerblab/app/options.hpp"

namespace kerb::lab {

Result<calibrate::Board> BoardOptions::board() const {
  using calibrate::Pattern;
  calibrate::Board out;
  out.square_m = square_m;
  out.pattern = pattern == "circles"              ? Pattern::circles
                : pattern == "asymmetric-circles" ? Pattern::asymmetric_circles
                                                  : Pattern::checkerboard;
  const Error wrong{
      Errc::invalid_argument, 0, "",
      Text<112>{"--size " + size + ": must be COLUMNSxROWS inner corners, 3..100 each: 9x6"}};
  const char* end = size.data() + size.size();
  const auto [x, error] = std::from_chars(size.data(), end, out.columns);
  if (error != std::errc{} || x == end || (*x != 'x' && *x != 'X')) return wrong;
  const auto [last, error2] = std::from_chars(x + 1, end, out.rows);
  if (error2 != std::errc{} || last != end) return wrong;
  const auto fits = [](int n) { return n >= 3 && n <= 100; };  // as OpenCV wants them
  if (!fits(out.columns) || !fits(out.rows)) return wrong;
  return out;
}

void add_board_options(CLI::App& command, BoardOptions& options, bool required) {
  command
      .add_option("--size", options.size,
                  "Number of inner corners: a board of 10 x 7 squares has 9x6; of circles, their "
                  "number")
      ->required(required)
      ->option_text("COLUMNSxROWS");
  command
      .add_option("--square", options.square_m,
                  "Side length of a square, metres; of circles, the distance between centres (of "
                  "asymmetric ones, between rows)")
      ->required(required)
      ->check(between(1e-4, 10));
  command
      .add_option("--pattern", options.pattern,
                  "What is on the board: checkerboard, circles or asymmetric-circles")
      ->check(CLI::IsMember({"checkerboard", "circles", "asymmetric-circles"}))
      ->capture_default_str();
}

}  // namespace kerb::lab
