// SPDX-License-Identifier: Apache-2.0
#include "firmware/pipeline/image_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace kerb {
namespace {

/// Fixed settings of ImageCheck.
struct ImageCheckTuning {
  int columns = 80, rows = 50;  ///< samples; more take longer
  int neighbour_px = 2;         ///< distance of the neighbour a sample is compared with
  double has_detail = 6;        ///< grey levels, to the right and below together
  double dull_share = 0.5;      ///< of the usual detail: less is lost
  double min_parts = 10;        ///< with detail: fewer give no result
  double filter_s = 3;          ///< time constant of the usual detail,
  double dull_filter_s = 60;    ///< and while most of the picture is dull
};
constexpr ImageCheckTuning kImageCheckTuning{};

}  // namespace

/// Share of the parts with usual detail that have lost it.
double ImageCheck::dull(const Parts& detail, Nanos captured) noexcept {
  const double dt = static_cast<double>((captured - updated_).count()) * 1e-9;
  updated_ = captured;
  if (!seen_) usual_ = detail;
  double with = 0, without = 0;
  for (std::size_t i = 0; i < detail.size(); ++i) {
    if (usual_[i] < kImageCheckTuning.has_detail) continue;
    ++with;
    if (detail[i] < kImageCheckTuning.dull_share * usual_[i]) ++without;
  }
  const double share = with >= kImageCheckTuning.min_parts ? without / with : 0;
  // Dirt must not become usual soon; a desert must, in time.
  const double memory = share < kImageCheckTuning.dull_share ? kImageCheckTuning.filter_s
                                                             : kImageCheckTuning.dull_filter_s;
  const double gain = std::clamp(dt / memory, 0.0, 1.0);
  for (std::size_t i = 0; i < detail.size(); ++i) usual_[i] += gain * (detail[i] - usual_[i]);
  return share;
}

ImageStatistics ImageCheck::update(const ImageView<Space::host, const std::uint8_t>& grey,
                                   Nanos captured) noexcept {
  const int step_x = std::max(1, grey.width / kImageCheckTuning.columns);
  const int step_y = std::max(1, grey.height / kImageCheckTuning.rows);
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  std::uint64_t sum = 0, squares = 0, count = 0;
  Parts detail{}, samples{};
  for (int y = step_y / 2; y < grey.height; y += step_y) {
    const std::uint8_t* row = grey.data + y * grey.row_stride;
    const std::uint8_t* below = y + kImageCheckTuning.neighbour_px < grey.height
                                    ? row + kImageCheckTuning.neighbour_px * grey.row_stride
                                    : nullptr;
    const int down = y * kDown / grey.height;
    for (int x = step_x / 2; x < grey.width; x += step_x) {
      const std::uint64_t value = row[x];
      hash = (hash ^ value) * 0x100000001b3u;
      sum += value;
      squares += value * value;
      ++count;
      if (below == nullptr || x + kImageCheckTuning.neighbour_px >= grey.width) continue;
      const int at = down * kAcross + x * kAcross / grey.width;
      const auto part = static_cast<std::size_t>(at);
      detail[part] +=
          std::abs(row[x + kImageCheckTuning.neighbour_px] - row[x]) + std::abs(below[x] - row[x]);
      ++samples[part];
    }
  }
  for (std::size_t i = 0; i < detail.size(); ++i)
    if (samples[i] > 0) detail[i] /= samples[i];
  ImageStatistics out;
  out.dull = dull(detail, captured);
  if (!seen_ || hash != last_hash_) {
    seen_ = true;
    last_hash_ = hash;
    same_since_ = captured;
  }
  if (count == 0) return out;
  const double n = static_cast<double>(count);
  out.mean = static_cast<double>(sum) / n;
  out.deviation = std::sqrt(std::max(0.0, static_cast<double>(squares) / n - out.mean * out.mean));
  out.unchanged = captured - same_since_;
  return out;
}

}  // namespace kerb
