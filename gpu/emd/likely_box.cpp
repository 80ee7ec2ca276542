// SPDX-License-Identifier: Apache-2.0
#include "gpu/emd/likely_box.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/emd/targets.hpp"

namespace kerb::emd {
namespace {

constexpr int kMostBoxShifts = 8;

}  // namespace

Result<LikelyBox> find_likely(const LikelyView& likely, int width, int height) {
  LikelyBox out;
  if (likely.width < width + 2 || likely.height < height) return out;
  const PlanesView<Space::host, const std::uint8_t> plane{
      likely.data,       1,
      likely.width,      likely.height,
      likely.row_stride, likely.row_stride * likely.height};
  const Search all{{0, 0, likely.width, likely.height}, width, height};
  Found best;
  if (Status ok = cpu::find_peaks(plane, &all, &best); !ok) return ok.error();
  if (best.box.width == 0) return out;
  if (Status ok = cpu::mean_shift(plane, kMostBoxShifts, &best); !ok) return ok.error();
  // Right beside it is still the same cloth.
  const int near_from = std::max(best.box.x - width / 2, 0);
  const int near_to = std::min(best.box.x + width + width / 2, likely.width);
  std::uint64_t sum = 0, sum_x = 0, sum_y = 0, rest = 0;
  for (int y = 0; y < likely.height; ++y)
    for (int x = 0; x < likely.width; ++x) {
      const std::uint32_t v = likely.data[y * likely.row_stride + x];
      if (x < near_from || x >= near_to) rest += v;
      const bool in =
          x >= best.box.x && x < best.box.x + width && y >= best.box.y && y < best.box.y + height;
      if (!in) continue;
      sum += v;
      sum_x += v * (2 * static_cast<std::uint32_t>(x) + 1);
      sum_y += v * (2 * static_cast<std::uint32_t>(y) + 1);
    }
  const auto middle = [&](std::uint64_t twice) {
    return sum == 0 ? 0 : static_cast<float>(twice) / (2 * static_cast<float>(sum));
  };
  const auto far = static_cast<float>((likely.width - near_to + near_from) * likely.height);
  out.known = true;
  out.x = middle(sum_x);
  out.y = middle(sum_y);
  out.inside = static_cast<float>(sum) / static_cast<float>(width * height);
  out.beside = far > 0 ? static_cast<float>(rest) / far : out.inside;
  return out;
}

float mean_likelihood(const LikelyView& likely, float left, float top, float right,
                      float bottom) noexcept {
  const auto wide = static_cast<float>(likely.width), high = static_cast<float>(likely.height);
  const float area = (right - left) * (bottom - top);
  const float in = std::max(std::min(right, wide) - std::max(left, 0.0F), 0.0F) *
                   std::max(std::min(bottom, high) - std::max(top, 0.0F), 0.0F);
  if (!(area > 0) || !(in >= area / 2)) return -1;
  const auto begin_of = [](float from, int most) {
    return std::clamp(static_cast<int>(std::lround(from)), 0, most - 1);
  };
  const auto end_of = [](int begin, float to, int most) {
    return std::clamp(static_cast<int>(std::lround(to)), begin + 1, most);
  };
  const int x0 = begin_of(std::max(left, 0.0F), likely.width), x1 = end_of(x0, right, likely.width);
  const int y0 = begin_of(std::max(top, 0.0F), likely.height),
            y1 = end_of(y0, bottom, likely.height);
  std::uint32_t sum = 0;
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x) sum += likely.data[y * likely.row_stride + x];
  return static_cast<float>(sum) / static_cast<float>((x1 - x0) * (y1 - y0));
}

}  // namespace kerb::emd
