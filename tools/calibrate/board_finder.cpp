// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <opencv2/calib3d.hpp>
#include <opencv2/features2d.hpp>
#include <opencv2/imgproc.hpp>

#include "tools/calibrate/board.hpp"

namespace kerb::calibrate {
namespace {

using PointList = std::vector<cv::Point2f>;

constexpr int kSmall = 800;     // pixels wide: pictures up to this are tried enlarged
constexpr double kTail = 0.01;  // of the pixels, at each end of the grey values, that may saturate

/// Half the least distance between neighbours of a row, at most.
int reach_of(const PointList& points, const Board& board) {
  double least = 1e9;
  for (std::size_t i = 1; i < points.size(); ++i)
    if (i % static_cast<std::size_t>(board.columns) != 0)
      least = std::min(least, cv::norm(points[i] - points[i - 1]));
  return std::clamp(static_cast<int>(least / 2) - 1, 2, 11);
}

std::optional<PointList> find_corners(const cv::Mat& grey, const Board& board) {
  PointList corners;
  if (!cv::findChessboardCorners(
          grey, {board.columns, board.rows}, corners,
          cv::CALIB_CB_ADAPTIVE_THRESH | cv::CALIB_CB_NORMALIZE_IMAGE | cv::CALIB_CB_FAST_CHECK))
    return std::nullopt;
  // Within half a square, so that no corner is drawn to its neighbour.
  const int reach = reach_of(corners, board);
  cv::cornerSubPix(grey, corners, {reach, reach}, {-1, -1},
                   {cv::TermCriteria::COUNT + cv::TermCriteria::EPS, 60, 1e-4});
  return corners;
}

/// OpenCV's other method, which survives blur and noise better, and takes longer.
std::optional<PointList> find_sectors(const cv::Mat& grey, const Board& board) {
  PointList corners;
  if (!cv::findChessboardCornersSB(grey, {board.columns, board.rows}, corners,
                                   cv::CALIB_CB_NORMALIZE_IMAGE | cv::CALIB_CB_ACCURACY))
    return std::nullopt;
  return corners;
}

/// Grey values drawn out to 0..255: a warm board may fill a few of a thermal camera's.
cv::Mat stretched(const cv::Mat& grey) {
  std::vector<std::size_t> counts(256, 0);
  for (int y = 0; y < grey.rows; ++y)
    for (int x = 0; x < grey.cols; ++x) ++counts[grey.at<std::uint8_t>(y, x)];
  const auto tail = static_cast<std::size_t>(kTail * static_cast<double>(grey.total()));
  int low = 0, high = 255;
  for (std::size_t sum = counts[0]; low < 255 && sum <= tail;)
    sum += counts[static_cast<std::size_t>(++low)];
  for (std::size_t sum = counts[255]; high > 0 && sum <= tail;)
    sum += counts[static_cast<std::size_t>(--high)];
  cv::Mat out;
  const double gain = 255.0 / std::max(1, high - low);
  grey.convertTo(out, CV_8U, gain, -gain * low);
  return out;
}

/// Dark circles.
std::optional<PointList> find_circles(const cv::Mat& grey, const Board& board) {
  cv::SimpleBlobDetector::Params params;
  params.minThreshold = 20;
  params.maxThreshold = 235;
  params.thresholdStep = 15;
  params.minRepeatability = 3;
  params.minDistBetweenBlobs = 3;
  params.minArea = 9;
  params.maxArea =
      static_cast<float>(grey.total()) / static_cast<float>(board.columns * board.rows);
  params.filterByCircularity = false;
  params.filterByConvexity = true;
  params.minConvexity = 0.85F;
  params.filterByInertia = true;
  params.minInertiaRatio = 0.15F;  // tilted by up to 80 degrees
  const cv::Ptr<cv::FeatureDetector> blobs = cv::SimpleBlobDetector::create(params);
  const int grid = board.pattern == Pattern::circles ? cv::CALIB_CB_SYMMETRIC_GRID
                                                     : cv::CALIB_CB_ASYMMETRIC_GRID;
  for (const int how : {0, static_cast<int>(cv::CALIB_CB_CLUSTERING)}) {
    PointList centres;
    if (cv::findCirclesGrid(grey, {board.columns, board.rows}, centres, grid | how, blobs))
      return centres;
  }
  return std::nullopt;
}

}  // namespace

std::vector<cv::Point3f> places_of(const Board& board) {
  std::vector<cv::Point3f> out;
  const bool shifted = board.pattern == Pattern::asymmetric_circles;
  for (int row = 0; row < board.rows; ++row)
    for (int column = 0; column < board.columns; ++column)
      out.emplace_back(
          static_cast<float>((shifted ? 2 * column + row % 2 : column) * board.square_m),
          static_cast<float>(row * board.square_m), 0.0F);
  return out;
}

std::optional<std::vector<cv::Point2f>> find_board(const cv::Mat& grey, const Board& board) {
  using Find = std::optional<PointList> (*)(const cv::Mat&, const Board&);
  const bool squares = board.pattern == Pattern::checkerboard;
  const std::vector<Find> ways =
      squares ? std::vector<Find>{find_corners, find_sectors} : std::vector<Find>{find_circles};
  const cv::Mat plain = squares ? grey : stretched(grey);
  for (const int scale : {1, 2}) {
    if (scale > 1 && grey.cols > kSmall) break;
    cv::Mat picture = plain, negative;
    if (scale > 1) cv::resize(plain, picture, {}, scale, scale, cv::INTER_CUBIC);
    cv::bitwise_not(picture, negative);
    for (const Find find : ways)
      for (const cv::Mat& one : {picture, negative}) {
        std::optional<PointList> points;
        try {
          points = find(one, board);
        } catch (const cv::Exception&) {  // a picture that OpenCV cannot make sense of
          continue;
        }
        if (!points) continue;
        if (scale == 1) return points;
        const auto back = static_cast<float>(1.0 / scale);
        for (cv::Point2f& p : *points)  // the middle of the first pixel is (0, 0) in both
          p = cv::Point2f{back * (p.x + 0.5F) - 0.5F, back * (p.y + 0.5F) - 0.5F};
        return points;
      }
  }
  return std::nullopt;
}

}  // namespace kerb::calibrate
