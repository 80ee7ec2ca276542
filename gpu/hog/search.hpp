// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "gpu/hog/model.hpp"
#include "gpu/image/levels.hpp"
#include "hal/vision.hpp"

namespace kerb::hog {

/// The road as the camera sees it, flat, for throwing away windows whose person would float or be
/// buried. A person of height H with feet at row v and `h` pixels tall obeys
///   v - horizon_row = h * camera_height / H
struct GroundPlane {
  double horizon_row = 0;                    ///< image rows; where the road ends at infinity
  double camera_height_m = 1.4;              ///< above the road
  double shortest_m = 0.9, tallest_m = 2.1;  ///< people looked for
  double slack_rows = 8;                     ///< added both ways: pitch, slopes, kerbs
};

struct Region {
  int x = 0, y = 0, width = 0, height = 0;  ///< image pixels; width or height 0: all of it
};

/// Where and how finely to look.
struct SearchSettings {
  double scale_step = 1.05;            ///< between levels; > 1
  int stride = 8;                      ///< pixels of a level between windows, both ways
  int min_height = 0, max_height = 0;  ///< of the person, image pixels; 0: no limit. A minimum less
                                       ///< than the model's person enlarges the picture.
  int padding = 0;  ///< pixels of a level by which windows may stand out of the picture
  int max_levels = 64;
  Region region;  ///< windows lie within it (and its padding)
  std::optional<GroundPlane> ground;
};
Status validate(const SearchSettings& settings);

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

  /// The person's box, in pixels of the picture, of a window.
  [[nodiscard]] Detection box(const Geometry& geometry, int level, int x, int y,
                              float score) const noexcept;
};

/// Level i has the scale first * scale_step^i, where first is 1, or less for a min_height under the
/// model's person, or as much more as min_height allows. As OpenCV's detectMultiScale for default
/// settings: levels as long as the scaled picture (and its padding) holds a window. A picture too
/// small for one window gives a plan without levels. Fails: invalid_argument (settings; sides not
/// within 1..65535), unsupported (more windows than an int counts).
Result<SearchPlan> plan_search(const Geometry& geometry, const SearchSettings& settings, int width,
                               int height);

}  // namespace kerb::hog
