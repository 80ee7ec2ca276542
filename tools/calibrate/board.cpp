// SPDX-License-Identifier: Apache-2.0
#include "tools/calibrate/board.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <opencv2/calib3d.hpp>

namespace kerb::calibrate {
namespace {

constexpr int kColumns = 8, kRows = 6;  // parts of the picture that corners should fall into
constexpr double kGoodCoverage = 0.65, kGoodTilt = 20, kGoodRms = 0.5;
constexpr int kGoodViews = 10;
constexpr double kSquare = 0.005;  // pixels are square up to this

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// What OpenCV finds, of some of the views.
struct Fit {
  cv::Mat camera, distortion, sigmas;
  std::vector<cv::Mat> rotations, translations;
  double rms_px = 0;
};

/// Starts from what `fit` has, as the flags say.
void refine(Fit& fit, const std::vector<BoardView>& views, cv::Size picture, const Board& board,
            int flags) {
  std::vector<std::vector<cv::Point2f>> seen;
  for (const BoardView& view : views)
    if (view.used) seen.push_back(view.found);
  const std::vector<std::vector<cv::Point3f>> places(seen.size(), places_of(board));
  cv::Mat place_sigmas, per_view;
  fit.rms_px = cv::calibrateCamera(places, seen, picture, fit.camera, fit.distortion, fit.rotations,
                                   fit.translations, fit.sigmas, place_sigmas, per_view, flags,
                                   {cv::TermCriteria::COUNT + cv::TermCriteria::EPS, 100, 1e-9});
}

Fit fit(const std::vector<BoardView>& views, cv::Size picture, const Board& board, int flags) {
  Fit out;
  out.camera = cv::Mat::eye(3, 3, CV_64F);
  refine(out, views, picture, board, flags);
  return out;
}

Lens lens_of(const Fit& fit) {
  Lens lens;
  lens.focal_px = fit.camera.at<double>(0, 0);
  lens.center_x = fit.camera.at<double>(0, 2);
  lens.center_y = fit.camera.at<double>(1, 2);
  const auto k = [&](int i) { return fit.distortion.at<double>(i); };
  lens.k1 = k(0);
  lens.k2 = k(1);
  lens.p1 = k(2);
  lens.p2 = k(3);
  lens.k3 = k(4);
  return lens;
}

/// Where the corners of each view should be, through the product's own lens and not OpenCV's.
void reproject(const Fit& fit, const Lens& lens, const Board& board,
               std::vector<BoardView>& views) {
  const LensMap map{lens};
  const std::vector<cv::Point3f> places = places_of(board);
  std::size_t at = 0;
  for (BoardView& view : views) {
    if (!view.used) continue;
    cv::Mat rotation;
    cv::Rodrigues(fit.rotations[at], rotation);
    const cv::Mat& move = fit.translations[at++];
    const auto r = [&](int i, int k) { return rotation.at<double>(i, k); };
    view.reprojected.clear();
    double sum = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const double x = double{places[i].x}, y = double{places[i].y};
      const double right = r(0, 0) * x + r(0, 1) * y + move.at<double>(0);
      const double down = r(1, 0) * x + r(1, 1) * y + move.at<double>(1);
      const double ahead = r(2, 0) * x + r(2, 1) * y + move.at<double>(2);
      const Pixel p = map.distort({lens.center_x + lens.focal_px * right / ahead,
                                   lens.center_y + lens.focal_px * down / ahead});
      view.reprojected.emplace_back(static_cast<float>(p.x), static_cast<float>(p.y));
      const double ex = p.x - double{view.found[i].x}, ey = p.y - double{view.found[i].y};
      sum += ex * ex + ey * ey;
    }
    view.rms_px = std::sqrt(sum / static_cast<double>(places.size()));
    view.tilt_deg = std::acos(std::min(1.0, std::abs(r(2, 2)))) * 180 / std::numbers::pi;
  }
}

int used_of(const std::vector<BoardView>& views) {
  return static_cast<int>(std::ranges::count_if(views, [](const BoardView& v) { return v.used; }));
}

/// The view that fits worst, if it is so bad that it must be wrong.
BoardView* outlier_of(std::vector<BoardView>& views, const BoardSettings& settings) {
  std::vector<double> errors;
  BoardView* worst = nullptr;
  for (BoardView& view : views) {
    if (!view.used) continue;
    errors.push_back(view.rms_px);
    if (worst == nullptr || view.rms_px > worst->rms_px) worst = &view;
  }
  const double limit = std::max(settings.outlier_ratio * median_of(errors), settings.outlier_px);
  return worst->rms_px > limit ? worst : nullptr;
}

/// How far apart the corners of two views are (RMS), pixels.
double apart_px(const BoardView& a, const BoardView& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.found.size(); ++i) {
    const double x = double{a.found[i].x} - double{b.found[i].x};
    const double y = double{a.found[i].y} - double{b.found[i].y};
    sum += x * x + y * y;
  }
  return std::sqrt(sum / static_cast<double>(a.found.size()));
}

/// Leaves out each view that is nearly the same as one before it.
void leave_out_alike(std::vector<BoardView>& views, double least_px,
                     std::vector<std::string>& notes) {
  for (std::size_t i = 0; i < views.size(); ++i)
    for (std::size_t k = 0; k < i && views[i].used; ++k) {
      if (!views[k].used || views[k].found.size() != views[i].found.size()) continue;
      const double apart = apart_px(views[i], views[k]);
      if (apart >= least_px) continue;
      views[i].used = false;
      views[i].same_as = views[k].name;
      notes.push_back(
          fmt::format("{}: does not count, its corners are within {:.1f} px of those "
                      "of {}: move the board between two pictures",
                      views[i].name, apart, views[k].name));
    }
}

/// The focal length's standard deviation, if corners are at least as uncertain as in a real
/// picture: by how much worse they fit another focal length. (OpenCV's own figure is small where
/// views tell nothing, as it leaves out what cannot be told.)
double focal_sigma_of(const Fit& best, const std::vector<BoardView>& views, cv::Size picture,
                      const Board& board, int flags, double corner_px) {
  constexpr double kOther = 1.03;  // times the focal length
  Fit other;
  other.camera = best.camera.clone();
  other.distortion = best.distortion.clone();
  other.camera.at<double>(0, 0) *= kOther;
  other.camera.at<double>(1, 1) *= kOther;
  refine(other, views, picture, board,
         flags | cv::CALIB_USE_INTRINSIC_GUESS | cv::CALIB_FIX_FOCAL_LENGTH);
  const double corners = static_cast<double>(places_of(board).size()) * used_of(views);
  // Squares of distances: two coordinates each.
  const double worse = std::max(1e-9, other.rms_px * other.rms_px - best.rms_px * best.rms_px);
  const double noise_px = std::max(corner_px, best.rms_px / std::sqrt(2.0));
  return (kOther - 1) * best.camera.at<double>(0, 0) * noise_px / std::sqrt(worse * corners);
}

double coverage_of(const std::vector<BoardView>& views, cv::Size picture) {
  std::vector<bool> parts(std::size_t{kColumns} * kRows);
  for (const BoardView& view : views) {
    if (!view.used) continue;
    for (const cv::Point2f& p : view.found) {
      const int column =
          std::clamp(static_cast<int>(p.x) * kColumns / picture.width, 0, kColumns - 1);
      const int row = std::clamp(static_cast<int>(p.y) * kRows / picture.height, 0, kRows - 1);
      parts[static_cast<std::size_t>(row) * kColumns + static_cast<std::size_t>(column)] = true;
    }
  }
  return static_cast<double>(std::ranges::count(parts, true)) / static_cast<double>(parts.size());
}

void add_notes(BoardCalibration& c) {
  if (c.views_used < kGoodViews)
    c.notes.push_back(
        fmt::format("only {} views: at least {} are recommended", c.views_used, kGoodViews));
  if (c.coverage < kGoodCoverage)
    c.notes.push_back(
        fmt::format("corners lie in {:.0f} % of the picture's parts: hold the board into the "
                    "picture's edges and corners as well",
                    100 * c.coverage));
  if (c.most_tilt_deg < kGoodTilt)
    c.notes.push_back(
        fmt::format("no view is tilted by more than {:.0f} degrees: the focal length comes from "
                    "tilted views",
                    c.most_tilt_deg));
  if (c.rms_px > kGoodRms)
    c.notes.push_back(
        fmt::format("the corners have a mean error of {:.2f} px: is the board flat, are the "
                    "pictures sharp, is --size right?",
                    c.rms_px));
  if (std::abs(c.pixel_aspect - 1) > kSquare)
    c.notes.push_back(
        fmt::format("pixels seem to be {:.3f} times as high as wide: were the pictures scaled to "
                    "another aspect ratio?",
                    c.pixel_aspect));
}

}  // namespace

Result<BoardCalibration> calibrate_board(std::vector<BoardView> views, cv::Size picture,
                                         const Board& board, const BoardSettings& settings) {
  BoardCalibration out;
  out.width = picture.width;
  out.height = picture.height;
  const auto too_few = [&](int left) {
    return Error{Errc::invalid_argument, 0, "calibrate",
                 Text<112>{fmt::format("different views of the board: {}, at least {} are needed",
                                       left, settings.fewest_views)}};
  };
  leave_out_alike(views, settings.alike * picture.width, out.notes);
  if (used_of(views) < settings.fewest_views) return too_few(used_of(views));
  const int k3 = settings.with_k3 ? 0 : cv::CALIB_FIX_K3;
  Fit found;
  for (;;) {
    found = fit(views, picture, board, cv::CALIB_FIX_ASPECT_RATIO | k3);
    out.lens = lens_of(found);
    if (!std::isfinite(out.lens.focal_px) || !(out.lens.focal_px > 0))
      return Error{Errc::invalid_argument, 0, "calibrate", "no lens model fits these views"};
    reproject(found, out.lens, board, views);
    BoardView* outlier = outlier_of(views, settings);
    if (outlier == nullptr) break;
    if (used_of(views) <= settings.fewest_views) return too_few(used_of(views) - 1);
    outlier->used = false;
    out.notes.push_back(
        fmt::format("{}: dropped, its corners are {:.2f} px from where the other views put them",
                    outlier->name, outlier->rms_px));
  }
  out.views_used = used_of(views);
  double sum = 0;
  for (const BoardView& view : views) {
    if (!view.used) continue;
    sum += view.rms_px * view.rms_px;
    out.most_tilt_deg = std::max(out.most_tilt_deg, view.tilt_deg);
  }
  out.rms_px = std::sqrt(sum / out.views_used);
  const auto sigma = [&](int i) { return found.sigmas.at<double>(i); };
  out.focal_sigma_px = focal_sigma_of(found, views, picture, board, cv::CALIB_FIX_ASPECT_RATIO | k3,
                                      settings.corner_px);
  const double share = out.focal_sigma_px / out.lens.focal_px;
  if (!(share < settings.unknown))
    return Error{
        Errc::invalid_argument, 0, "calibrate",
        Text<112>{fmt::format("the views are too alike to tell the focal length ({:.0f} +- "
                              "{:.0f} px): tilt and move the board more",
                              out.lens.focal_px, out.focal_sigma_px)}};
  if (share > settings.unsure)
    out.notes.push_back(
        fmt::format("the views are too alike to tell the focal length better than +- {:.1f} %: "
                    "tilt the board to all sides, and hold it nearer and farther",
                    100 * share));
  out.center_sigma_px = std::max(sigma(2), sigma(3));
  out.k1_sigma = sigma(4);
  const Fit free = fit(views, picture, board, k3);
  out.pixel_aspect = free.camera.at<double>(0, 0) / free.camera.at<double>(1, 1);
  out.coverage = coverage_of(views, picture);
  out.views = std::move(views);
  add_notes(out);
  if (!LensMap{out.lens}.is_one_to_one(picture.width, picture.height))
    return Error{Errc::invalid_argument, 0, "calibrate",
                 Text<112>{fmt::format("the fitted lens model folds the picture (k1 {:.3f}, k2 "
                                       "{:.3f}): more views at the edges are needed",
                                       out.lens.k1, out.lens.k2)}};
  return out;
}

std::string snippet_of(const BoardCalibration& c) {
  return fmt::format(
      "# kerblab calibrate board: {} views, corners within {:.3f} px (RMS), focal length +- {:.1f} "
      "px\n"
      "[[camera]]\nwidth = {}\nheight = {}\nfocal_px = {:.3f}\ncenter_x = {:.3f}\ncenter_y = "
      "{:.3f}\nk1 = {:.6f}\nk2 = {:.6f}\nk3 = {:.6f}\np1 = {:.6f}\np2 = {:.6f}\n",
      c.views_used, c.rms_px, c.focal_sigma_px, c.width, c.height, c.lens.focal_px, c.lens.center_x,
      c.lens.center_y, c.lens.k1, c.lens.k2, c.lens.k3, c.lens.p1, c.lens.p2);
}

}  // namespace kerb::calibrate
