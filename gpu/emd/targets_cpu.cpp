// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "gpu/emd/targets_math.hpp"

namespace kerb::emd::cpu {
namespace {

struct Sums {
  std::uint64_t all = 0, x = 0, y = 0;
};
Sums sums_in(const ImageView<Space::host, const std::uint8_t>& plane, const Box& box) {
  Sums sums;
  for (int j = 0; j < box.height; ++j) {
    const std::uint8_t* row = plane.data + (box.y + j) * plane.row_stride + box.x;
    std::uint64_t all = 0, x = 0;
    for (int i = 0; i < box.width; ++i) {
      all += row[i];
      x += static_cast<std::uint64_t>(i) * row[i];
    }
    sums.all += all;
    sums.x += x;
    sums.y += static_cast<std::uint64_t>(j) * all;
  }
  return sums;
}

Found peak_in(const ImageView<Space::host, const std::uint8_t>& plane, const Search& search) {
  Found best;
  const Box& region = search.region;
  const Box box{region.x, region.y, search.width, search.height};
  if (!is_within(region, plane.width, plane.height) || !is_within(box, plane.width, plane.height) ||
      search.width > region.width || search.height > region.height)
    return best;
  std::array<std::uint32_t, kMaxBoxSide> column{};
  const auto add = [&](int y, bool more) {
    const std::uint8_t* row = plane.data + (region.y + y) * plane.row_stride + region.x;
    for (int x = 0; x < region.width; ++x)
      column[static_cast<std::size_t>(x)] +=
          more ? std::uint32_t{row[x]} : 0U - std::uint32_t{row[x]};
  };
  for (int y = 0; y + 1 < search.height; ++y) add(y, true);
  std::uint64_t most = 0;
  for (int y = 0; y + search.height <= region.height; ++y) {
    add(y + search.height - 1, true);
    std::uint64_t sum = 0;
    for (int x = 0; x < region.width; ++x) {
      sum += column[static_cast<std::size_t>(x)];
      if (x + 1 < search.width) continue;
      if (best.box.width == 0 || sum > most) {
        most = sum;
        best.box = {region.x + x + 1 - search.width, region.y + y, search.width, search.height};
      }
      sum -= column[static_cast<std::size_t>(x + 1 - search.width)];
    }
    add(y, false);
  }
  best.mean = mean_of(most, best.box);
  return best;
}

}  // namespace

Status likelihoods(Workers& workers, const std::uint32_t* costs, std::size_t costs_stride,
                   std::size_t count, int targets, std::uint32_t reach, std::uint8_t* out,
                   std::size_t out_stride) {
  if (Status ok = check_likelihoods(costs, costs_stride, count, targets, reach, out, out_stride);
      !ok)
    return ok;
  constexpr std::size_t kPart = 16384;
  const int parts = static_cast<int>((count + kPart - 1) / kPart);
  workers.run(parts * targets, [&](int task, int) {
    const auto t = static_cast<std::size_t>(task / parts);
    const std::size_t from = static_cast<std::size_t>(task % parts) * kPart;
    for (std::size_t i = from; i < std::min(count, from + kPart); ++i)
      out[t * out_stride + i] = likelihood_of(costs[t * costs_stride + i], reach);
  });
  return Done{};
}

Status mean_shift(const PlanesView<Space::host, const std::uint8_t>& planes, int most,
                  Found* found) {
  if (Status ok = check_places(planes, most, found, found); !ok) return ok;
  for (int t = 0; t < planes.count; ++t) {
    Found& f = found[t];
    f.mean = 0;
    f.steps = 0;
    if (!is_within(f.box, planes.width, planes.height)) continue;
    std::int32_t before_x = f.box.x, before_y = f.box.y;
    for (;;) {
      const Sums sums = sums_in(planes.plane(t), f.box);
      f.mean = mean_of(sums.all, f.box);
      if (f.steps == most) break;
      const std::int32_t x =
          kept_within(f.box.x + shift_of(sums.all, sums.x, f.box.width), f.box.width, planes.width);
      const std::int32_t y = kept_within(f.box.y + shift_of(sums.all, sums.y, f.box.height),
                                         f.box.height, planes.height);
      if ((x == f.box.x && y == f.box.y) || (x == before_x && y == before_y)) break;
      before_x = f.box.x;
      before_y = f.box.y;
      f.box.x = x;
      f.box.y = y;
      ++f.steps;
    }
  }
  return Done{};
}

Status find_peaks(const PlanesView<Space::host, const std::uint8_t>& planes, const Search* searches,
                  Found* found) {
  if (Status ok = check_places(planes, 1, searches, found); !ok) return ok;
  for (int t = 0; t < planes.count; ++t) found[t] = peak_in(planes.plane(t), searches[t]);
  return Done{};
}

}  // namespace kerb::emd::cpu
