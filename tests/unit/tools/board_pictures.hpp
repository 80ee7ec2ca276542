// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

/// Pictures of a checkerboard through a lens of known numbers, traced ray by ray. Shares nothing
/// with the code under test: the lens is inverted here by its own iteration.
namespace kerb::test {

struct TracedLens {
  int width = 640, height = 400;
  double focal = 520, center_x = 327, center_y = 193;
  double k1 = -0.28, k2 = 0.09, p1 = 0.0008, p2 = -0.0005;
};

/// Where the board's middle is, in metres from the camera, and how it is turned, radians: about its
/// own horizontal, its vertical, and the line of sight.
struct BoardPose {
  double x = 0, y = 0, z = 0.5;
  double nod = 0, turn = 0, spin = 0;
};

/// Where a board is in a camera's axes: its own right, down and back, and its middle, metres.
struct BoardFrame {
  cv::Vec3d right, down, back, place;
};

inline BoardFrame frame_of(const BoardPose& pose) {
  const double cn = std::cos(pose.nod), sn = std::sin(pose.nod), ct = std::cos(pose.turn);
  const double st = std::sin(pose.turn), cs = std::cos(pose.spin), ss = std::sin(pose.spin);
  return {{cs * ct, ss * ct, -st},
          {cs * st * sn - ss * cn, ss * st * sn + cs * cn, ct * sn},
          {cs * st * cn + ss * sn, ss * st * cn - cs * sn, ct * cn},
          {pose.x, pose.y, pose.z}};
}

class BoardTracer {
 public:
  explicit BoardTracer(const TracedLens& lens) : lens_{lens} {
    rays_.reserve(static_cast<std::size_t>(kFine * kFine * lens.width * lens.height));
    for (int y = 0; y < kFine * lens.height; ++y)
      for (int x = 0; x < kFine * lens.width; ++x)
        rays_.push_back(ray((x + 0.5) / kFine - 0.5, (y + 0.5) / kFine - 0.5));
  }

  /// Squares of `square` metres, `columns` x `rows` inner corners, with a white rim.
  [[nodiscard]] cv::Mat picture(const BoardPose& pose, int columns, int rows, double square) const {
    return picture(frame_of(pose), [=](double right, double down) {
      return squares(right / square + (columns + 1) / 2.0, down / square + (rows + 1) / 2.0,
                     columns + 1, rows + 1);
    });
  }
  /// Any board: `colour` of the place that is so many metres right and down of its middle.
  template <typename Colour>
  [[nodiscard]] cv::Mat picture(const BoardFrame& board, Colour colour) const {
    const double depth = board.back.dot(board.place);
    cv::Mat fine{cv::Size{kFine * lens_.width, kFine * lens_.height}, CV_8UC1};
    std::size_t at = 0;
    for (int y = 0; y < fine.rows; ++y) {
      auto* row = fine.ptr<std::uint8_t>(y);
      for (int x = 0; x < fine.cols; ++x, ++at) {
        const cv::Vec3d along{double{rays_[at].x}, double{rays_[at].y}, 1};
        const cv::Vec3d off = depth / board.back.dot(along) * along - board.place;
        row[x] = colour(board.right.dot(off), board.down.dot(off));
      }
    }
    cv::Mat picture;
    cv::resize(fine, picture, {lens_.width, lens_.height}, 0, 0, cv::INTER_AREA);
    cv::GaussianBlur(picture, picture, {5, 5}, 0.8);
    return picture;
  }

  /// Of a checkerboard of columns x rows squares, `u` and `v` squares from its corner.
  static std::uint8_t squares(double u, double v, int columns, int rows) {
    if (u < -1 || v < -1 || u > columns + 1 || v > rows + 1) return 110;
    if (u < 0 || v < 0 || u > columns || v > rows) return 235;
    return (static_cast<int>(u) + static_cast<int>(v)) % 2 == 0 ? 25 : 235;
  }

 private:
  static constexpr int kFine = 3;

  [[nodiscard]] cv::Point2f ray(double px, double py) const {
    const double xd = (px - lens_.center_x) / lens_.focal, yd = (py - lens_.center_y) / lens_.focal;
    double x = xd, y = yd;
    for (int i = 0; i < 12; ++i) {
      const double r2 = x * x + y * y, radial = 1 + r2 * (lens_.k1 + r2 * lens_.k2);
      const double sx = 2 * lens_.p1 * x * y + lens_.p2 * (r2 + 2 * x * x);
      const double sy = lens_.p1 * (r2 + 2 * y * y) + 2 * lens_.p2 * x * y;
      x = (xd - sx) / radial;
      y = (yd - sy) / radial;
    }
    return {static_cast<float>(x), static_cast<float>(y)};
  }

  TracedLens lens_;
  std::vector<cv::Point2f> rays_;
};

/// Near and far, tilted to all sides, into every corner of the picture: as one should take them.
inline std::vector<BoardPose> good_poses() {
  return {{0, 0, 0.55, 0, 0, 0},
          {-0.13, -0.07, 0.55, 0.4, 0.3, 0.1},
          {0.13, -0.07, 0.55, 0.35, -0.4, 0},
          {-0.13, 0.07, 0.55, -0.4, 0.35, -0.1},
          {0.13, 0.07, 0.55, -0.35, -0.35, 0.2},
          {0, -0.08, 0.5, 0.5, 0, 0},
          {0, 0.08, 0.5, -0.5, 0, 0.05},
          {-0.16, 0, 0.52, 0, 0.5, 0},
          {0.16, 0, 0.52, 0, -0.5, -0.1},
          {-0.23, -0.13, 0.72, 0.2, 0.2, 0.3},
          {0.23, 0.13, 0.72, -0.2, -0.2, -0.2},
          {0.23, -0.13, 0.72, 0.3, -0.2, 0},
          {-0.23, 0.13, 0.72, -0.3, 0.2, 0}};
}

}  // namespace kerb::test
