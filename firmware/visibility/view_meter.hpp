// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "firmware/types/camera.hpp"
#include "firmware/types/view.hpp"
#include "firmware/visibility/view_source.hpp"
#include "hal/base/clock.hpp"
#include "hal/base/view.hpp"

namespace kerb {

/// What "seen" means. Plain data; the values that ship are chosen in docs/results/visibility.md.
struct ViewMeterSettings {
  // The person who must be seen, and the road they stand on.
  double person_m = 1.7;
  double person_reflectance = 0.05;  ///< dark clothes: 0.03 to 0.08
  double road_reflectance = 0.10;    ///< dry asphalt: 0.07 to 0.15
  double side_light = 0.5;           ///< light on an upright surface as a share of that on the road
  // The detector.
  double smallest_px = 40;  ///< height of the smallest person it searches, pixels
  double model_px = 64;     ///< height of a person in its window: what is taller is averaged
  double least_ratio = 8;   ///< of a person's contrast to the noise at that size; more: a shorter
                            ///< distance, told sooner
  double least_contrast = 0.17;  ///< as a share of what is behind, where nothing is noisy: fog
  // The camera.
  double response = 0.5;   ///< grey value ~ light^response: 1 for raw samples, 0.5 for encoded ones
  bool by_light = true;    ///< false, thermal: people shine by themselves
  double to_bumper_m = 2;  ///< from the camera forward to the front of the car
};

/// The road at one distance.
struct ViewBand {
  double distance_m = 0;  ///< from the camera
  double level = 0;       ///< median grey value
  double noise = 0;       ///< standard deviation, grey values
  double behind = 0;      ///< grey value behind the upper half of a person who stands there
};

/// The contrast of a person in dark clothes, in grey values. Upright, they get `side_light` of the
/// light on the road where they stand, and reflect less of it. Their legs are seen before the road
/// there, their upper half before what is behind: the larger of both contrasts, since either makes
/// an outline.
[[nodiscard]] double person_contrast(double road_level, double level_behind,
                                     const ViewMeterSettings& settings) noexcept;

/// The contrast of a person at this band over the noise at their size. The detector reduces a large
/// person to `model_px`, which averages the noise. `visibility_m`: of the air.
[[nodiscard]] double signal_to_noise(const ViewBand& band, double visibility_m, double focal_px,
                                     const ViewMeterSettings& settings) noexcept;

/// The distance up to which the ratio is enough, interpolated between bands by its logarithm; with
/// the standard deviation of its logarithm. Each ratio is the median of it and its neighbours': one
/// shadow or one patch of tar ends no view. `bands` by distance. Beyond the last: that one.
struct RatioDistance {
  double distance_m = 0, spread = 0;
};
[[nodiscard]] RatioDistance distance_of_ratio(std::span<const double> distances_m,
                                              std::span<const double> ratios,
                                              double least) noexcept;

/// Koschmieder: the road's grey value approaches that of the air, `air_level`, by exp(-3 d / V).
/// V in metres from a line through the logarithm of the difference; kClearAir where there is no
/// such approach, where the road is as bright as the air, or where it does not fit.
inline constexpr double kClearAir_m = 2000;
[[nodiscard]] double visibility_of(std::span<const ViewBand> bands, double air_level) noexcept;

/// Measures each picture: about 1,500 road points in 16 distances, 600 around the horizon. Knows
/// the camera's usual sharpness, which it learns; else only the picture counts. One thread;
/// allocates only when constructed; the same pictures give the same bits.
class ViewMeter final : public ViewSource {
 public:
  ViewMeter(const Camera& camera, const ViewMeterSettings& settings);

  [[nodiscard]] ViewMeasurement measure(const ImageView<Space::host, const std::uint8_t>& grey,
                                        Nanos captured) noexcept override;

  /// Of the last picture, for tests and tools; without those outside the picture.
  [[nodiscard]] std::span<const ViewBand> bands() const noexcept {
    return std::span{bands_}.first(band_count_);
  }
  [[nodiscard]] double air_level() const noexcept { return air_level_; }
  [[nodiscard]] double far_contrast() const noexcept { return far_contrast_; }
  [[nodiscard]] double edge_ratio() const noexcept { return edge_ratio_; }

 private:
  static constexpr std::size_t kBands = 16;
  struct Point {
    std::int32_t x = 0, y = 0;
  };
  struct BandPoints {
    double distance_m = 0;
    std::vector<Point> points;
  };
  void place_bands(const Camera& camera);
  void place_horizon(const Camera& camera);
  void measure_bands(const ImageView<Space::host, const std::uint8_t>& grey) noexcept;
  void measure_horizon(const ImageView<Space::host, const std::uint8_t>& grey) noexcept;
  void find_behind() noexcept;
  double sharpness(Nanos captured) noexcept;

  const ViewMeterSettings settings_;
  int width_, height_;
  double focal_px_, clear_m_;
  double behind_ratio_;  // distance of the road behind a person's upper half; 0: above the horizon
  std::vector<BandPoints> road_;
  std::vector<Point> air_, around_;
  std::array<ViewBand, kBands> bands_{};
  std::size_t band_count_ = 0;
  double noise_ = 0, air_level_ = 0, far_contrast_ = 0, edge_ratio_ = 0;
  bool edges_known_ = false;
  double usual_edges_ = 0, edges_now_ = 0;  // 0: not known yet
  Nanos edges_at_{};
};

}  // namespace kerb
