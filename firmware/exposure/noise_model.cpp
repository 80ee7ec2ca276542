// SPDX-License-Identifier: Apache-2.0
#include "firmware/exposure/noise_model.hpp"

#include <algorithm>
#include <cstddef>

namespace kerb {
namespace {

/// Fixed settings of NoiseEstimator.
struct NoiseTuning {
  int columns = 192, rows = 108;        ///< samples; more are more exact
  double rounding = 1.0 / 12;           ///< variance of rounding to whole grey values
  double dimmest = 3, brightest = 240;  ///< mean grey values of a part: beyond it is cut off
  int black = 0, white = 250;           ///< a sample of this value or beyond may have been cut off
  double still_ratio = 2.5;    ///< of the variance of parts as bright: above, something moved
  int neighbours = 6;          ///< parts that are darker, and as many brighter, for that
  double fewest_samples = 48;  ///< of a part
  int fewest_parts = 12;       ///< of a pair
  double least_spread = 0.02;  ///< 1 - correlation^2 of x and y: less cannot tell them apart
};
constexpr NoiseTuning kNoiseTuning{};

}  // namespace

NoiseEstimator::NoiseEstimator(int width, int height)
    : width_{width}, height_{height}, step_y_{std::max(1, height / kNoiseTuning.rows)} {
  const int step_x = std::max(1, width / kNoiseTuning.columns);
  for (int x = 0; x < width; x += step_x) columns_.push_back({x, x * kAcross / width});
  const int rows = (height + step_y_ - 1) / step_y_;
  previous_.resize(columns_.size() * static_cast<std::size_t>(std::max(rows, 0)));
}

void NoiseEstimator::add(const ImageView<Space::host, const std::uint8_t>& grey,
                         double gain) noexcept {
  if (grey.data == nullptr || grey.width != width_ || grey.height != height_ || !(gain > 0)) return;
  const bool comparable = has_previous_ && gain == previous_gain_;
  std::array<Part, kParts> parts{};
  const int count = compare(grey, parts);
  if (comparable) fit(parts, count, gain);
  has_previous_ = true;
  previous_gain_ = gain;
}

/// The usable parts of this picture against the one before, which it then replaces.
int NoiseEstimator::compare(const ImageView<Space::host, const std::uint8_t>& grey,
                            std::array<Part, kParts>& parts) noexcept {
  struct Sums {
    std::int64_t n = 0, signal = 0, difference = 0, squares = 0;
    int least = 255, most = 0;
  };
  std::array<Sums, kParts> sums{};
  std::size_t at = 0;
  for (int y = 0; y < height_; y += step_y_) {
    const std::uint8_t* row = grey.data + y * grey.row_stride;
    const int first_part = y * kDown / height_ * kAcross;
    Sums* const down = &sums[static_cast<std::size_t>(first_part)];
    for (const Column& column : columns_) {
      const int now = row[column.x], before = previous_[at];
      previous_[at++] = row[column.x];
      Sums& part = down[column.part];
      const int difference = now - before;
      ++part.n;
      part.signal += now + before;
      part.difference += difference;
      part.squares += difference * difference;
      part.least = std::min({part.least, now, before});
      part.most = std::max({part.most, now, before});
    }
  }
  int count = 0;
  for (const Sums& s : sums) {
    const auto n = static_cast<double>(s.n), difference = static_cast<double>(s.difference);
    const bool cut = s.least <= kNoiseTuning.black || s.most >= kNoiseTuning.white;
    if (n < kNoiseTuning.fewest_samples || cut) continue;
    const double signal = static_cast<double>(s.signal) / (2 * n);
    if (signal < kNoiseTuning.dimmest || signal > kNoiseTuning.brightest) continue;
    // Without its mean: lamps flicker. Rounding is in both pictures, as every noise.
    const double variance =
        (static_cast<double>(s.squares) - difference * difference / n) / (n - 1) / 2;
    parts[static_cast<std::size_t>(count++)] = {signal, variance, n};
  }
  return count;
}

void NoiseEstimator::fit(std::array<Part, kParts>& parts, int count, double gain) noexcept {
  if (count < kNoiseTuning.fewest_parts) return;
  std::sort(parts.begin(), parts.begin() + count,
            [](const Part& a, const Part& b) { return a.signal < b.signal; });
  for (int i = 0; i < count; ++i) {
    // The usual noise of parts that are about as bright.
    const int first = std::clamp(i - kNoiseTuning.neighbours, 0, count - 1);
    const int last = std::clamp(i + kNoiseTuning.neighbours, 0, count - 1);
    std::array<double, 2 * kNoiseTuning.neighbours + 1> near;
    for (int k = first; k <= last; ++k)
      near[static_cast<std::size_t>(k - first)] = parts[static_cast<std::size_t>(k)].variance;
    auto* const middle = near.begin() + (last - first) / 2;
    std::nth_element(near.begin(), middle, near.begin() + (last - first + 1));
    const double usual = std::max(*middle, kNoiseTuning.rounding);

    const Part& part = parts[static_cast<std::size_t>(i)];
    if (part.variance > kNoiseTuning.still_ratio * usual) continue;
    // A variance is known to a share of itself: its square measures how well.
    const double weight = part.samples / (usual * usual);
    const double x = gain * gain, y = gain * part.signal;
    const double v = part.variance - kNoiseTuning.rounding;
    xx_ += weight * x * x;
    xy_ += weight * x * y;
    yy_ += weight * y * y;
    xv_ += weight * x * v;
    yv_ += weight * y * v;
  }
  ++pairs_;
}

NoiseModel NoiseEstimator::model() const noexcept {
  NoiseModel out;
  const double determinant = xx_ * yy_ - xy_ * xy_;
  if (pairs_ < kLeastPairs || determinant <= kNoiseTuning.least_spread * xx_ * yy_) return out;
  out.read = (xv_ * yy_ - yv_ * xy_) / determinant;
  out.shot = (yv_ * xx_ - xv_ * xy_) / determinant;
  // Neither can be negative: the other then explains all of it.
  if (out.read < 0) {
    out.read = 0;
    out.shot = std::max(0.0, yv_ / yy_);
  } else if (out.shot < 0) {
    out.shot = 0;
    out.read = std::max(0.0, xv_ / xx_);
  }
  out.known = true;
  return out;
}

}  // namespace kerb
