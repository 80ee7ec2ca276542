// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "gpu/hog/model.hpp"
#include "gpu/image/levels.hpp"
#include "hal/vision.hpp"

namespace kerb::hog {

/// A flat road in the camera's picture, to skip windows whose person would float above it or be
/// below it. For a person of height H with feet at row v and `h` pixels tall:
///   v - horizon_row = h * camera_height / H
struct GroundPlane {
  double horizon_row = 0;                    ///< image rows; where the road ends at infinity
  double camera_height_m = 1.4;              ///< above the road
  double shortest_m = 0.9, tallest_m = 2.1;  ///< people to detect
  double slack_rows = 8;                     ///< tolerance up and down: pitch, slopes, kerbs
  /// Windows whose person would stand farther than this to the side of the straight line through
  /// middle_column, at any height, are skipped too; 0: no limit. A camera with the focal length f
  /// shows a person h pixels tall at f * H / h metres, so a metre there is h / H pixels wide.
  double side_m = 0;
  double middle_column = 0;
};

/// In image pixels. A width of 0 means all columns, a height of 0 all rows.
struct Region {
  int x = 0, y = 0, width = 0, height = 0;
};

/// Where and how finely to search.
struct SearchSettings {
  double scale_step = 1.05;            ///< between levels; 1.001..16
  int stride = 8;                      ///< pixels of a level between windows, both ways; 1..256
  int min_height = 0, max_height = 0;  ///< of the person, image pixels; 0: no limit. A minimum less
                                       ///< than the model's person enlarges the picture.
  int padding = 0;        ///< pixels of a level by which windows may stand out; 0..1024
  int max_levels = 1024;  ///< scales tried, with or without windows; 1..1024
  Region region;          ///< the person's box lies within it, give or take half a stride
  std::optional<GroundPlane> ground;
};
Status validate(const SearchSettings& settings);

/// The step that a model advises: the float in its file as a decimal of up to six digits, 1.05 and
/// not 1.0499999523, so that an advised and a typed step give the same search.
[[nodiscard]] double advised_scale_step(const Advice& advice) noexcept;

/// The windows of one level: columns x rows of them, the first at (first_x, first_y) of the
/// level's area, `stride` pixels apart. Window `first_window + row * columns + column` is their
/// number among all.
struct LevelWindows {
  int first_x = 0, first_y = 0, columns = 0, rows = 0;
  int first_window = 0;
};

/// A search laid out for one picture size: the levels that hold any window, largest first, each cut
/// to what its windows cover.
struct SearchPlan {
  PyramidPlan pyramid;
  std::vector<LevelWindows> windows;  ///< one for each level
  int stride = 8;
  int window_count = 0;  ///< of all levels together

  /// Where a window is, by its number (0 <= number < window_count): its level, and its corner in
  /// the level's area.
  struct Place {
    int level = 0, x = 0, y = 0;
  };
  [[nodiscard]] Place place(int number) const noexcept;
  /// The person's box, in pixels of the picture, of the window at (x, y) of the level's area.
  [[nodiscard]] Detection box(const Geometry& geometry, int level, int x, int y,
                              float score) const noexcept;
};

/// Level i has the scale first * scale_step^i (by repeated multiplication), where first is 1 or,
/// with a min_height, min_height / the model's person height. As OpenCV's detectMultiScale for
/// default settings: levels as long as the scaled picture (and its padding) holds a window, and its
/// person is not over max_height.
///
/// Windows stand at -padding + i * stride, both ways, as far as the picture and its padding go. Of
/// these a level has the columns and rows that `region` and `ground` leave; its area is what they
/// cover, so that first_x and first_y are 0. Boxes, for those two and given out, are the window's
/// pixels times the level's scale. A picture too small for one window gives a plan without levels.
/// Fails: invalid_argument (geometry; settings; sides not within 1..65535, enlarged or not),
/// unsupported (more windows than an int counts).
Result<SearchPlan> plan_search(const Geometry& geometry, const SearchSettings& settings, int width,
                               int height);

}  // namespace kerb::hog
