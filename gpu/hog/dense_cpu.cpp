// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "gpu/hog/dense_plan.hpp"
#include "gpu/hog/engine.hpp"
#include "gpu/image/gradient_math.hpp"
#include "gpu/image/pyramid.hpp"

// Bands of each level's rows become blocks, then rows of windows become scores: two rounds of tasks
// for the workers. Within a band, rows are made and used up while they are in the first caches. The
// four lanes of a block are one vector, on NEON and on SSE2. Steps are numbered as in
// dense_math.hpp.
namespace kerb::hog {
namespace {

using namespace dense;
using Byte = std::uint8_t;
using F4 = float __attribute__((vector_size(16)));

/// Blocks in memory at one time: what the last caches hold, so that windows find them there.
constexpr std::size_t kRoundValues = std::size_t{64} << 18;
constexpr int kRing = 16;   // rows of votes: a group's 8, and 7 more for shifted sheets
constexpr int kAtOnce = 8;  // windows beside each other that share the loads of weights
constexpr int kIntegralBand = 8;

struct Free {
  void operator()(void* p) const noexcept { std::free(p); }
};
/// Memory without a first value: what a search does not touch, such as planes of colour, the system
/// does not provide.
template <typename T>
class Room {
 public:
  [[nodiscard]] bool make(std::size_t count) {
    constexpr std::size_t kAlign = 64;
    const std::size_t bytes = (count * sizeof(T) / kAlign + 1) * kAlign;
    data_.reset(static_cast<T*>(std::aligned_alloc(kAlign, bytes)));
    return data_ != nullptr;
  }
  [[nodiscard]] T* get() const noexcept { return data_.get(); }

 private:
  std::unique_ptr<T, Free> data_;
};

std::size_t area(int a, int b) { return static_cast<std::size_t>(a) * static_cast<std::size_t>(b); }

// --- rows of pixels ------------------------------------------------------------------------------

void look_up(const Byte* __restrict in, const float* __restrict samples, float* __restrict out,
             int count) {
  int x = 0;
  for (; x + 8 <= count; x += 8)  // which the compiler leaves as it is
    for (int i = 0; i < 8; ++i) out[x + i] = samples[in[x + i]];
  for (; x < count; ++x) out[x] = samples[in[x]];
}

void subtract(const float* __restrict plus, const float* __restrict minus, float* __restrict out,
              int count) {
  for (int x = 0; x < count; ++x) out[x] = plus[x] - minus[x];
}

/// 1. `slots` are in bytes from the first slot's vector.
void vote_row(const float* __restrict dx, const float* __restrict dy, float* __restrict lower,
              float* __restrict upper, Byte* __restrict slots, int count) {
  for (int x = 0; x < count; ++x) {
    const Vote vote = vote_of(dx[x], dy[x]);
    lower[x] = vote.lower;
    upper[x] = vote.upper;
    slots[x] = static_cast<Byte>(vote.slot * static_cast<int>(sizeof(F4)));
  }
}

/// Of three channels' gradients, the largest: over the first one's.
void choose_row(float* __restrict dx_r, float* __restrict dy_r, const float* __restrict dx_g,
                const float* __restrict dy_g, const float* __restrict dx_b,
                const float* __restrict dy_b, int count) {
  for (int x = 0; x < count; ++x) {
    const Gradient g = largest({dx_r[x], dy_r[x]}, {dx_g[x], dy_g[x]}, {dx_b[x], dy_b[x]});
    dx_r[x] = g.dx;
    dy_r[x] = g.dy;
  }
}

/// cells, integral: magnitudes and bins.
void pack_row(const Byte* __restrict left, const Byte* __restrict right,
              const Byte* __restrict above, const Byte* __restrict below,
              std::uint16_t* __restrict out, int count) {
  for (int x = 0; x < count; ++x)
    out[x] = gradient::packed_of(right[x] - left[x], below[x] - above[x], kBins, false);
}

// --- blocks --------------------------------------------------------------------------------------

float sum_of(F4 v) { return sum_of_lanes(v[0], v[1], v[2], v[3]); }
F4 all(float v) { return F4{v, v, v, v}; }

/// 6., 7.: to every `pitch`-th vector.
void store_normalised(const F4* __restrict in, float clip, F4* __restrict out,
                      std::ptrdiff_t pitch) {
  F4 squares = in[0] * in[0];
  for (int bin = 1; bin < kBins; ++bin) squares += in[bin] * in[bin];
  const F4 first = all(first_scale(sum_of(squares))), most = all(clip);
  F4 values[kBins];
  for (int bin = 0; bin < kBins; ++bin) {
    const F4 value = in[bin] * first;
    values[bin] = value < most ? value : most;
  }
  squares = values[0] * values[0];
  for (int bin = 1; bin < kBins; ++bin) squares += values[bin] * values[bin];
  const F4 second = all(second_scale(sum_of(squares)));
  for (int bin = 0; bin < kBins; ++bin) out[bin * pitch] = values[bin] * second;
}

/// What a group gives to its four blocks, as their lanes: its own, the left, the upper, the upper
/// left one.
struct Parts {
  F4 own[kBins], left[kBins], upper[kBins], upper_left[kBins];
};

struct VoteRows {
  const float* lower[kCell];
  const float* upper[kCell];
  const Byte* slots[kCell];
};

/// 2. to 4. for the group at column x.
void add_group(const VoteRows& rows, int x, const F4 (&shares)[kCell], Parts& parts) {
  F4 spread[kCell][kSlots] = {};
  constexpr int kTogether = 4;  // rows by turns: a row's next pixel mostly waits for its last one
  for (int v0 = 0; v0 < kCell; v0 += kTogether)
    for (int u = 0; u < kCell; ++u)
      for (int v = v0; v < v0 + kTogether; ++v) {
        auto* const at =
            reinterpret_cast<F4*>(reinterpret_cast<char*>(spread[v]) + rows.slots[v][x + u]);
        at[0] += shares[u] * rows.lower[v][x + u];
        at[1] += shares[u] * rows.upper[v][x + u];
      }
  for (int bin = 0; bin < kBins; ++bin) {
    F4 row[kCell];
    for (int v = 0; v < kCell; ++v) {
      row[v] = spread[v][bin + 1];
      if (bin == 0) row[v] += spread[v][10];
      if (bin == 8) row[v] += spread[v][0];
    }
    // The shares that are not 0.
    F4 j0 = shares[0][0] * row[0], j1 = shares[4][1] * row[4], j2 = shares[0][2] * row[0],
       j3 = shares[0][3] * row[0];
    for (int v = 1; v < kCell; ++v) {
      j0 += shares[v][0] * row[v];
      if (v > 4) j1 += shares[v][1] * row[v];
      if (v < 4) j2 += shares[v][2] * row[v];
      j3 += shares[v][3] * row[v];
    }
    parts.own[bin] = F4{j0[0], j0[1], j1[0], j1[1]};
    parts.left[bin] = F4{j0[2], j0[3], j1[2], j1[3]};
    parts.upper[bin] = F4{j2[0], j2[1], j3[0], j3[1]};
    parts.upper_left[bin] = F4{j2[2], j2[3], j3[2], j3[3]};
  }
}

/// One row of groups of a sheet: with the row above it (`tops`, from the call before) a row of
/// blocks at `out`, or none where `out` is null.
void add_group_row(const VoteRows& rows, const Sheet& sheet, const F4 (&shares)[kCell], float clip,
                   F4* tops, F4* out) {
  Parts parts[2];
  add_group(rows, sheet.x, shares, parts[0]);
  for (int bx = 0; bx < sheet.columns; ++bx, tops += kBins) {
    const Parts& here = parts[bx % 2];
    Parts& next = parts[(bx + 1) % 2];
    add_group(rows, sheet.x + (bx + 1) * kCell, shares, next);
    if (out != nullptr) {  // 5.
      F4 block[kBins];
      for (int bin = 0; bin < kBins; ++bin)
        block[bin] = tops[bin] + (here.upper[bin] + next.upper_left[bin]);
      store_normalised(block, clip, out + bx, sheet.columns);
    }
    for (int bin = 0; bin < kBins; ++bin) tops[bin] = here.own[bin] + next.left[bin];
  }
}

/// Cells (0,0), (1,0), (0,1), (1,1) as the lanes of a block.
void store_cells(const std::uint32_t* upper, const std::uint32_t* lower, float clip, F4* out,
                 std::ptrdiff_t pitch) {
  F4 block[kBins];
  const auto value = [](std::uint32_t sum) {
    return static_cast<float>(static_cast<std::int32_t>(sum)) * kPerEighth;
  };
  for (int bin = 0; bin < kBins; ++bin)
    block[bin] = F4{value(upper[bin]), value(upper[kBins + bin]), value(lower[bin]),
                    value(lower[kBins + bin])};
  store_normalised(block, clip, out, pitch);
}

// --- windows -------------------------------------------------------------------------------------

struct WindowRun {
  const F4* blocks;
  std::ptrdiff_t row_pitch, bin_pitch, step;
  const F4* weights;
  int blocks_x, blocks_y;
  float bias;
  float* scores;
  int score_step;
};

/// 8. for N windows, `step` blocks apart. Columns and Step: known to the compiler for the common
/// window and stride, so that neither takes a register; 0 for any.
template <int N, int Columns, int Step>
void add_windows(const WindowRun& run) {
  const int columns = Columns != 0 ? Columns : run.blocks_x;
  const std::ptrdiff_t step = Step != 0 ? Step : run.step;
  const F4* __restrict row = run.blocks;
  const F4* __restrict weights = run.weights;
  F4 sums[N] = {};
  for (int by = 0; by < run.blocks_y; ++by, row += run.row_pitch) {
    const F4* __restrict values = row;
    for (int bin = 0; bin < kBins; ++bin, values += run.bin_pitch, weights += columns)
      for (int bx = 0; bx < columns; ++bx)
        for (int i = 0; i < N; ++i) sums[i] += weights[bx] * values[bx + i * step];
  }
  for (int i = 0; i < N; ++i) run.scores[i * run.score_step] = run.bias + sum_of(sums[i]);
}
template <int N>
void add_windows(const WindowRun& run) {
  if (run.blocks_x == 7 && run.step == 1) return add_windows<N, 7, 1>(run);
  add_windows<N, 0, 0>(run);
}

// --- the engine ----------------------------------------------------------------------------------

/// Rows of blocks, of some sheets of one level.
struct Band {
  int level, first_sheet, sheets, first_row, rows;
  int columns;  // of the widest sheet
};
/// Columns of windows of a sheet, kAtOnce at most: their blocks stay in the first cache from row to
/// row.
struct Strip {
  int sheet, first_column, columns, first_row, rows;
};
struct Tasks {
  std::vector<Band> bands;
  std::vector<Strip> strips;
};

/// What one worker needs for itself.
struct Scratch {
  Room<std::uint16_t> column_sums;  // of the pyramid
  Room<float> samples;              // rhog: [plane][4 rows][pitch]
  Room<float> gradients;            // rhog: [plane][dx, dy][pitch]
  Room<float> lower, upper;         // rhog: [kRing][pitch]
  Room<Byte> slots;                 // rhog: [kRing][pitch]
  Room<F4> tops;                    // rhog: [sheet of the level][column][bin]
  Room<std::uint16_t> packed;       // others: [kRing][pitch]
  Room<std::uint32_t> cells;        // cells: [sheet of the level][2][column + 1][bin]
  Room<std::uint32_t> integral;     // integral: [row][column][bin] on the grid
};

class DenseCpu final : public Engine {
 public:
  DenseCpu(Workers& workers, Model model, SearchPlan search, std::size_t round_values)
      : workers_{workers}, model_{std::move(model)}, search_{std::move(search)} {
    const auto& m = dense_model();
    plan_ = plan_dense(m, search_, round_values);
    fill_samples(m.gamma, samples_);
    const Shares shares = shares_of(m.sigma);
    for (int u = 0; u < kCell; ++u)
      for (int k = 0; k < 4; ++k) shares_[u][k] = shares.of[u][k];
  }

  Status allocate() {
    const auto& m = dense_model();
    const std::vector<float> weights = ordered_weights(m);
    planes_ = m.kind == DenseKind::rhog ? 3 : 1;
    int width = 16;
    for (const Level& level : search_.pyramid.levels) width = std::max(width, level.width);
    std::size_t columns = 0, sheets = 0, room = 0;  // sheets of a level, by the widest
    for (std::size_t i = 0; i < plan_.sheets.size(); ++i) {
      if (i > 0 && plan_.sheets[i].level != plan_.sheets[i - 1].level) columns = sheets = 0;
      columns = std::max(columns, static_cast<std::size_t>(plan_.sheets[i].columns));
      room = std::max(room, ++sheets * (columns + 1));
    }
    pitch_ = area((width + 15) / 16, 16);
    const int grid = plan_.grid;
    const std::size_t integral =
        area((kIntegralBand + 3) * kCell / grid + 1, width / grid + 1) * kBins;

    bool ok = weights_.make(weights.size() / kLanes) && blocks_.make(plan_.values / kLanes) &&
              levels_.make(search_.pyramid.samples * static_cast<std::size_t>(planes_)) &&
              scores_.make(static_cast<std::size_t>(search_.window_count));
    scratch_.resize(static_cast<std::size_t>(workers_.count()));
    for (Scratch& s : scratch_) {
      ok = ok && s.column_sums.make(cpu::pyramid_scratch(search_.pyramid));
      if (m.kind == DenseKind::rhog) {
        ok = ok && s.samples.make(pitch_ * 12 + 48) && s.gradients.make(pitch_ * 6) &&
             s.lower.make(pitch_ * kRing) && s.upper.make(pitch_ * kRing) &&
             s.slots.make(pitch_ * kRing) && s.tops.make(room * kBins);
      } else {
        ok = ok && s.packed.make(pitch_ * kRing);
        if (m.kind == DenseKind::cells) ok = ok && s.cells.make(room * kBins * 2);
        if (m.kind == DenseKind::integral) ok = ok && s.integral.make(integral);
      }
    }
    if (!ok) return Error{Errc::io, 0, "dense engine", "no memory left"};
    std::memcpy(weights_.get(), weights.data(), weights.size() * sizeof(float));
    hits_.resize(static_cast<std::size_t>(search_.window_count));
    make_tasks();
    return Done{};
  }

  Result<Hits> search(const Picture<Space::host>& picture, float threshold) override {
    const auto& m = dense_model();
    if (Status ok = check_picture(picture, search_.pyramid.width, search_.pyramid.height, m); !ok)
      return ok.error();
    colour_ = m.kind == DenseKind::rhog && picture.rgb.count == 3;
    const PyramidPlan& pyramid = search_.pyramid;
    const int planes = colour_ ? 3 : 1;
    const auto in = [&](int plane) { return colour_ ? picture.rgb.plane(plane) : picture.grey; };
    for (int plane = 0; plane < planes; ++plane)
      cpu::pyramid_octaves(workers_, pyramid, in(plane), plane_of(plane) + pyramid.octaves_at());
    workers_.run(static_cast<int>(pyramid.levels.size()) * planes, [&](int task, int worker) {
      const Level& level = pyramid.levels[static_cast<std::size_t>(task / planes)];
      const int plane = task % planes;
      cpu::pyramid_level(
          pyramid, level,
          cpu::pyramid_source(pyramid, level, in(plane), plane_of(plane) + pyramid.octaves_at()),
          plane_of(plane) + level.offset, scratch_of(worker).column_sums.get());
    });
    for (const Tasks& tasks : tasks_) {
      workers_.run(static_cast<int>(tasks.bands.size()), [&](int task, int worker) {
        const Band& band = tasks.bands[static_cast<std::size_t>(task)];
        Scratch& scratch = scratch_of(worker);
        switch (dense_model().kind) {
          case DenseKind::rhog:
            make_rhog(band, scratch);
            break;
          case DenseKind::cells:
            make_cells(band, scratch);
            break;
          case DenseKind::integral:
            make_integral(band, scratch);
            break;
        }
      });
      workers_.run(static_cast<int>(tasks.strips.size()), [&](int task, int) {
        score_strip(tasks.strips[static_cast<std::size_t>(task)]);
      });
    }
    int count = 0;
    const float* scores = scores_.get();
    for (int i = 0; i < search_.window_count; ++i) {
      hits_[static_cast<std::size_t>(count)] = {i, scores[i]};
      count += scores[i] >= threshold ? 1 : 0;
    }
    return Hits{hits_.data(), count};
  }

  Result<Hits> search(const Picture<Space::device>&, float) override {
    return Error{Errc::unsupported, 0, "dense search", "the backend is the CPU"};
  }

  [[nodiscard]] const SearchPlan& plan() const noexcept override { return search_; }
  [[nodiscard]] const Model& model() const noexcept override { return model_; }
  [[nodiscard]] Backend backend() const noexcept override { return Backend::cpu; }
  [[nodiscard]] std::size_t device_bytes() const noexcept override { return 0; }

  Result<Work> count_work(const Picture<Space::host>& picture) override {
    if (Status ok =
            check_picture(picture, search_.pyramid.width, search_.pyramid.height, dense_model());
        !ok)
      return ok.error();
    return work_of(dense_model(), search_);
  }

 private:
  [[nodiscard]] const DenseModel& dense_model() const {
    return *std::get_if<DenseModel>(&model_.kind);
  }
  [[nodiscard]] Byte* plane_of(int plane) const {
    return levels_.get() + search_.pyramid.samples * static_cast<std::size_t>(plane);
  }
  Scratch& scratch_of(int worker) { return scratch_[static_cast<std::size_t>(worker)]; }

  /// Enough tasks that no worker waits long for the last one, and few, as bands overlap by a row.
  void make_tasks() {
    for (const Round& round : plan_.rounds) {
      Tasks tasks;
      std::size_t blocks = 0;
      const int end = round.first_sheet + round.sheets;
      for (int i = round.first_sheet; i < end; ++i) blocks += area(sheet(i).columns, sheet(i).rows);
      const std::size_t share = blocks / (static_cast<std::size_t>(workers_.count()) * 6) + 1;
      for (int i = round.first_sheet; i < end;) {
        Band band{sheet(i).level, i, 0, 0, 0, 0};
        int rows = 0;
        std::size_t row_blocks = 0;
        for (; i < end && sheet(i).level == band.level; ++i, ++band.sheets) {
          rows = std::max(rows, sheet(i).rows);
          band.columns = std::max(band.columns, sheet(i).columns);
          row_blocks += static_cast<std::size_t>(sheet(i).columns);
        }
        const int most = dense_model().kind == DenseKind::integral ? kIntegralBand : rows;
        const int height = std::clamp(static_cast<int>(share / row_blocks), 4, std::max(4, most));
        for (; band.first_row < rows; band.first_row += height) {
          band.rows = std::min(height, rows - band.first_row);
          tasks.bands.push_back(band);
        }
      }
      for (int i = round.first_sheet; i < end; ++i) {
        const Sheet& s = sheet(i);
        constexpr int kStripRows = 64;
        for (int row = 0; row < s.window_rows; row += kStripRows)
          for (int column = 0; column < s.window_columns; column += kAtOnce)
            tasks.strips.push_back({i, column, std::min(kAtOnce, s.window_columns - column), row,
                                    std::min(kStripRows, s.window_rows - row)});
      }
      tasks_.push_back(std::move(tasks));
    }
  }
  [[nodiscard]] const Sheet& sheet(int i) const {
    return plan_.sheets[static_cast<std::size_t>(i)];
  }

  /// The first and the last row that sheets of a band begin on.
  void range_of(const Band& band, int& lowest, int& highest) const {
    lowest = highest = sheet(band.first_sheet).y;
    for (int i = 0; i < band.sheets; ++i) {
      lowest = std::min(lowest, sheet(band.first_sheet + i).y);
      highest = std::max(highest, sheet(band.first_sheet + i).y);
    }
  }

  /// Calls use(index of the sheet, sheet, row of groups, block row or null) for every row of
  /// groups a band's sheets need, after make(row of pixels) for the pixels it covers.
  template <typename Make, typename Use>
  void each_group_row(const Band& band, Make&& make, Use&& use) {
    const Level& level = search_.pyramid.levels[static_cast<std::size_t>(band.level)];
    int lowest = 0, highest = 0;
    range_of(band, lowest, highest);
    int made = lowest + band.first_row * kCell;
    const int end = band.first_row + band.rows;
    for (int row = band.first_row; row <= end; ++row) {
      const int until = std::min(highest + (row + 1) * kCell, level.height);
      for (; made < until; ++made) make(made);
      for (int i = 0; i < band.sheets; ++i) {
        const Sheet& s = sheet(band.first_sheet + i);
        if (row > std::min(end, s.rows)) continue;
        F4* const out = row == band.first_row ? nullptr : block_row(s, row - 1);
        use(i, s, row, out);
      }
    }
  }
  [[nodiscard]] F4* block_row(const Sheet& s, int row) const {
    return blocks_.get() + s.offset / kLanes + area(s.columns, row) * kBins;
  }

  void make_rhog(const Band& band, Scratch& scratch) {
    const Level& level = search_.pyramid.levels[static_cast<std::size_t>(band.level)];
    const int width = level.width, planes = colour_ ? 3 : 1;
    const auto sample_row = [&](int plane, int y) {  // with a rim of one to the left
      return scratch.samples.get() +
             static_cast<std::size_t>(plane * 4 + (y + 4) % 4) * (pitch_ + 4);
    };
    const auto gradient = [&](int plane, int axis) {
      return scratch.gradients.get() + static_cast<std::size_t>(plane * 2 + axis) * pitch_;
    };
    int loaded = -2;  // the last row of samples there is
    const auto make = [&](int y) {
      for (int row = std::max(loaded + 1, y - 1); row <= y + 1; ++row)
        for (int plane = 0; plane < planes; ++plane)
          look_up(level.at(plane_of(plane), -1, row), samples_, sample_row(plane, row), width + 2);
      loaded = y + 1;
      for (int plane = 0; plane < planes; ++plane) {
        const float* row = sample_row(plane, y);
        subtract(row + 2, row, gradient(plane, 0), width);
        subtract(sample_row(plane, y + 1) + 1, sample_row(plane, y - 1) + 1, gradient(plane, 1),
                 width);
      }
      if (planes == 3)
        choose_row(gradient(0, 0), gradient(0, 1), gradient(1, 0), gradient(1, 1), gradient(2, 0),
                   gradient(2, 1), width);
      const std::size_t at = static_cast<std::size_t>(y % kRing) * pitch_;
      vote_row(gradient(0, 0), gradient(0, 1), scratch.lower.get() + at, scratch.upper.get() + at,
               scratch.slots.get() + at, width);
    };
    const float clip = dense_model().clip;
    each_group_row(band, make, [&](int i, const Sheet& s, int row, F4* out) {
      VoteRows rows{};
      for (int v = 0; v < kCell; ++v) {
        const std::size_t at = static_cast<std::size_t>((s.y + row * kCell + v) % kRing) * pitch_;
        rows.lower[v] = scratch.lower.get() + at;
        rows.upper[v] = scratch.upper.get() + at;
        rows.slots[v] = scratch.slots.get() + at;
      }
      add_group_row(rows, s, shares_, clip, scratch.tops.get() + area(i, band.columns) * kBins,
                    out);
    });
  }

  void pack(const Level& level, Scratch& scratch, int y) {
    const Byte* row = level.at(plane_of(0), 0, y);
    pack_row(row - 1, row + 1, row - level.row_stride, row + level.row_stride,
             scratch.packed.get() + static_cast<std::size_t>(y % kRing) * pitch_, level.width);
  }

  void make_cells(const Band& band, Scratch& scratch) {
    const Level& level = search_.pyramid.levels[static_cast<std::size_t>(band.level)];
    const float clip = dense_model().clip;
    each_group_row(
        band, [&](int y) { pack(level, scratch, y); },
        [&](int i, const Sheet& s, int row, F4* out) {
          const std::size_t line = area(s.columns + 1, kBins);
          std::uint32_t* const both = scratch.cells.get() + area(i, band.columns + 1) * 2 * kBins;
          std::uint32_t* const here = both + static_cast<std::size_t>(row % 2) * line;
          const std::uint32_t* const above = both + static_cast<std::size_t>((row + 1) % 2) * line;
          std::fill_n(here, line, 0U);
          for (int v = 0; v < kCell; ++v) {
            const std::uint16_t* packed =
                scratch.packed.get() +
                static_cast<std::size_t>((s.y + row * kCell + v) % kRing) * pitch_ + s.x;
            for (int c = 0; c <= s.columns; ++c)
              for (int u = 0; u < kCell; ++u) {
                const std::uint16_t p = packed[c * kCell + u];
                here[c * kBins + gradient::bin_of(p)] += gradient::magnitude_of(p);
              }
          }
          if (out == nullptr) return;
          for (int bx = 0; bx < s.columns; ++bx)
            store_cells(above + bx * kBins, here + bx * kBins, clip, out + bx, s.columns);
        });
  }

  /// An integral histogram of the band, on the grid where its cells begin and end. Sums may wrap
  /// around; the differences do not care.
  void make_integral(const Band& band, Scratch& scratch) {
    const Level& level = search_.pyramid.levels[static_cast<std::size_t>(band.level)];
    const LevelWindows& windows = search_.windows[static_cast<std::size_t>(band.level)];
    const int grid = plan_.grid, x0 = windows.first_x,
              y0 = windows.first_y + band.first_row * kCell;
    const int tiles = (level.width - x0) / grid;
    const int lines = std::min((band.rows + 2) * kCell, level.height - y0) / grid;
    const std::size_t pitch = area(tiles + 1, kBins);
    std::uint32_t* const integral = scratch.integral.get();
    std::fill_n(integral, pitch, 0U);
    for (int line = 0; line < lines; ++line) {
      const std::uint32_t* above = integral + area(line, 1) * pitch;
      std::uint32_t* here = integral + area(line + 1, 1) * pitch;
      std::fill_n(here, pitch, 0U);
      for (int v = 0; v < grid; ++v) {
        const int y = y0 + line * grid + v;
        pack(level, scratch, y);
        const std::uint16_t* packed =
            scratch.packed.get() + static_cast<std::size_t>(y % kRing) * pitch_ + x0;
        for (int tile = 0; tile < tiles; ++tile)
          for (int u = 0; u < grid; ++u) {
            const std::uint16_t p = packed[tile * grid + u];
            here[(tile + 1) * kBins + gradient::bin_of(p)] += gradient::magnitude_of(p);
          }
      }
      for (std::size_t i = kBins; i < pitch; ++i) here[i] += here[i - kBins];
      for (std::size_t i = 0; i < pitch; ++i) here[i] += above[i];
    }
    const int side = kCell / grid;
    for (int i = 0; i < band.sheets; ++i) {
      const Sheet& s = sheet(band.first_sheet + i);
      const int end = std::min(band.first_row + band.rows, s.rows);
      for (int row = band.first_row; row < end; ++row)
        for (int bx = 0; bx < s.columns; ++bx) {
          std::uint32_t cells[4 * kBins];
          for (int cell = 0; cell < 4; ++cell) {
            const int tile = (s.x - x0) / grid + (bx + cell % 2) * side;
            const int line =
                (s.y - windows.first_y) / grid + (row - band.first_row + cell / 2) * side;
            const std::uint32_t* a = integral + area(line, 1) * pitch + area(tile, kBins);
            const std::uint32_t* c = a + area(side, 1) * pitch;
            for (int bin = 0; bin < kBins; ++bin)
              cells[cell * kBins + bin] =
                  (c[side * kBins + bin] - c[bin]) - (a[side * kBins + bin] - a[bin]);
          }
          store_cells(cells, cells + 2 * kBins, dense_model().clip, block_row(s, row) + bx,
                      s.columns);
        }
    }
  }

  void score_strip(const Strip& strip) {
    const auto& m = dense_model();
    const Sheet& s = sheet(strip.sheet);
    const auto run = [&](int row, int column) {
      return WindowRun{
          block_row(s, s.first_by + row * s.step) + (s.first_bx + column * s.step),
          std::ptrdiff_t{s.columns} * kBins,
          s.columns,
          s.step,
          weights_.get(),
          m.blocks_x(),
          m.blocks_y(),
          m.bias,
          scores_.get() + (s.first_window + row * s.window_pitch + column * s.window_step),
          s.window_step};
    };
    const int end = strip.first_column + strip.columns;
    for (int row = strip.first_row; row < strip.first_row + strip.rows; ++row) {
      int column = strip.first_column;
      for (; column + kAtOnce <= end; column += kAtOnce) add_windows<kAtOnce>(run(row, column));
      for (; column + 2 <= end; column += 2) add_windows<2>(run(row, column));
      for (; column < end; ++column) add_windows<1>(run(row, column));
    }
  }

  Workers& workers_;
  Model model_;
  SearchPlan search_;
  DensePlan plan_;
  std::vector<Tasks> tasks_;  // by round
  float samples_[256] = {};
  F4 shares_[kCell] = {};
  int planes_ = 1;
  bool colour_ = false;
  std::size_t pitch_ = 0;  // of rows in scratch memory
  Room<F4> weights_, blocks_;
  Room<Byte> levels_;
  Room<float> scores_;
  std::vector<Scratch> scratch_;
  std::vector<Hit> hits_;
};

}  // namespace

Result<std::unique_ptr<Engine>> dense::make_dense_cpu(Workers& workers, Model model,
                                                      const SearchSettings& settings, int width,
                                                      int height, std::size_t round_values) {
  if (!std::holds_alternative<DenseModel>(model.kind))
    return Error{Errc::invalid_argument, 0, "dense engine", "the model is a cascade"};
  if (Status ok = validate(model); !ok) return ok.error();
  Result<SearchPlan> plan = plan_search(model.geometry(), settings, width, height);
  if (!plan) return plan.error();
  auto engine =
      std::make_unique<DenseCpu>(workers, std::move(model), *std::move(plan), round_values);
  if (Status ok = engine->allocate(); !ok) return ok.error();
  return std::unique_ptr<Engine>{std::move(engine)};
}

Result<std::unique_ptr<Engine>> make_dense_cpu(Workers& workers, Model model,
                                               const SearchSettings& settings, int width,
                                               int height) {
  return dense::make_dense_cpu(workers, std::move(model), settings, width, height, kRoundValues);
}

}  // namespace kerb::hog
