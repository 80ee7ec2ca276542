// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <utility>

#include "gpu/flow/block_matching_math.hpp"
#include "gpu/flow/block_matching_plan.hpp"
#include "gpu/flow/block_matching_simd.hpp"
#include "gpu/flow/median25.hpp"

namespace kerb::flow::bm {
namespace {

using Byte = std::uint8_t;
constexpr const char* kWhere = "block matching";
constexpr int kRowsPerTask = 16;      // of pixels
constexpr int kBlockRowsPerTask = 4;  // of blocks

std::size_t index(int n) { return static_cast<std::size_t>(n); }
int tasks_for(int rows, int each) { return (rows + each - 1) / each; }

/// A level of one picture, rim included, with `first` at pixel (0, 0).
struct Plane {
  Byte* first;
  std::ptrdiff_t stride;
  int width, height;
  [[nodiscard]] Byte* row(int y) const { return first + y * stride; }
};

/// Left and right of a row, and above and below the picture, copies of the nearest pixel.
void make_rim(const Plane& plane, int y) {
  Byte* const row = plane.row(y);
  std::memset(row - kRim, row[0], kRim);
  std::memset(row + plane.width, row[plane.width - 1], kRim);
  const auto copy_to = [&](int to) {
    std::memcpy(plane.row(to) - kRim, row - kRim, index(plane.width + 2 * kRim));
  };
  if (y == 0)
    for (int i = 1; i <= kRim; ++i) copy_to(-i);
  if (y == plane.height - 1)
    for (int i = 1; i <= kRim; ++i) copy_to(plane.height - 1 + i);
}

/// 1 2 1 each way, (sum + 8) >> 4, the picture's edge repeated.
void smooth_row(const Picture<Space::host>& in, const Plane& out, int y, std::uint16_t* scratch) {
  const int w = in.width;
  const Byte* const above = in.data + std::max(y - 1, 0) * in.row_stride;
  const Byte* const here = in.data + y * in.row_stride;
  const Byte* const below = in.data + std::min(y + 1, in.height - 1) * in.row_stride;
  std::uint16_t* const sums = scratch + 1;
  for (int x = 0; x < w; ++x)
    sums[x] = static_cast<std::uint16_t>(above[x] + 2 * here[x] + below[x]);
  sums[-1] = sums[0];
  sums[w] = sums[w - 1];
  Byte* const to = out.row(y);
  for (int x = 0; x < w; ++x)
    to[x] = static_cast<Byte>((sums[x - 1] + 2 * sums[x] + sums[x + 1] + 8) >> 4);
  make_rim(out, y);
}

/// 1 3 3 1 each way, (sum + 32) >> 6; what lies beyond the edge is the rim.
void halve_row(const Plane& in, const Plane& out, int y, std::uint16_t* scratch) {
  const Byte* const a = in.row(2 * y - 1);
  const Byte* const b = in.row(2 * y);
  const Byte* const c = in.row(2 * y + 1);
  const Byte* const d = in.row(2 * y + 2);
  const int from = 2 * out.width + 2;  // columns -1 and on
  for (int x = 0; x < from; ++x)
    scratch[x] = static_cast<std::uint16_t>(a[x - 1] + 3 * (b[x - 1] + c[x - 1]) + d[x - 1]);
  Byte* const to = out.row(y);
  for (int x = 0; x < out.width; ++x)
    to[x] = static_cast<Byte>((scratch[2 * x] + 3 * (scratch[2 * x + 1] + scratch[2 * x + 2]) +
                               scratch[2 * x + 3] + 32) >>
                              6);
  make_rim(out, y);
}

/// Places of blocks, counted from kFirst.
struct Places {
  int left, top, right, bottom;
};

/// Sums and deviations of the blocks at every place of the second picture.
struct SumsScratch {
  std::int32_t *sum, *squares, *sums_across, *squares_across;  // a row each
};
void sum_rows(const Plane& in, const Places& box, int first, int last, const SumsScratch& scratch,
              Sums* out, std::ptrdiff_t out_stride) {
  const int count = box.right - box.left, columns = count + kBlock - 1;
  const auto row_at = [&](int y) { return in.row(y + kFirst) + kFirst + box.left; };
  std::fill_n(scratch.sum, columns, 0);
  std::fill_n(scratch.squares, columns, 0);
  for (int y = first; y < first + kBlock - 1; ++y) {
    const Byte* const enters = row_at(y);
    for (int x = 0; x < columns; ++x) {
      scratch.sum[x] += enters[x];
      scratch.squares[x] += enters[x] * enters[x];
    }
  }
  for (int y = first; y < last; ++y) {
    const Byte* const enters = row_at(y + kBlock - 1);
    for (int x = 0; x < columns; ++x) {
      scratch.sum[x] += enters[x];
      scratch.squares[x] += enters[x] * enters[x];
    }
    // Eight beside each other: pairs, pairs of pairs, and two of those.
    for (int x = 0; x < columns - 3; ++x) {
      scratch.sums_across[x] =
          (scratch.sum[x] + scratch.sum[x + 1]) + (scratch.sum[x + 2] + scratch.sum[x + 3]);
      scratch.squares_across[x] = (scratch.squares[x] + scratch.squares[x + 1]) +
                                  (scratch.squares[x + 2] + scratch.squares[x + 3]);
    }
    Sums* const to = out + y * out_stride + box.left;
    for (int x = 0; x < count; ++x) {
      const int sum = scratch.sums_across[x] + scratch.sums_across[x + 4];
      const int squares = scratch.squares_across[x] + scratch.squares_across[x + 4];
      to[x] = {sum, inverse_deviation(variance_of(sum, squares))};
    }
    const Byte* const leaves = row_at(y);
    for (int x = 0; x < columns; ++x) {
      scratch.sum[x] -= leaves[x];
      scratch.squares[x] -= leaves[x] * leaves[x];
    }
  }
}

/// A block of the first picture.
struct Block {
  const Byte* at;
  Rows rows;
  int sum, variance;
};

Block block_at(const Byte* at, std::ptrdiff_t stride) {
  Block block;
  block.at = at;
  block.rows = rows_at(at, stride);
  S16x8 sum{};
  S32x4 squares{};
  for (const U8x8 row : block.rows.at) {
    const S16x8 wide = simd::widen(row);
    sum += wide;
    squares = add_products(squares, wide, wide);
  }
  block.sum = sum_of(sum);
  block.variance = variance_of(block.sum, sum_of(squares));
  return block;
}

/// Both pictures of a level where one block looks.
struct Scene {
  const Byte* second;  // the place of shift (0, 0)
  std::ptrdiff_t stride;
  const Sums* sums;  // NCC's; likewise
  std::ptrdiff_t sums_stride;
};

template <Cost C>
KERB_INLINE float score_of(const Block& block, float inverse, const Scene& scene, Shift shift) {
  const Byte* const at = scene.second + shift.y * scene.stride + shift.x;
  if constexpr (C == Cost::ncc)
    return ncc_score(block.sum, block.variance, inverse, products(block.rows, at, scene.stride),
                     scene.sums[shift.y * scene.sums_stride + shift.x]);
  if constexpr (C == Cost::ssd)
    return -static_cast<float>(squared_differences(block.rows, at, scene.stride));
  return -static_cast<float>(absolute_differences(block.rows, at, scene.stride));
}

/// What step_of() needs of the first picture's block, and its rows.
struct Refined {
  S16x8 a[kBlock], x[kBlock], y[kBlock];
  Gradients sums;
};
KERB_INLINE void gradients_of(const Block& block, std::ptrdiff_t stride, Refined& out) {
  S16x8 x{}, y{};
  S32x4 xx{}, xy{}, yy{}, ax{}, ay{};
  for (int i = 0; i < kBlock; ++i) {
    const Byte* const row = block.at + i * stride;
    const S16x8 a = simd::widen(block.rows.at[i]);
    const S16x8 gx = wide_at(row + 1) - wide_at(row - 1);
    const S16x8 gy = wide_at(row + stride) - wide_at(row - stride);
    x += gx;
    y += gy;
    xx = add_products(xx, gx, gx);
    xy = add_products(xy, gx, gy);
    yy = add_products(yy, gy, gy);
    ax = add_products(ax, a, gx);
    ay = add_products(ay, a, gy);
    out.a[i] = a;
    out.x[i] = gx;
    out.y[i] = gy;
  }
  out.sums = {sum_of(x), sum_of(y), sum_of(xx), sum_of(xy), sum_of(yy), sum_of(ax), sum_of(ay)};
}

/// A row interpolated across, in 1 / kParts.
KERB_INLINE U16x8 across(const Byte* at, int part) {
  const auto left = simd::bits<U16x8>(wide_at(at)), right = simd::bits<U16x8>(wide_at(at + 1));
  return left * static_cast<std::uint16_t>(kParts - part) +
         right * static_cast<std::uint16_t>(part);
}
/// Two such rows, down.
KERB_INLINE U16x8 down(U16x8 upper, U16x8 lower, int part) {
  return (upper * static_cast<std::uint16_t>(kParts - part) +
          lower * static_cast<std::uint16_t>(part) + static_cast<std::uint16_t>(kParts / 2)) >>
         4;
}
static_assert(kParts == 16);

KERB_INLINE Warped warp(const Refined& block, const Byte* at, std::ptrdiff_t stride, int part_x,
                        int part_y) {
  S16x8 sum{};
  S32x4 squares{}, x{}, y{}, a{};
  U16x8 upper = across(at, part_x);
  for (int i = 0; i < kBlock; ++i) {
    const U16x8 lower = across(at + (i + 1) * stride, part_x);
    const auto w = simd::bits<S16x8>(down(upper, lower, part_y));
    upper = lower;
    sum += w;
    squares = add_products(squares, w, w);
    x = add_products(x, w, block.x[i]);
    y = add_products(y, w, block.y[i]);
    a = add_products(a, w, block.a[i]);
  }
  return {sum_of(sum), sum_of(squares), sum_of(x), sum_of(y), sum_of(a)};
}

/// Rows of bytes that say which blocks are needed.
bool any(const Byte* from, std::size_t count) {
  return std::any_of(from, from + count, [](Byte b) { return b != 0; });
}

class OnCpu final : public Estimator {
 public:
  OnCpu(Workers& workers, Plan plan)
      : workers_{workers}, plan_{std::move(plan)}, sums_(plan_.sums), places_(plan_.levels.size()) {
    for (std::vector<Byte>& picture : pictures_) picture.resize(plan_.samples);
    for (std::vector<float>* field : {&raw_u_, &raw_v_, &u_, &v_, &correlation_})
      field->resize(plan_.blocks);
    for (std::vector<Byte>* map : {&poor_, &quality_, &need_raw_, &need_, &need_scratch_})
      map->resize(plan_.blocks);
    for (std::vector<std::int32_t>* parts : {&parts_x_, &parts_y_})
      parts->resize(index(plan_.levels[0].columns) * index(plan_.levels[0].rows));
    // One row of a level, rims and more than that, in 32-bit numbers, for each of four.
    scratch_row_ = index(plan_.width + 4 * kRim + 4 * kAlign);
    scratch_.resize(scratch_row_ * 4 * index(workers_.count()));
  }

  using Estimator::run;
  Status run(const Picture<Space::host>& previous, const Picture<Space::host>& next,
             const Mask<Space::host>& mask, const FieldView<Space::host>& out) override {
    if (Status ok = check_pair(kWhere, plan_.width, plan_.height, previous, next, mask, out); !ok)
      return ok;
    masked_ = mask.data != nullptr;
    if (masked_) find_needed(mask);
    make_pictures(previous, next);
    for (int i = static_cast<int>(plan_.levels.size()) - 1; i >= 0; --i) {
      switch (plan_.settings.cost) {
        case Cost::ncc:
          match<Cost::ncc>(i);
          break;
        case Cost::ssd:
          match<Cost::ssd>(i);
          break;
        case Cost::sad:
          match<Cost::sad>(i);
          break;
      }
      median(i);
    }
    spread(mask, out);
    return Done{};
  }
  Status run(const Picture<Space::device>& /*previous*/, const Picture<Space::device>& /*next*/,
             const Mask<Space::device>& /*mask*/,
             const FieldView<Space::device>& /*out*/) override {
    return Error{Errc::unsupported, 0, kWhere, "the backend is the CPU"};
  }
  [[nodiscard]] const char* name() const noexcept override { return "bm"; }
  [[nodiscard]] Backend backend() const noexcept override { return Backend::cpu; }
  [[nodiscard]] std::size_t bytes() const noexcept override {
    return 2 * plan_.samples + plan_.sums * sizeof(Sums) + plan_.blocks * (5 * sizeof(float) + 5) +
           (scratch_.size() + 2 * parts_x_.size()) * sizeof(std::int32_t);
  }

 private:
  [[nodiscard]] Plane plane(int picture, const Level& level) {
    return {pictures_[picture].data() + level.image, level.row_stride, level.width, level.height};
  }
  [[nodiscard]] std::int32_t* scratch(int worker, int row) {
    return scratch_.data() + scratch_row_ * (4 * index(worker) + index(row));
  }

  /// From the wanted pixels up through the levels: the blocks whose vectors they come from.
  void find_needed(const Mask<Space::host>& mask);
  void make_pictures(const Picture<Space::host>& previous, const Picture<Space::host>& next);
  template <Cost C>
  void match(int level);
  template <Cost C>
  void match_block(int level, int column, int row);
  void median(int level);
  void spread(const Mask<Space::host>& mask, const FieldView<Space::host>& out);
  using Cell = float[kCell][kCell];
  void vectors_of_cell(int column, int row, Cell& u, Cell& v) const;
  void spread_cell(int column, int row, const Mask<Space::host>& mask,
                   const FieldView<Space::host>& out);

  Workers& workers_;
  Plan plan_;
  std::vector<Byte> pictures_[2];
  std::vector<Sums> sums_;
  std::vector<float> raw_u_, raw_v_, u_, v_;  // of blocks: before and after the median
  std::vector<float> correlation_;
  std::vector<std::int32_t> parts_x_, parts_y_;  // u_ and v_ of the picture itself, in 1 / kParts
  std::vector<Byte> poor_, quality_;
  bool masked_ = false;
  std::vector<Places> places_;  // with a mask: of each level's sums
  std::vector<Byte> need_raw_, need_, need_scratch_;
  std::vector<std::int32_t> scratch_;
  std::size_t scratch_row_ = 0;
};

/// to[y][x] = any of from[y * scale - before .. y * scale + after][likewise x].
void gather_any(const Byte* from, int from_columns, int from_rows, Byte* to, int columns, int rows,
                int scale, int before, int after, Byte* scratch) {
  for (int y = 0; y < from_rows; ++y) {
    const Byte* const row = from + std::ptrdiff_t{y} * from_columns;
    Byte* const out = scratch + std::ptrdiff_t{y} * columns;
    std::memset(out, 0, index(columns));
    if (!any(row, index(from_columns))) continue;
    for (int by = -before; by <= after; ++by) {
      // All x whose x * scale + by lies in the row.
      const int begin = by >= 0 ? 0 : (-by + scale - 1) / scale;
      const int end = std::min(columns, (from_columns - 1 - by) / scale + 1);
      for (int x = begin; x < end; ++x) out[x] |= row[x * scale + by];
    }
  }
  for (int y = 0; y < rows; ++y) {
    Byte* const out = to + std::ptrdiff_t{y} * columns;
    std::memset(out, 0, index(columns));
    const int begin = std::max(y * scale - before, 0);
    const int end = std::min(y * scale + after + 1, from_rows);
    for (int i = begin; i < end; ++i) {
      const Byte* const row = scratch + std::ptrdiff_t{i} * columns;
      for (int x = 0; x < columns; ++x) out[x] |= row[x];
    }
  }
}

/// All places that the needed blocks may be found at.
Places places_of(const Level& level, const Byte* needed) {
  int left = level.columns, top = level.rows, right = -1, bottom = -1;  // of blocks, inclusive
  for (int row = 0; row < level.rows; ++row) {
    const Byte* const line = needed + std::ptrdiff_t{row} * level.columns;
    const auto is_set = [](Byte b) { return b != 0; };
    const Byte* const first = std::find_if(line, line + level.columns, is_set);
    if (first == line + level.columns) continue;
    int last = level.columns - 1;
    while (line[last] == 0) --last;
    left = std::min(left, static_cast<int>(first - line));
    right = std::max(right, last);
    top = std::min(top, row);
    bottom = row;
  }
  if (right < 0) return {0, 0, 0, 0};
  const auto place = [&](int block, int by, int end) {
    return between(block * kCell - kBefore - kFirst + by, 0, end);
  };
  return {place(left, -level.limit, places(level.width)),
          place(top, -level.limit, places(level.height)),
          place(right, level.limit + 1, places(level.width)),
          place(bottom, level.limit + 1, places(level.height))};
}

void OnCpu::find_needed(const Mask<Space::host>& mask) {
  // The cells with wanted pixels, kept where the needed blocks go afterwards.
  const Level& picture = plan_.levels[0];
  for (int row = 0; row < picture.rows; ++row) {
    Byte* const cells = need_raw_.data() + std::ptrdiff_t{row} * picture.columns;
    std::memset(cells, 0, index(picture.columns));
    for (int y = row * kCell; y < std::min((row + 1) * kCell, picture.height); ++y) {
      const Byte* const wanted = mask.data + y * mask.row_stride;
      int x = 0;
      for (; x + kCell <= picture.width; x += kCell) {
        std::uint32_t four = 0;
        std::memcpy(&four, wanted + x, sizeof four);
        cells[x / kCell] |= static_cast<Byte>(four != 0 ? 1 : 0);
      }
      for (; x < picture.width; ++x) cells[x / kCell] |= static_cast<Byte>(wanted[x] != 0 ? 1 : 0);
    }
  }
  gather_any(need_raw_.data(), picture.columns, picture.rows, need_.data(), picture.columns,
             picture.rows, 1, 1, 1, need_scratch_.data());
  for (std::size_t i = 0; i < plan_.levels.size(); ++i) {
    const Level& level = plan_.levels[i];
    Byte* const raw = need_raw_.data() + level.block;
    if (i > 0) {
      const Level& below = plan_.levels[i - 1];
      gather_any(need_raw_.data() + below.block, below.columns, below.rows,
                 need_.data() + level.block, level.columns, level.rows, 2, 2 * kNeighbours,
                 2 * kNeighbours + 1, need_scratch_.data());
    }
    gather_any(need_.data() + level.block, level.columns, level.rows, raw, level.columns,
               level.rows, 1, kMedian, kMedian, need_scratch_.data());
    places_[i] = places_of(level, raw);
  }
}

void OnCpu::make_pictures(const Picture<Space::host>& previous, const Picture<Space::host>& next) {
  const auto rows = [&](int height, const auto& body) {
    const int tasks = tasks_for(height, kRowsPerTask);
    workers_.run(2 * tasks, [&](int task, int worker) {
      const int picture = task % 2, first = task / 2 * kRowsPerTask;
      auto* const room = reinterpret_cast<std::uint16_t*>(scratch(worker, 0));
      for (int y = first; y < std::min(first + kRowsPerTask, height); ++y) body(picture, y, room);
    });
  };
  const Level& first = plan_.levels[0];
  rows(first.height, [&](int picture, int y, std::uint16_t* room) {
    smooth_row(picture == 0 ? previous : next, plane(picture, first), y, room);
  });
  for (std::size_t i = 1; i < plan_.levels.size(); ++i)
    rows(plan_.levels[i].height, [&](int picture, int y, std::uint16_t* room) {
      halve_row(plane(picture, plan_.levels[i - 1]), plane(picture, plan_.levels[i]), y, room);
    });
}

template <Cost C>
void OnCpu::match(int i) {
  const Level& level = plan_.levels[index(i)];
  if constexpr (C == Cost::ncc) {
    const Places box =
        masked_ ? places_[index(i)] : Places{0, 0, places(level.width), places(level.height)};
    const int each = 4 * kRowsPerTask;
    workers_.run(tasks_for(box.bottom - box.top, each), [&](int task, int worker) {
      const SumsScratch room{scratch(worker, 0), scratch(worker, 1), scratch(worker, 2),
                             scratch(worker, 3)};
      const int first = box.top + task * each;
      sum_rows(plane(1, level), box, first, std::min(first + each, box.bottom), room,
               sums_.data() + level.sums, level.sums_stride);
    });
  }
  workers_.run(tasks_for(level.rows, kBlockRowsPerTask), [&](int task, int /*worker*/) {
    const int first = task * kBlockRowsPerTask;
    for (int row = first; row < std::min(first + kBlockRowsPerTask, level.rows); ++row)
      for (int column = 0; column < level.columns; ++column)
        if (!masked_ || need_raw_[level.block + index(row * level.columns + column)] != 0)
          match_block<C>(i, column, row);
  });
}

template <Cost C>
void OnCpu::match_block(int i, int column, int row) {
  const Level& level = plan_.levels[index(i)];
  const std::size_t number = level.block + index(row * level.columns + column);
  const int x = column * kCell - kBefore, y = row * kCell - kBefore;
  const std::ptrdiff_t stride = level.row_stride, at = y * stride + x;
  const bool smallest = index(i) + 1 == plan_.levels.size();
  const Level& above = plan_.levels[index(smallest ? i : i + 1)];
  const auto number_above = [&](int dx, int dy) {
    return above.block + index(between((row >> 1) + dy, 0, above.rows - 1) * above.columns +
                               between((column >> 1) + dx, 0, above.columns - 1));
  };
  const Block block = block_at(pictures_[0].data() + level.image + at, stride);
  const float noise = plan_.settings.noise * kPixels;
  if (static_cast<float>(block.variance) <= noise * noise) {
    const std::size_t own = number_above(0, 0);
    raw_u_[number] = smallest ? 0.0F : 2 * u_[own];
    raw_v_[number] = smallest ? 0.0F : 2 * v_[own];
    correlation_[number] = 0;
    poor_[number] = 1;
    return;
  }
  const Scene scene{
      pictures_[1].data() + level.image + at, stride,
      sums_.data() + level.sums + (y - kFirst) * std::ptrdiff_t{level.sums_stride} + (x - kFirst),
      level.sums_stride};
  const float inverse = inverse_deviation(block.variance);
  const Bounds bounds = bounds_of(level, x, y);
  Shift best{0, 0};
  float score = -kExact;
  const auto take = [&](Shift shift, float now) {
    if (now > score) {
      score = now;
      best = shift;
    }
  };
  const auto look = [&](Shift shift) { take(shift, score_of<C>(block, inverse, scene, shift)); };
  if (smallest) {
    for (const Shift& shift : plan_.shifts) look(inside(bounds, shift));
  } else {
    Shift seen[9];
    int count = 0;
    const auto look_above = [&](int dx, int dy) {
      const std::size_t from = number_above(dx, dy);
      const Shift shift = inside(bounds, {nearest(2 * u_[from]), nearest(2 * v_[from])});
      for (int j = 0; j < count; ++j)
        if (seen[j].x == shift.x && seen[j].y == shift.y) return;
      seen[count++] = shift;
      look(shift);
    };
    look_above(0, 0);
    for (int j = 0; j < 8; ++j) {
      const Shift to = around(j);
      look_above(kNeighbours * to.x, kNeighbours * to.y);
    }
    const Shift middle = best;
    const bool free = middle.x > bounds.left && middle.x < bounds.right && middle.y > bounds.top &&
                      middle.y < bounds.bottom;
    if (C == Cost::ncc && free) {
      int with[9];
      products_around(block.rows, scene.second + middle.y * stride + middle.x, stride, with);
      for (int j = 0; j < 8; ++j) {
        const Shift to = around(j), shift{middle.x + to.x, middle.y + to.y};
        take(shift, ncc_score(block.sum, block.variance, inverse, with[j < 4 ? j : j + 1],
                              scene.sums[shift.y * scene.sums_stride + shift.x]));
      }
    } else {
      for (int j = 0; j < 8; ++j) {
        const Shift to = around(j);
        look(inside(bounds, {middle.x + to.x, middle.y + to.y}));
      }
    }
  }
  Refined refined;
  gradients_of(block, stride, refined);
  float dx = 0, dy = 0;
  const auto warped_to = [&](int qx, int qy) {
    const Byte* const from = scene.second + (best.y + (qy >> 4)) * stride + best.x + (qx >> 4);
    return warp(refined, from, stride, qx & (kParts - 1), qy & (kParts - 1));
  };
  for (int step = 0; step < plan_.settings.steps; ++step) {
    const int qx = nearest(dx * kParts), qy = nearest(dy * kParts);
    const Step by =
        step_of(C == Cost::ncc, block.sum, block.variance, refined.sums, warped_to(qx, qy));
    if (!by.solved) break;
    dx = static_cast<float>(qx) * (1.0F / kParts) + by.x;
    dy = static_cast<float>(qy) * (1.0F / kParts) + by.y;
    if (std::fabs(dx) <= 1 && std::fabs(dy) <= 1) continue;
    dx = dy = 0;
    break;
  }
  raw_u_[number] = static_cast<float>(best.x) + dx;
  raw_v_[number] = static_cast<float>(best.y) + dy;
  poor_[number] = 0;
  if (i == 0)  // who else is asked for quality
    correlation_[number] = correlation(block.sum, block.variance,
                                       warped_to(nearest(dx * kParts), nearest(dy * kParts)));
}

/// The median of one row of blocks, of one component. `room` has five rows.
void median_row(const float* from, int columns, int rows, int row, float* room,
                std::ptrdiff_t room_stride, float* to) {
  for (int j = 0; j < 5; ++j) {
    const float* const source =
        from + std::ptrdiff_t{between(row + j - kMedian, 0, rows - 1)} * columns;
    float* const line = room + j * room_stride;
    line[0] = line[1] = source[0];
    std::copy_n(source, columns, line + kMedian);
    for (int k = 0; k < kMedian + 4; ++k) line[columns + kMedian + k] = source[columns - 1];
  }
  for (int x = 0; x < columns; x += 4) {
    const auto middle = median25<F32x4>(
        [&](int k) { return simd::load<F32x4>(room + (k / 5) * room_stride + x + k % 5); },
        [](F32x4& a, F32x4& b) {
          const F32x4 low = smaller(a, b);
          b = larger(a, b);
          a = low;
        });
    const int count = std::min(4, columns - x);
    for (int k = 0; k < count; ++k) to[x + k] = middle[k];
  }
}

void OnCpu::median(int i) {
  const Level& level = plan_.levels[index(i)];
  workers_.run(tasks_for(level.rows, kBlockRowsPerTask), [&](int task, int worker) {
    auto* const room = reinterpret_cast<float*>(scratch(worker, 0));
    const std::ptrdiff_t stride = level.columns + 2 * kMedian + 4;
    const int first = task * kBlockRowsPerTask;
    for (int row = first; row < std::min(first + kBlockRowsPerTask, level.rows); ++row) {
      const std::size_t at = level.block + index(row * level.columns);
      if (masked_ && !any(need_.data() + at, index(level.columns))) continue;
      median_row(raw_u_.data() + level.block, level.columns, level.rows, row, room, stride,
                 u_.data() + at);
      median_row(raw_v_.data() + level.block, level.columns, level.rows, row, room, stride,
                 v_.data() + at);
      if (i > 0) continue;
      for (std::size_t n = at; n < at + index(level.columns); ++n) {
        quality_[n] = quality_of(correlation_[n], u_[n] - raw_u_[n], v_[n] - raw_v_[n]);
        parts_x_[n] = nearest(u_[n] * kParts);
        parts_y_[n] = nearest(v_[n] * kParts);
      }
    }
  });
}

void OnCpu::spread(const Mask<Space::host>& mask, const FieldView<Space::host>& out) {
  const Level& level = plan_.levels[0];
  workers_.run(tasks_for(level.rows, kBlockRowsPerTask), [&](int task, int /*worker*/) {
    const int first = task * kBlockRowsPerTask;
    for (int row = first; row < std::min(first + kBlockRowsPerTask, level.rows); ++row)
      for (int column = 0; column < level.columns; ++column) spread_cell(column, row, mask, out);
  });
}

/// One cell's pixels. Two rows of four make a vector.
struct CellRows {
  U16x8 of[2];
};
KERB_INLINE U16x8 joined(U16x8 upper, U16x8 lower) {
  return __builtin_shufflevector(upper, lower, 0, 1, 2, 3, 8, 9, 10, 11);
}
KERB_INLINE CellRows cell_at(const Byte* at, std::ptrdiff_t stride, int part_x, int part_y) {
  U16x8 rows[kCell + 1];
  for (int i = 0; i <= kCell; ++i) rows[i] = across(at + i * stride, part_x);
  CellRows cell;
  for (int i = 0; i < 2; ++i)
    cell.of[i] = down(joined(rows[2 * i], rows[2 * i + 1]),
                      joined(rows[2 * i + 1], rows[2 * i + 2]), part_y);
  return cell;
}
KERB_INLINE S16x8 distance(S16x8 a, S16x8 b) {
  const S16x8 d = a - b;
  return d < 0 ? -d : d;
}

/// The vectors of a cell's pixels from those of the nine blocks around.
void OnCpu::vectors_of_cell(int column, int row, Cell& u, Cell& v) const {
  const Level& level = plan_.levels[0];
  const int left = column * kCell, top = row * kCell;
  const std::size_t own = index(row * level.columns + column);
  const std::ptrdiff_t stride = level.row_stride;
  const Byte* const first = pictures_[0].data() + level.image;
  const Byte* const second = pictures_[1].data() + level.image;
  // The pixels themselves, in grey levels: two rows of four to a vector.
  S16x8 grey[2];
  for (int i = 0; i < 2; ++i) {
    const Byte* const at = first + (top + 2 * i) * stride + left;
    grey[i] = simd::bits<S16x8>(
        joined(simd::bits<U16x8>(wide_at(at)), simd::bits<U16x8>(wide_at(at + stride))));
  }
  const float own_u = u_[own], own_v = v_[own];
  F32x4 weights[kCell] = {}, sum_u[kCell] = {}, sum_v[kCell] = {};
  for (int j = 0; j < 3; ++j)
    for (int k = 0; k < 3; ++k) {
      const int by = between(row + j - 1, 0, level.rows - 1);
      const int bx = between(column + k - 1, 0, level.columns - 1);
      const std::size_t number = index(by * level.columns + bx);
      const float their_u = u_[number], their_v = v_[number];
      const int qx = parts_x_[number], qy = parts_y_[number];
      const int x = between(left + (qx >> 4), -kRim, level.width + kRim - kCell - 1);
      const int y = between(top + (qy >> 4), -kRim, level.height + kRim - kCell - 1);
      const CellRows warped =
          cell_at(second + y * stride + x, stride, qx & (kParts - 1), qy & (kParts - 1));
      const auto middle =
          static_cast<std::int16_t>(first[(by * kCell + 1) * stride + bx * kCell + 1]);
      const float du = their_u - own_u, dv = their_v - own_v;
      F32x4 near;
      for (int p = 0; p < kCell; ++p) near[p] = nearness(p, k);
      for (int half = 0; half < 2; ++half) {
        const simd::S32x8 misfit =
            simd::widen(distance(grey[half] * kParts, simd::bits<S16x8>(warped.of[half])));
        const simd::S32x8 unlike = simd::widen(distance(grey[half], S16x8{} + middle));
        for (int r = 0; r < 2; ++r) {
          const int line = 2 * half + r;
          const S32x4 miss = r == 0 ? misfit.low : misfit.high;
          const S32x4 off = r == 0 ? unlike.low : unlike.high;
          // weight_of(), four at a time
          const F32x4 fit = __builtin_convertvector(miss < kParts ? S32x4{} + kParts : miss, F32x4);
          const F32x4 same = 1.0F + __builtin_convertvector(off * off, F32x4) * 0.01F;
          const F32x4 weight = near * nearness(line, j) / (fit * same);
          weights[line] += weight;
          sum_u[line] += weight * du;
          sum_v[line] += weight * dv;
        }
      }
    }
  for (int line = 0; line < kCell; ++line) {
    simd::store(u[line], own_u + sum_u[line] / weights[line]);
    simd::store(v[line], own_v + sum_v[line] / weights[line]);
  }
}

void OnCpu::spread_cell(int column, int row, const Mask<Space::host>& mask,
                        const FieldView<Space::host>& out) {
  const Level& level = plan_.levels[0];
  const int left = column * kCell, top = row * kCell;
  const int columns = std::min(kCell, level.width - left);
  const int rows = std::min(kCell, level.height - top);
  const std::size_t own = index(row * level.columns + column);
  if (masked_ && need_[own] == 0) {
    for (int line = 0; line < rows; ++line) {
      const std::ptrdiff_t to = (top + line) * out.row_stride + left;
      std::fill_n(out.u + to, columns, 0.0F);
      std::fill_n(out.v + to, columns, 0.0F);
      if (out.quality != nullptr) std::fill_n(out.quality + to, columns, Byte{0});
      if (out.flags != nullptr) std::fill_n(out.flags + to, columns, Byte{kMaskedOut});
    }
    return;
  }
  Cell u, v;
  vectors_of_cell(column, row, u, v);
  const auto right_edge = static_cast<float>(level.width - 1);
  const auto bottom_edge = static_cast<float>(level.height - 1);
  const float doubt = plan_.settings.doubt * 255.0F;
  const Byte quality = quality_[own];
  Byte doubts = 0;
  if (poor_[own] != 0) {
    doubts = kTexturePoor;
  } else if (static_cast<float>(quality) < doubt) {
    doubts = kInconsistent;
  }
  for (int line = 0; line < rows; ++line) {
    const std::ptrdiff_t to = (top + line) * out.row_stride + left;
    for (int p = 0; p < columns; ++p) {
      const bool asked = !masked_ || mask.data[(top + line) * mask.row_stride + left + p] != 0;
      const float x = static_cast<float>(left + p) + u[line][p];
      const float y = static_cast<float>(top + line) + v[line][p];
      Byte flags = doubts;
      if (!(x >= 0 && x <= right_edge && y >= 0 && y <= bottom_edge)) flags |= kOutOfView;
      if (flags == 0) flags = kValid;
      out.u[to + p] = asked ? u[line][p] : 0.0F;
      out.v[to + p] = asked ? v[line][p] : 0.0F;
      if (out.quality != nullptr) out.quality[to + p] = asked ? quality : Byte{0};
      if (out.flags != nullptr) out.flags[to + p] = asked ? flags : Byte{kMaskedOut};
    }
  }
}

}  // namespace

Result<std::unique_ptr<Estimator>> make_cpu(Workers& workers, Plan plan) {
  return std::unique_ptr<Estimator>{std::make_unique<OnCpu>(workers, std::move(plan))};
}

}  // namespace kerb::flow::bm
