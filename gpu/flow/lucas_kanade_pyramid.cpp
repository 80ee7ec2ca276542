// SPDX-License-Identifier: Apache-2.0
#include "gpu/flow/lucas_kanade_pyramid.hpp"

#include <algorithm>
#include <cstring>

namespace kerb::flow::lk {
namespace {

constexpr int kBand = 32;   // rows made at once
constexpr int kBefore = 8;  // of a scratch row

std::size_t scratch_row(const Plan& plan) {
  return static_cast<std::size_t>(plan.levels[0].stride) + 2 * kBefore;
}

/// Beside the row, where it reaches the picture's edges.
void fill_rim(Sample* row, int width, const Rect& part) {
  if (part.x0 == 0)
    for (int i = 1; i <= kRimLeft; ++i) row[-i] = row[0];
  if (part.x1 == width)
    for (int i = 0; i < kRimRight; ++i) row[width + i] = row[width - 1];
}

/// A part of level 0. `column` has room for a row, and a few more at each side.
void smooth(const Picture<Space::host>& in, const Level& level, Sample* base, const Rect& part,
            std::uint16_t* column) {
  const int width = level.width, height = level.height, count = part.x1 - part.x0;
  std::uint16_t* const c = column + 1;
  for (int y = part.y0; y < part.y1; ++y) {
    const std::uint8_t* above = in.data + std::max(y - 1, 0) * in.row_stride + part.x0;
    const std::uint8_t* here = in.data + y * in.row_stride + part.x0;
    const std::uint8_t* below = in.data + std::min(y + 1, height - 1) * in.row_stride + part.x0;
    const auto sum = [&](int i) {
      return static_cast<std::uint16_t>(above[i] + 2 * here[i] + below[i]);
    };
    for (int i = 0; i < count; ++i) c[i] = sum(i);
    c[-1] = part.x0 > 0 ? sum(-1) : c[0];
    c[count] = part.x1 < width ? sum(count) : c[count - 1];
    Sample* const row = base + level.samples + static_cast<std::ptrdiff_t>(y) * level.stride;
    Sample* const out = row + part.x0;
    for (int i = 0; i < count; ++i) out[i] = static_cast<Sample>(c[i - 1] + 2 * c[i] + c[i + 1]);
    fill_rim(row, width, part);
  }
}

/// A part of a further level.
void halve(const Level& from, const Level& to, Sample* base, const Rect& part,
           std::uint16_t* column) {
  const int count = part.x1 - part.x0;
  std::uint16_t* const c = column + 1;
  for (int y = part.y0; y < part.y1; ++y) {
    const Sample* rows[4];
    for (int j = 0; j < 4; ++j)
      rows[j] =
          base + from.samples +
          static_cast<std::ptrdiff_t>(std::clamp(2 * y - 1 + j, 0, from.height - 1)) * from.stride +
          2 * part.x0;
    for (int i = -1; i < 2 * count + 1; ++i)  // the rim holds copies of the edge
      c[i] = static_cast<std::uint16_t>(taps4(rows[0][i], rows[1][i], rows[2][i], rows[3][i]));
    Sample* const row = base + to.samples + static_cast<std::ptrdiff_t>(y) * to.stride;
    Sample* const out = row + part.x0;
    for (int i = 0; i < count; ++i)
      out[i] =
          static_cast<Sample>(halved(taps4(c[2 * i - 1], c[2 * i], c[2 * i + 1], c[2 * i + 2])));
    fill_rim(row, to.width, part);
  }
}

void fill_rim_rows(const Level& level, Sample* base) {
  Sample* first = base + level.samples - kRimLeft;
  const std::size_t bytes = sizeof(Sample) * (kRimLeft + level.width + kRimRight);
  for (int i = 1; i <= kRimRows; ++i) {
    std::memcpy(first - static_cast<std::ptrdiff_t>(i) * level.stride, first, bytes);
    Sample* last = first + static_cast<std::ptrdiff_t>(level.height - 1) * level.stride;
    std::memcpy(last + static_cast<std::ptrdiff_t>(i) * level.stride, last, bytes);
  }
}

}  // namespace

std::size_t pyramid_scratch(const Plan& plan, const Workers& workers) noexcept {
  return scratch_row(plan) * static_cast<std::size_t>(workers.count());
}

namespace {

struct Making {
  const Picture<Space::host>* from;
  Sample* to;
};

/// All levels of `count` pictures, side by side.
void make(Workers& workers, const Plan& plan, const Making* pictures, int count,
          std::vector<std::uint16_t>& scratch, const std::vector<Rect>* parts) {
  const auto column = [&](int worker) {
    return scratch.data() + scratch_row(plan) * static_cast<std::size_t>(worker) + kBefore;
  };
  for (std::size_t i = 0; i < plan.levels.size(); ++i) {
    const Level& to = plan.levels[i];
    const auto part_of = [&](int picture) {
      return parts != nullptr ? parts[picture][i] : Rect{0, 0, to.width, to.height};
    };
    workers.run(count * ((to.height + kBand - 1) / kBand), [&](int task, int worker) {
      const int picture = task % count, y0 = task / count * kBand;
      Rect part = part_of(picture);
      part.y0 = std::max(part.y0, y0);
      part.y1 = std::min(part.y1, y0 + kBand);
      if (part.empty()) return;
      const Making& one = pictures[picture];
      if (i == 0)
        smooth(*one.from, to, one.to, part, column(worker));
      else
        halve(plan.levels[i - 1], to, one.to, part, column(worker));
    });
    for (int k = 0; k < count; ++k) fill_rim_rows(to, pictures[k].to);
  }
}

}  // namespace

void make_pyramids(Workers& workers, const Plan& plan, const Picture<Space::host>& previous,
                   const Picture<Space::host>& next, std::vector<Sample> (&pictures)[2],
                   std::vector<std::uint16_t>& scratch, const std::vector<Rect>* parts) {
  const Making both[] = {{&previous, pictures[0].data()}, {&next, pictures[1].data()}};
  make(workers, plan, both, 2, scratch, parts);
}

void make_pyramid(Workers& workers, const Plan& plan, const Picture<Space::host>& picture,
                  std::vector<Sample>& samples, std::vector<std::uint16_t>& scratch) {
  const Making one{&picture, samples.data()};
  make(workers, plan, &one, 1, scratch, nullptr);
}

}  // namespace kerb::flow::lk
