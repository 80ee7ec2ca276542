// SPDX-License-Identifier: Apache-2.0
#include "firmware/visibility/view_meter.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "firmware/exact/exact_math.hpp"
#include "firmware/lens/camera_axes.hpp"
#include "firmware/lens/camera_geometry.hpp"

namespace kerb {
namespace {

/// Fixed settings of ViewMeter: where it looks, and what is enough to say something.
struct ViewMeterTuning {
  // The road: distances from `nearest_m` on, each `farther` times the one before.
  double nearest_m = 5, farther = 1.2;
  double side_m = 2.5;        ///< to each side: the lane
  int across = 31, down = 3;  ///< points of a band, and its rows of pixels
  std::size_t fewest_bands = 6;
  int noise_px = 2;  ///< between the points of a difference: next ones are interpolated
  double dark_level = 16, bright_level = 240;  ///< grey values beyond which noise is cut off
  std::size_t fewest_calm = 3;                 ///< distances between these
  double calm_share = 0.3;                     ///< of the distances: their noise is the picture's
  double least_noise = 0.5;                    ///< grey values: rounding, and a little
  double ratio_spread = 0.25;                  ///< standard deviation of the logarithm of a ratio
  double least_spread = 0.05, most_spread = 0.5;
  // Around the horizon, degrees.
  double air_side_deg = 4, air_from_deg = 0.3, air_to_deg = 1.5;
  double far_side_deg = 9, far_from_deg = -1.2, far_to_deg = 2.4;
  int edge_px = 1, wide_px = 4;  ///< half the lengths of the differences that measure edges
  // Fog.
  double fog_from_m = 8;            ///< nearer there is the car's own shadow
  double air_by_day = 60;           ///< grey value: darker air is night, and not lit evenly
  double air_error = 3;             ///< grey values of the air's level
  double least_difference = 10;     ///< grey values between road and air
  double most_misfit = 0.30;        ///< of the logarithm, root of the mean square
  double foggy_m = 400;             ///< thinner fog cannot be told from a road that gets brighter
  double most_far_contrast = 0.12;  ///< edges around the horizon, as a share of the air: more are
                                    ///< not seen through fog
  // Glass.
  double edges_over_noise = 8;  ///< times the noise's variance: fewer edges say nothing
  double edges_now_s = 2, usual_up_s = 10, usual_down_s = 600;
  double sharp_enough = 0.4;  ///< share of the usual sharpness that changes nothing yet
};
constexpr ViewMeterTuning kViewTuning{};

template <std::size_t N>
struct Values {
  std::array<double, N> items;
  std::size_t count = 0;
  void add(double value) noexcept {
    if (count < N) items[count++] = value;
  }
  /// The value below which this share lies; 0 without any.
  [[nodiscard]] double quantile(double share) noexcept {
    if (count == 0) return 0;
    const auto at = static_cast<std::size_t>(std::lround(share * static_cast<double>(count - 1)));
    std::nth_element(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(at),
                     items.begin() + static_cast<std::ptrdiff_t>(count));
    return items[at];
  }
};
constexpr std::size_t kMostPoints = 1024;

double median_of_three(double a, double b, double c) noexcept {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

}  // namespace

double person_contrast(double road_level, double level_behind,
                       const ViewMeterSettings& settings) noexcept {
  const double light =
      settings.side_light * settings.person_reflectance / settings.road_reflectance;
  const double share = light > 0 ? exact::exp(settings.response * exact::log(light)) : 0;
  const double road = std::max(0.0, road_level), person = share * road;
  return std::max(std::abs(person - road), std::abs(person - std::max(0.0, level_behind)));
}

double signal_to_noise(const ViewBand& band, double visibility_m, double focal_px,
                       const ViewMeterSettings& settings) noexcept {
  const double left =
      visibility_m < kClearAir_m ? exact::exp(-3 * band.distance_m / visibility_m) : 1;
  const double tall_px = focal_px * settings.person_m / band.distance_m;
  const double averaged = std::max(1.0, tall_px / settings.model_px);
  const double noise = std::max(band.noise, kViewTuning.least_noise) / averaged;
  return left * person_contrast(band.level, band.behind, settings) / noise;
}

RatioDistance distance_of_ratio(std::span<const double> distances_m, std::span<const double> ratios,
                                double least) noexcept {
  RatioDistance out;
  const std::size_t n = std::min(distances_m.size(), ratios.size());
  if (n == 0) return out;
  const auto at = [&](std::size_t i) {
    const double before = ratios[i == 0 ? 0 : i - 1], after = ratios[i + 1 < n ? i + 1 : n - 1];
    return std::max(1e-3, median_of_three(before, ratios[i], after));
  };
  double last = at(0);
  if (last < least) {
    // Nobody is seen even at the nearest; how much nearer they would be is a guess by 1/d^2.
    out.distance_m = distances_m[0] * std::sqrt(last / least);
    out.spread = kViewTuning.most_spread;
    return out;
  }
  for (std::size_t i = 1; i < n; ++i) {
    const double now = at(i);
    if (now < least) {
      const double step = exact::log(distances_m[i] / distances_m[i - 1]);
      const double fall = exact::log(last / now);
      out.distance_m = distances_m[i - 1] * exact::exp(step * exact::log(last / least) / fall);
      out.spread = std::clamp(kViewTuning.ratio_spread * step / fall, kViewTuning.least_spread,
                              kViewTuning.most_spread);
      return out;
    }
    last = now;
  }
  out.distance_m = distances_m[n - 1];
  out.spread = kViewTuning.least_spread;
  return out;
}

double visibility_of(std::span<const ViewBand> bands, double air_level) noexcept {
  if (air_level < kViewTuning.air_by_day) return kClearAir_m;
  // The line through ln |air - road| over the distance, by least squares, as far as there is a
  // difference: the air's level is known to a grey value or two.
  double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  double nearest = 0;
  for (const ViewBand& band : bands) {
    if (band.distance_m < kViewTuning.fog_from_m) continue;
    const double difference = air_level - band.level;
    if (std::abs(difference) < std::max(kViewTuning.air_error, 2 * band.noise)) break;
    if (n == 0) nearest = difference;
    if (nearest * difference < 0) return kClearAir_m;  // it crosses the air's: no approach
    const double value = exact::log(std::abs(difference));
    n += 1;
    x += band.distance_m;
    y += value;
    xx += band.distance_m * band.distance_m;
    xy += band.distance_m * value;
    yy += value * value;
  }
  if (n < 4 || std::abs(nearest) < kViewTuning.least_difference) return kClearAir_m;
  const double spread = xx - x * x / n;
  if (!(spread > 0)) return kClearAir_m;
  const double slope = (xy - x * y / n) / spread;
  if (slope >= -3 / kViewTuning.foggy_m) return kClearAir_m;
  const double misfit = std::max(0.0, yy - y * y / n - slope * slope * spread) / n;
  if (misfit > kViewTuning.most_misfit * kViewTuning.most_misfit) return kClearAir_m;
  return -3 / slope;
}

ViewMeter::ViewMeter(const Camera& camera, const ViewMeterSettings& settings)
    : settings_{settings},
      width_{camera.width},
      height_{camera.height},
      focal_px_{camera.focal_px},
      clear_m_{
          std::max(0.0, camera.focal_px * settings.person_m / std::max(1.0, settings.smallest_px) -
                            settings.to_bumper_m)} {
  place_bands(camera);
  place_horizon(camera);
}

void ViewMeter::place_bands(const Camera& camera) {
  const CameraAxes axes = axes_of(camera, 0);
  const LensMap lens{lens_of(camera)};
  const int margin = kViewTuning.noise_px;
  double away = kViewTuning.nearest_m;
  for (std::size_t band = 0; band < kBands; ++band, away *= kViewTuning.farther) {
    BandPoints out{away, {}};
    for (int i = 0; i < kViewTuning.across; ++i) {
      const double side = kViewTuning.side_m * (2.0 * i / (kViewTuning.across - 1) - 1);
      const Vec3 seen = axes.seen(camera.ahead_m + away, side, 0);
      if (!(seen.z > kNearestDepth)) continue;
      const Pixel at = lens.distort(axes.pixel_of(seen));
      const double least = margin, right = width_ - 1 - margin, bottom = height_ - 1 - margin;
      if (!(at.x >= least && at.x <= right && at.y >= least && at.y <= bottom)) continue;
      for (int row = 0; row < kViewTuning.down; ++row) {
        const int y = static_cast<int>(std::lround(at.y)) + row - kViewTuning.down / 2;
        if (y >= margin && y < height_ - margin)
          out.points.push_back({static_cast<int>(std::lround(at.x)), y});
      }
    }
    // Half of the lane's width must be in the picture.
    if (2 * out.points.size() >= static_cast<std::size_t>(kViewTuning.across) * kViewTuning.down)
      road_.push_back(std::move(out));
  }
}

void ViewMeter::place_horizon(const Camera& camera) {
  const CameraAxes axes = axes_of(camera, 0);
  const LensMap lens{lens_of(camera)};
  const int margin = kViewTuning.wide_px;
  const auto place = [&](double side_deg, double from_deg, double to_deg, int across, int down,
                         std::vector<Point>& out) {
    constexpr double kFar_m = 1000;
    for (int j = 0; j < down; ++j)
      for (int i = 0; i < across; ++i) {
        const double side = radians(side_deg * (2.0 * i / (across - 1) - 1));
        const double up = radians(from_deg + (to_deg - from_deg) * j / (down - 1));
        const Vec3 seen =
            axes.seen(camera.ahead_m + kFar_m, camera.left_m + kFar_m * exact::tan(side),
                      camera.height_m + kFar_m * exact::tan(up));
        if (!(seen.z > kNearestDepth)) continue;
        const Pixel at = lens.distort(axes.pixel_of(seen));
        if (at.x >= margin && at.x < width_ - 1 - margin && at.y >= margin &&
            at.y < height_ - 1 - margin)
          out.push_back({static_cast<int>(std::lround(at.x)), static_cast<int>(std::lround(at.y))});
      }
  };
  place(kViewTuning.air_side_deg, kViewTuning.air_from_deg, kViewTuning.air_to_deg, 17, 5, air_);
  place(kViewTuning.far_side_deg, kViewTuning.far_from_deg, kViewTuning.far_to_deg, 61, 10,
        around_);
}

/// Levels of all distances, and the noise. That is from second differences along a row, which a
/// slope of brightness does not change, by their median, which few edges do not change. Texture and
/// cars add to it, and nothing takes from it but black and white: so the noise of the picture is
/// that of its calmest distances.
void ViewMeter::measure_bands(const ImageView<Space::host, const std::uint8_t>& grey) noexcept {
  constexpr double kMedianToSigma = 1.4826, kSecondDifference = 2.449489742783178;  // sqrt(6)
  band_count_ = 0;
  Values<kBands> noises, any;
  for (const BandPoints& band : road_) {
    Values<kMostPoints> levels, differences;
    for (const Point& p : band.points) {
      const std::uint8_t* at = grey.data + p.y * grey.row_stride + p.x;
      levels.add(at[0]);
      differences.add(std::abs(at[-kViewTuning.noise_px] - 2 * at[0] + at[kViewTuning.noise_px]));
    }
    ViewBand& out = bands_[band_count_++];
    out.distance_m = band.distance_m;
    out.level = levels.quantile(0.5);
    const double noise = differences.quantile(0.5) * kMedianToSigma / kSecondDifference;
    any.add(noise);
    if (out.level >= kViewTuning.dark_level && out.level <= kViewTuning.bright_level)
      noises.add(noise);
  }
  // Where all is cut off at black, its noisiest part is nearest to the truth.
  noise_ = noises.count >= kViewTuning.fewest_calm ? noises.quantile(kViewTuning.calm_share)
                                                   : any.quantile(1);
  noise_ = std::max(noise_, kViewTuning.least_noise);
  for (std::size_t i = 0; i < band_count_; ++i) bands_[i].noise = noise_;
}

/// Behind their upper half are the road farther away and, about as large, what is above the
/// horizon.
void ViewMeter::find_behind() noexcept {
  for (std::size_t i = 0; i < band_count_; ++i) {
    double farther = air_level_;
    for (std::size_t k = i; k < band_count_ && behind_ratio_ > 0; ++k)
      if (bands_[k].distance_m >= behind_ratio_ * bands_[i].distance_m) {
        farther = bands_[k].level;
        break;
      }
    bands_[i].behind = (farther + air_level_) / 2;
  }
}

void ViewMeter::measure_horizon(const ImageView<Space::host, const std::uint8_t>& grey) noexcept {
  Values<kMostPoints> air, edges;
  for (const Point& p : air_) air.add(grey.data[p.y * grey.row_stride + p.x]);
  air_level_ = air.quantile(0.5);
  double sharp = 0, wide = 0;
  for (const Point& p : around_) {
    const std::uint8_t* at = grey.data + p.y * grey.row_stride + p.x;
    const int near = at[kViewTuning.edge_px] - at[-kViewTuning.edge_px];
    const int far = at[kViewTuning.wide_px] - at[-kViewTuning.wide_px];
    sharp += near * near;
    wide += far * far;
    edges.add(std::abs(far));
  }
  far_contrast_ = edges.quantile(0.9) / std::max(1.0, air_level_);
  const auto n = static_cast<double>(std::max<std::size_t>(1, around_.size()));
  const double noise = 2 * noise_ * noise_;  // of a difference
  edges_known_ = wide / n > kViewTuning.edges_over_noise * noise;
  edge_ratio_ = edges_known_ ? std::max(0.0, (sharp / n - noise) / (wide / n - noise)) : 0;
}

/// Of the edges around the horizon against the usual: blurred ones are spread over more pixels.
double ViewMeter::sharpness(Nanos captured) noexcept {
  if (!edges_known_) return usual_edges_ > 0 ? std::min(1.0, edges_now_ / usual_edges_) : 1;
  const double dt = static_cast<double>((captured - edges_at_).count()) * 1e-9;
  edges_at_ = captured;
  if (usual_edges_ <= 0) {
    usual_edges_ = edges_now_ = edge_ratio_;
    return 1;
  }
  const auto follow = [&](double& value, double to, double time_s) {
    value += std::clamp(dt / time_s, 0.0, 1.0) * (to - value);
  };
  follow(edges_now_, edge_ratio_, kViewTuning.edges_now_s);
  follow(usual_edges_, edges_now_,
         edges_now_ > usual_edges_ ? kViewTuning.usual_up_s : kViewTuning.usual_down_s);
  return usual_edges_ > 0 ? std::min(1.0, edges_now_ / usual_edges_) : 1;
}

ViewMeasurement ViewMeter::measure(const ImageView<Space::host, const std::uint8_t>& grey,
                                   Nanos captured) noexcept {
  ViewMeasurement out;
  if (grey.data == nullptr || grey.width != width_ || grey.height != height_) return out;
  if (road_.size() < kViewTuning.fewest_bands) return out;
  measure_bands(grey);
  measure_horizon(grey);
  find_behind();
  out.known = true;
  out.clear_m = clear_m_;
  out.noise = noise_;
  out.visibility_m = kClearAir_m;
  out.sharpness = sharpness(captured);
  out.distance_m = clear_m_;
  out.spread = kViewTuning.least_spread;
  const auto end_at = [&](double distance_m, double spread, ViewLimit limit) {
    if (distance_m >= out.distance_m) return;
    out.distance_m = std::max(0.0, distance_m);
    out.spread = spread;
    out.limit = limit;
  };
  std::array<double, kBands> distances{}, ratios{};
  const auto reach = [&](double visibility_m) {
    for (std::size_t i = 0; i < band_count_; ++i) {
      distances[i] = bands_[i].distance_m;
      ratios[i] = signal_to_noise(bands_[i], visibility_m, focal_px_, settings_);
    }
    return distance_of_ratio(std::span{distances}.first(band_count_),
                             std::span{ratios}.first(band_count_), settings_.least_ratio);
  };
  const double last_m = bands_[band_count_ - 1].distance_m;
  if (settings_.by_light) {
    if (const RatioDistance light = reach(kClearAir_m); light.distance_m < last_m)
      end_at(light.distance_m - settings_.to_bumper_m, light.spread, ViewLimit::light);
    if (far_contrast_ < kViewTuning.most_far_contrast)
      out.visibility_m = visibility_of(bands(), air_level_);
    if (out.visibility_m < kClearAir_m) {
      if (const RatioDistance fog = reach(out.visibility_m); fog.distance_m < last_m)
        end_at(fog.distance_m - settings_.to_bumper_m, fog.spread, ViewLimit::fog);
      // Where the contrast is lost though nothing is noisy.
      const double share = person_contrast(1, 1, settings_) / settings_.least_contrast;
      end_at(out.visibility_m / 3 * exact::log(share) - settings_.to_bumper_m,
             kViewTuning.ratio_spread, ViewLimit::fog);
    }
  }
  const double sharp = std::min(1.0, out.sharpness / kViewTuning.sharp_enough);
  end_at(sharp * clear_m_, kViewTuning.ratio_spread, ViewLimit::glass);
  return out;
}

}  // namespace kerb
