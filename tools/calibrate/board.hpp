// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "firmware/lens/lens.hpp"
#include "hal/base/result.hpp"

/// Measuring a camera: its lens from pictures of a checkerboard, its mounting from a drive.
namespace kerb::calibrate {

enum class Pattern : std::uint8_t {
  checkerboard,
  circles,             ///< in rows and columns
  asymmetric_circles,  ///< every second row shifted by half a space, as in OpenCV
};

/// A flat board of points. A checkerboard, by its inner corners: one of 10 x 7 squares has 9 x 6.
/// Or a grid of circles, by their number: holes, discs or lamps.
struct Board {
  int columns = 9, rows = 6;
  double square_m = 0.025;  ///< of circles, between neighbouring centres; of asymmetric ones,
                            ///< between rows, which is half of that within a row
  Pattern pattern = Pattern::checkerboard;
};

/// Its points on the board itself, row by row, metres; z is 0.
[[nodiscard]] std::vector<cv::Point3f> places_of(const Board& board);

/// Its points in a grey picture, row by row, to a fraction of a pixel; nothing where it is not
/// seen whole. The picture's negative is tried too, as a thermal camera may show a board's dark
/// squares brighter, and the picture enlarged if it is small.
[[nodiscard]] std::optional<std::vector<cv::Point2f>> find_board(const cv::Mat& grey,
                                                                 const Board& board);

/// One picture of the board.
struct BoardView {
  std::string name;
  std::vector<cv::Point2f> found;  ///< row by row
  // What calibrate_board() adds.
  bool used = true;     ///< false: left out, because its error is too large, or for `same_as`
  std::string same_as;  ///< the view that it is nearly the same as, if it is
  double rms_px = 0;    ///< of its corners' distances from where they should be
  std::vector<cv::Point2f> reprojected;  ///< where they should be
  double tilt_deg = 0;                   ///< of the board against the picture's plane
};

struct BoardSettings {
  bool with_k3 = false;  ///< for lenses wider than 100 degrees; on others it would fit noise
  int fewest_views = 4;
  double outlier_ratio = 2.5;  ///< times the median view's error ...
  double outlier_px = 0.5;     ///< ... and at least this: such a view is dropped
  double alike = 0.01;         ///< of the picture's width: corners nearer (RMS) are the same view
  double corner_px = 0.1;      ///< error of a corner in a sharp picture: less is not believed
  double unsure = 0.02;        ///< share of the focal length that may be unknown without a remark,
  double unknown = 0.1;        ///< and without which there is no lens
};

/// A lens model and its accuracy.
struct BoardCalibration {
  Lens lens;
  int width = 0, height = 0;
  double rms_px = 0;  ///< over all corners of the views used
  double focal_sigma_px = 0, center_sigma_px = 0, k1_sigma = 0;
  double pixel_aspect = 1;  ///< height of a pixel by its width, where both are left free
  double coverage = 0;      ///< share of the picture's 8 x 6 parts that hold a corner
  double most_tilt_deg = 0;
  int views_used = 0;
  std::vector<BoardView> views;
  std::vector<std::string>
      notes;  ///< remarks for the user: views left out, kinds of views that are missing
};

/// Fits the lens model to the views. Views with large errors are left out, the worst first. A view
/// that is nearly the same as one before it tells nothing and does not count.
/// Fails: invalid_argument (too few views that differ; views so alike that they do not tell the
/// focal length; an impossible lens, because views at the edges are missing).
Result<BoardCalibration> calibrate_board(std::vector<BoardView> views, cv::Size picture,
                                         const Board& board, const BoardSettings& settings);

/// All corners and how far each is from where it should be, enlarged, over `background` (of the
/// picture's size, CV_8UC3), with the lens's own bending as a grid.
[[nodiscard]] cv::Mat draw_board(const BoardCalibration& calibration, const cv::Mat& background);

/// The lens as a table [[camera]] of the configuration.
[[nodiscard]] std::string snippet_of(const BoardCalibration& calibration);

}  // namespace kerb::calibrate
