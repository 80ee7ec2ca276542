// SPDX-License-Identifier: Apache-2.0
#include "firmware/pipeline/image_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace kerb {
namespace {

constexpr int kColumns = 80, kRows = 50;  // samples
constexpr int kReach = 2;                 // pixels to the neighbour a sample is compared with
constexpr double kHasDetail = 6;          // grey levels, to the right and below together
constexpr double kDull = 0.5;             // of what is usual, and below
constexpr double kFewest = 10;            // parts with detail: fewer say nothing
constexpr double kMemory = 3, kDullMemory = 60;  // seconds; the second while it is dull

}  // namespace

/// What share of the parts that usually have detail has lost it.
double ImageCheck::dull(const Parts& detail, Nanos captured) noexcept {
  const double dt = static_cast<double>((captured - looked_).count()) * 1e-9;
  looked_ = captured;
  if (!seen_) usual_ = detail;
  double with = 0, without = 0;
  for (std::size_t i = 0; i < detail.size(); ++i) {
    if (usual_[i] < kHasDetail) continue;
    ++with;
    if (detail[i] < kDull * usual_[i]) ++without;
  }
  const double share = with >= kFewest ? without / with : 0;
  // Dirt is not to become usual; but a desert is, in time.
  const double memory = share < kDull ? kMemory : kDullMemory;
  const double gain = std::clamp(dt / memory, 0.0, 1.0);
  for (std::size_t i = 0; i < detail.size(); ++i) usual_[i] += gain * (detail[i] - usual_[i]);
  return share;
}

ImageLook ImageCheck::look(const ImageView<Space::host, const std::uint8_t>& grey,
                           Nanos captured) noexcept {
  const int step_x = std::max(1, grey.width / kColumns);
  const int step_y = std::max(1, grey.height / kRows);
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  std::uint64_t sum = 0, squares = 0, count = 0;
  Parts detail{}, samples{};
  for (int y = step_y / 2; y < grey.height; y += step_y) {
    const std::uint8_t* row = grey.data + y * grey.row_stride;
    const std::uint8_t* below = y + kReach < grey.height ? row + kReach * grey.row_stride : nullptr;
    const int down = y * kDown / grey.height;
    for (int x = step_x / 2; x < grey.width; x += step_x) {
      const std::uint64_t value = row[x];
      hash = (hash ^ value) * 0x100000001b3u;
      sum += value;
      squares += value * value;
      ++count;
      if (below == nullptr || x + kReach >= grey.width) continue;
      const int at = down * kAcross + x * kAcross / grey.width;
      const auto part = static_cast<std::size_t>(at);
      detail[part] += std::abs(row[x + kReach] - row[x]) + std::abs(below[x] - row[x]);
      ++samples[part];
    }
  }
  for (std::size_t i = 0; i < detail.size(); ++i)
    if (samples[i] > 0) detail[i] /= samples[i];
  ImageLook look;
  look.dull = dull(detail, captured);
  if (!seen_ || hash != last_hash_) {
    seen_ = true;
    last_hash_ = hash;
    same_since_ = captured;
  }
  if (count == 0) return look;
  const double n = static_cast<double>(count);
  look.mean = static_cast<double>(sum) / n;
  look.deviation =
      std::sqrt(std::max(0.0, static_cast<double>(squares) / n - look.mean * look.mean));
  look.unchanged = captured - same_since_;
  return look;
}

}  // namespace kerb
