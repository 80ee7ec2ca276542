// SPDX-License-Identifier: Apache-2.0
#include "firmware/pipeline/image_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>

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
  double dull_filter_s = 60;    ///< while most of the picture is dull,
  double turned_filter_s = 1;   ///< and while it shows something else
  double recent_s = 0.1;        ///< in which what was seen just now halves
  double sudden_share = 0.6;    ///< of the parts, at once: even while the view turns
  double regained_share = 0.2;  ///< of the parts still without: it has its detail back

  // The turn of the view, in widths of the picture: 0.1 is 6 degrees of 60.
  int reach = 6;             ///< columns from one picture to the next, at most
  double good_misfit = 0.5;  ///< 0: the columns agree, 1: they have nothing in common
  double rate_filter_s = 0.15;
  double turning = 0.12;  ///< per second
  double turned = 0.3;    ///< in the last seconds (filter_s)
};
constexpr ImageCheckTuning kImageCheckTuning{};

}  // namespace

/// The shift at which the columns agree best, to a fraction; 0 where they do not.
double ViewPan::shift(const Columns& now) const noexcept {
  const auto index = [](int i) noexcept { return static_cast<std::size_t>(i); };
  std::array<double, 2 * kImageCheckTuning.reach + 1> misfits{};
  const int reach = std::min(kImageCheckTuning.reach, count_ / 4);
  int best = 0;
  for (int by = -reach; by <= reach; ++by) {
    double apart = 0, size = 1e-3;
    for (int x = std::max(0, -by); x < count_ - std::max(0, by); ++x) {
      const double a{before_[index(x)]};
      const double b{now[index(x + by)]};
      apart += std::abs(a - b);
      size += std::abs(a) + std::abs(b);
    }
    misfits[index(by + reach)] = apart / size;
    if (apart / size < misfits[index(best + reach)] || by == -reach) best = by;
  }
  const auto at = [&](int by) { return misfits[index(by + reach)]; };
  if (at(best) > kImageCheckTuning.good_misfit || std::abs(best) == reach) return 0;
  const double bend = at(best - 1) - 2 * at(best) + at(best + 1);
  return best +
         (bend > 1e-9 ? std::clamp(0.5 * (at(best - 1) - at(best + 1)) / bend, -0.5, 0.5) : 0.0);
}

void ViewPan::update(const Columns& columns, int count, double dt) noexcept {
  Columns now = columns;
  float mean = 0;
  for (int x = 0; x < count; ++x)
    mean += now[static_cast<std::size_t>(x)] / static_cast<float>(count);
  for (int x = 0; x < count; ++x) now[static_cast<std::size_t>(x)] -= mean;
  if (count == count_ && dt > 0) {
    const double moved = shift(now) / count;
    rate_ += std::min(1.0, dt / kImageCheckTuning.rate_filter_s) * (moved / dt - rate_);
    moved_ += moved - std::min(1.0, dt / kImageCheckTuning.filter_s) * moved_;
  }
  before_ = now;
  count_ = count;
}

bool ViewPan::turned() const noexcept {
  return std::abs(rate_) > kImageCheckTuning.turning || std::abs(moved_) > kImageCheckTuning.turned;
}

/// Share of the parts with usual detail that have lost it.
double ImageCheck::dull(const Parts& detail, double dt) noexcept {
  if (!seen_) usual_ = recent_ = detail;
  double with = 0, without = 0, just_lost = 0;
  for (std::size_t i = 0; i < detail.size(); ++i) {
    if (usual_[i] < kImageCheckTuning.has_detail) continue;
    ++with;
    if (detail[i] >= kImageCheckTuning.dull_share * usual_[i]) continue;
    ++without;
    if (detail[i] < kImageCheckTuning.dull_share * recent_[i]) ++just_lost;
  }
  const bool enough = with >= kImageCheckTuning.min_parts;
  const double share = enough ? without / with : 0;
  const bool sudden = enough && just_lost >= kImageCheckTuning.sudden_share * with;
  const bool turned = pan_.turned();
  const bool most = share >= kImageCheckTuning.dull_share;
  dulled_ = dulled_ ? share >= kImageCheckTuning.regained_share : sudden || (most && !turned);
  // Dirt must not become usual soon; a desert must, in time.
  const double memory = dulled_ && most      ? kImageCheckTuning.dull_filter_s
                        : turned && !dulled_ ? kImageCheckTuning.turned_filter_s
                                             : kImageCheckTuning.filter_s;
  const double gain = std::clamp(dt / memory, 0.0, 1.0);
  const double fades = std::exp2(-std::max(0.0, dt) / kImageCheckTuning.recent_s);
  for (std::size_t i = 0; i < detail.size(); ++i) {
    usual_[i] += gain * (detail[i] - usual_[i]);
    recent_[i] = std::max(detail[i], fades * recent_[i]);
  }
  return dulled_ || !turned ? share : 0;
}

ImageStatistics ImageCheck::update(const ImageView<Space::host, const std::uint8_t>& grey,
                                   Nanos captured) noexcept {
  const int step_x = std::max(1, grey.width / kImageCheckTuning.columns);
  const int step_y = std::max(1, grey.height / kImageCheckTuning.rows);
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  std::uint64_t sum = 0, squares = 0, count = 0;
  Parts detail{}, samples{};
  ViewPan::Columns columns{};
  int rows = 0;
  for (int y = step_y / 2; y < grey.height; y += step_y) {
    const std::uint8_t* row = grey.data + y * grey.row_stride;
    const std::uint8_t* below = y + kImageCheckTuning.neighbour_px < grey.height
                                    ? row + kImageCheckTuning.neighbour_px * grey.row_stride
                                    : nullptr;
    const int down = y * kDown / grey.height;
    ++rows;
    for (int x = step_x / 2; x < grey.width; x += step_x) {
      const std::uint64_t value = row[x];
      if (const auto column = static_cast<std::size_t>(x / step_x); column < columns.size())
        columns[column] += static_cast<float>(value);
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
  for (float& column : columns) column /= static_cast<float>(std::max(1, rows));
  const double dt = static_cast<double>((captured - updated_).count()) * 1e-9;
  updated_ = captured;
  pan_.update(columns, std::min(grey.width / step_x, ViewPan::kMostColumns), seen_ ? dt : 0);
  ImageStatistics out;
  out.dull = dull(detail, dt);
  const auto known = std::span{hashes_}.first(std::min(hashed_, remembered_));
  if (std::ranges::find(known, hash) == known.end()) {
    hashes_[hashed_++ % remembered_] = hash;
    same_since_ = captured;
  }
  seen_ = true;
  if (count == 0) return out;
  const double n = static_cast<double>(count);
  out.mean = static_cast<double>(sum) / n;
  out.deviation = std::sqrt(std::max(0.0, static_cast<double>(squares) / n - out.mean * out.mean));
  out.unchanged = captured - same_since_;
  return out;
}

}  // namespace kerb
