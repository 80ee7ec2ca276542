// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>

#include "gpu/hog/cascade_layout.hpp"
#include "gpu/hog/cascade_trees.hpp"
#include "gpu/hog/engine.hpp"
#include "gpu/image/pyramid.hpp"
#include "gpu/image/simd.hpp"
#include "gpu/image/to_luv.hpp"
#include "gpu/memory/no_memory.hpp"

namespace kerb::hog {
namespace {

using namespace simd;

/// Room behind a level's last row, for vectors that read past its end.
constexpr std::size_t kSlack = 64;

/// What one worker needs to search one level at a time.
struct Desk {
  /// `ring`: rows of nodes that a window needs; `trees`: the model is made of them.
  Desk(const GridSettings& settings, const SearchPlan& plan, int max_width, int ring, bool trees)
      : grid{settings, max_width, trees ? cpu::NodeLayout::planes : cpu::NodeLayout::records} {
    std::size_t samples = 0, numbers = 0;
    int columns = 0;
    for (const Level& level : plan.pyramid.levels) {
      samples = std::max(samples, static_cast<std::size_t>(level.row_stride) *
                                      (static_cast<std::size_t>(level.height) + 2));
      numbers = std::max(numbers, grid.size_of(level, ring));
    }
    for (const LevelWindows& w : plan.windows) columns = std::max(columns, w.columns);
    plane_size = samples + kSlack;
    planes.resize(plane_size * static_cast<std::size_t>(settings.planes()));
    nodes.resize(numbers + (trees ? CascadeTrees::slack(plan.stride / settings.grid) : 0));
    if (trees) row.emplace(columns, ring);
    scratch.resize(cpu::pyramid_scratch(plan.pyramid));
    if (!trees) alive.resize(static_cast<std::size_t>(columns));
  }

  /// A window that is still in the running.
  struct Candidate {
    std::int32_t column, votes;
    std::int64_t score;
  };
  cpu::GridHistogram grid;
  std::size_t plane_size = 0;
  std::vector<std::uint8_t> planes;
  std::vector<std::uint16_t> scratch;
  std::vector<std::uint32_t> nodes;
  std::vector<Candidate> alive;              // linear learners
  std::optional<CascadeTrees::Scratch> row;  // trees
};

/// The nodes that a row of windows looks at, in their ring.
struct Rows {
  const std::uint32_t* first;  // of the ring's first row
  std::ptrdiff_t pitch;
  int top, ring;  // the windows' first row of nodes is `top` there

  [[nodiscard]] std::ptrdiff_t offset(int row) const {
    const int at = top + row;
    return (at < ring ? at : at - ring) * pitch;
  }
};

struct Corners {
  U32x4 cell[4];
};

/// The four cells of a block, four channels at a time, from its 3 x 3 nodes.
KERB_INLINE Corners cells_of(const std::uint32_t* at, const std::ptrdiff_t (&o)[9]) {
  const auto n = [&](int i) { return load<U32x4>(at + o[i]); };
  const U32x4 middle = n(4);
  const U32x4 upper_left = n(1) - n(0), upper_right = n(2) - n(1);
  const U32x4 left = middle - n(3), right = n(5) - middle;
  const U32x4 lower_left = n(7) - n(6), lower_right = n(8) - n(7);
  return {{left - upper_left, right - upper_right, lower_left - left, lower_right - right}};
}

struct Products {
  F32x4 square, dot;
};

/// Of one window's block; see cascade_layout.hpp.
KERB_INLINE Products products_of(const std::uint32_t* at, const std::ptrdiff_t (&o)[9],
                                 const F32x4 (&w)[9]) {
  Products p{};
  const auto take = [&](U32x4 sums, F32x4 weight) {
    const F32x4 v = to_float(sums);
    p.square += v * v;
    p.dot += weight * v;
  };
  const Corners a = cells_of(at, o);
  for (int c = 0; c < 4; ++c) take(a.cell[c], w[c]);
  const Corners b = cells_of(at + 4, o);
  for (int c = 0; c < 4; ++c) take(b.cell[c], w[4 + c]);
  const Corners n = cells_of(at + 8, o);
  const U32x4 upper = __builtin_shufflevector(n.cell[0], n.cell[1], 0, 4, 1, 5);
  const U32x4 lower = __builtin_shufflevector(n.cell[2], n.cell[3], 0, 4, 1, 5);
  take(__builtin_shufflevector(upper, lower, 0, 1, 4, 5), w[8]);
  return p;
}

/// (v0 + v1) + (v2 + v3) of each of four vectors.
KERB_INLINE F32x4 sums_of(F32x4 a, F32x4 b, F32x4 c, F32x4 d) {
  const F32x4 ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  const F32x4 ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const F32x4 cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const F32x4 cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  const F32x4 v0 = __builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5);
  const F32x4 v1 = __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7);
  const F32x4 v2 = __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5);
  const F32x4 v3 = __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7);
  return (v0 + v1) + (v2 + v3);
}

std::int32_t slope_vote(float v, float slope) {
  const float clamped = std::min(std::max(v * slope, -kSlopeLimit), kSlopeLimit);
  return static_cast<std::int32_t>(std::nearbyintf(clamped));
}

class CascadeCpu final : public Engine {
 public:
  CascadeCpu(Workers& workers, Model model, SearchPlan plan, CascadeLayout layout)
      : workers_{workers},
        model_{std::move(model)},
        cascade_{std::get<CascadeModel>(model_.kind)},
        plan_{std::move(plan)},
        layout_{std::move(layout)},
        ring_{cascade_.geometry.window_height / layout_.grid.grid + 1} {
    int max_width = 1;
    for (const Level& level : plan_.pyramid.levels) max_width = std::max(max_width, level.width);
    const bool trees = cascade_.linear.empty();
    for (int i = 0; i < workers_.count(); ++i)
      desks_.emplace_back(layout_.grid, plan_, max_width, ring_, trees);
    if (trees) {
      const cpu::GridHistogram& grid = desks_.front().grid;
      const auto pitch = static_cast<std::ptrdiff_t>(grid.pitch(Level{}));  // of every level
      trees_.emplace(cascade_, layout_,
                     CascadeTrees::Shape{grid.plane(), pitch, plan_.stride / layout_.grid.grid});
    }
    level_hits_.resize(plan_.pyramid.levels.size());
    for (std::size_t i = 0; i < level_hits_.size(); ++i) {
      const LevelWindows& w = plan_.windows[i];
      level_hits_[i].reserve(static_cast<std::size_t>(w.columns) *
                             static_cast<std::size_t>(w.rows));
    }
    hits_.reserve(static_cast<std::size_t>(plan_.window_count));
    if (layout_.grid.colour)
      luv_.resize(3 * static_cast<std::size_t>(plan_.pyramid.width) *
                  static_cast<std::size_t>(plan_.pyramid.height));
    octave_size_ = plan_.pyramid.samples - plan_.pyramid.octaves_at();
    octaves_.resize(octave_size_ * static_cast<std::size_t>(layout_.grid.planes()));
  }

  Result<Hits> search(const Picture<Space::host>& picture, float threshold) override {
    if (Status ok = prepare(picture); !ok) return ok.error();
    threshold_ = threshold;
    workers_.run(static_cast<int>(plan_.pyramid.levels.size()), [&](int level, int worker) {
      search_level(static_cast<std::size_t>(level), desks_[static_cast<std::size_t>(worker)],
                   nullptr);
    });
    hits_.clear();
    for (const std::vector<Hit>& hits : level_hits_)
      hits_.insert(hits_.end(), hits.begin(), hits.end());
    return Hits{hits_.data(), static_cast<int>(hits_.size())};
  }

  Result<Hits> search(const Picture<Space::device>&, float) override {
    return Error{Errc::unsupported, 0, "cascade", "this engine works on the CPU"};
  }

  Result<Work> count_work(const Picture<Space::host>& picture) override {
    if (Status ok = prepare(picture); !ok) return ok.error();
    Work work;
    work.windows = plan_.window_count;
    work.windows_at_stage.resize(cascade_.stages.size());
    for (std::size_t i = 0; i < plan_.pyramid.levels.size(); ++i)
      search_level(i, desks_.front(), &work);
    for (std::size_t i = 0; i < cascade_.stages.size(); ++i)
      work.learners += work.windows_at_stage[i] * cascade_.stages[i].count;
    return work;
  }

  [[nodiscard]] const SearchPlan& plan() const noexcept override { return plan_; }
  [[nodiscard]] const Model& model() const noexcept override { return model_; }
  [[nodiscard]] Backend backend() const noexcept override { return Backend::cpu; }
  [[nodiscard]] std::size_t device_bytes() const noexcept override { return 0; }

 private:
  using Plane = ImageView<Space::host, const std::uint8_t>;

  [[nodiscard]] bool fits(int width, int height, std::ptrdiff_t row_stride) const {
    return width == plan_.pyramid.width && height == plan_.pyramid.height && row_stride >= width;
  }

  /// Checks the picture; sets planes_ to the grey one, or L, U and V; makes their octaves.
  Status prepare(const Picture<Space::host>& picture) {
    if (Status ok = take_planes(picture); !ok) return ok;
    for (int p = 0; p < layout_.grid.planes(); ++p)
      cpu::pyramid_octaves(workers_, plan_.pyramid, planes_[p],
                           octaves_.data() + static_cast<std::size_t>(p) * octave_size_);
    return Done{};
  }

  Status take_planes(const Picture<Space::host>& picture) {
    const Error refused{Errc::invalid_argument, 0, "cascade", "a picture of another size"};
    if (!layout_.grid.colour) {
      planes_[0] = picture.grey;
      const Plane& grey = planes_[0];
      return grey.data != nullptr && fits(grey.width, grey.height, grey.row_stride)
                 ? Status{Done{}}
                 : Status{refused};
    }
    const auto& rgb = picture.rgb;
    if (rgb.data == nullptr || rgb.count != 3)
      return Error{Errc::invalid_argument, 0, "cascade", "the model needs colour"};
    if (!fits(rgb.width, rgb.height, rgb.row_stride)) return refused;
    constexpr int kRows = 64;
    const std::ptrdiff_t width = rgb.width, plane = width * rgb.height;
    std::atomic<bool> ok{true};
    workers_.run((rgb.height + kRows - 1) / kRows, [&](int task, int) {
      const int y = task * kRows, rows = std::min(kRows, rgb.height - y);
      const bool done = static_cast<bool>(cpu::to_luv(
          {rgb.data + y * rgb.row_stride, 3, rgb.width, rows, rgb.row_stride, rgb.plane_stride},
          {luv_.data() + y * width, 3, rgb.width, rows, width, plane}));
      if (!done) ok = false;
    });
    if (!ok) return refused;
    for (int p = 0; p < 3; ++p)
      planes_[p] = {luv_.data() + p * plane, rgb.width, rgb.height, width};
    return Done{};
  }

  void search_level(std::size_t index, Desk& desk, Work* work) {
    const Level& level = plan_.pyramid.levels[index];
    const LevelWindows& windows = plan_.windows[index];
    const std::uint8_t* planes[3] = {};
    for (int p = 0; p < layout_.grid.planes(); ++p) {
      std::uint8_t* plane = desk.planes.data() + static_cast<std::size_t>(p) * desk.plane_size;
      const std::uint8_t* octaves = octaves_.data() + static_cast<std::size_t>(p) * octave_size_;
      cpu::pyramid_level(plan_.pyramid, level,
                         cpu::pyramid_source(plan_.pyramid, level, planes_[p], octaves), plane,
                         desk.scratch.data());
      planes[p] = plane;
    }
    std::vector<Hit>& hits = level_hits_[index];
    hits.clear();
    const auto pitch = static_cast<std::ptrdiff_t>(desk.grid.pitch(level));
    const int grid = layout_.grid.grid;
    const std::ptrdiff_t step = std::ptrdiff_t{plan_.stride / grid} * desk.grid.lanes();
    int built = 0;
    for (int row = 0; row < windows.rows; ++row) {
      const int x = windows.first_x / grid;
      const int y = (windows.first_y + row * plan_.stride) / grid;
      // Only what this row of windows needs more than the last: it is still in the cache then.
      const int needed = y + cascade_.geometry.window_height / grid;
      desk.grid.build_rows(level, planes, desk.nodes.data(), ring_, built, needed);
      built = needed;
      const int first = windows.first_window + row * windows.columns;
      const auto take = [&](std::int32_t column, std::int64_t votes) {
        const float score = static_cast<float>(votes) * kVoteUnit;
        if (score >= threshold_) hits.push_back({first + column, score});
      };
      if (trees_) {
        const Rows rows{desk.nodes.data() + x, pitch, y % ring_, ring_};
        for (int i = 0; i < ring_; ++i)
          desk.row->row_at[static_cast<std::size_t>(i)] = rows.offset(i);
        trees_->search(rows.first, windows.columns, *desk.row, work);
        for (const auto& passed : desk.row->passed) take(passed.column, passed.score);
        continue;
      }
      const Rows rows{desk.nodes.data() + x * desk.grid.lanes(), pitch, y % ring_, ring_};
      const int passed = search_row(rows, step, windows.columns, desk, work);
      for (int i = 0; i < passed; ++i) {
        const Desk::Candidate& c = desk.alive[static_cast<std::size_t>(i)];
        take(c.column, c.score);
      }
    }
  }

  /// Stage by stage over all windows of a row that are left; learner by learner within a stage, so
  /// that its weights stay in registers. Returns how many pass all; they are in desk.alive, in
  /// order.
  int search_row(const Rows& rows, std::ptrdiff_t step, int columns, Desk& desk, Work* work) const {
    Desk::Candidate* alive = desk.alive.data();
    for (int i = 0; i < columns; ++i) alive[i] = {i, 0, 0};
    int count = columns;
    for (std::size_t s = 0; s < cascade_.stages.size() && count > 0; ++s) {
      const Stage& stage = cascade_.stages[s];
      if (work != nullptr) work->windows_at_stage[s] += count;
      for (int i = stage.first; i < stage.first + stage.count; ++i) {
        add_linear(layout_.linear[static_cast<std::size_t>(i)], rows, step, desk.grid.lanes(),
                   alive, count);
      }
      int left = 0;
      for (int i = 0; i < count; ++i) {
        Desk::Candidate c = alive[i];
        if (c.votes < stage.threshold) continue;
        const std::int64_t margin = std::int64_t{c.votes} - stage.threshold;
        if (cascade_.cumulative) {
          c.score = margin;
        } else {
          c.score += margin;
          c.votes = 0;
        }
        alive[left++] = c;
      }
      count = left;
    }
    return count;
  }

  static void add_linear(const GridLinear& l, const Rows& rows, std::ptrdiff_t step, int lanes,
                         Desk::Candidate* alive, int count) {
    std::ptrdiff_t o[9];
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i)
        o[3 * j + i] = rows.offset(l.y[j]) + std::ptrdiff_t{l.x[i]} * lanes;
    F32x4 w[9];
    for (int k = 0; k < 9; ++k) w[k] = load<F32x4>(l.weights + 4 * k);
    // Four windows share the root and the division.
    for (int i = 0; i < count; i += 4) {
      const int group = std::min(4, count - i);
      Products p[4];
      for (int k = 0; k < 4; ++k)
        p[k] = products_of(rows.first + alive[i + std::min(k, group - 1)].column * step, o, w);
      const F32x4 dot = sums_of(p[0].dot, p[1].dot, p[2].dot, p[3].dot);
      const F32x4 norm =
          square_root(sums_of(p[0].square, p[1].square, p[2].square, p[3].square)) + 1.0F;
      const F32x4 v = dot / norm - l.offset;
      for (int k = 0; k < group; ++k) {
        alive[i + k].votes += v[k] >= 0 ? l.pass : l.fail;
        if (l.slope != 0) alive[i + k].votes += slope_vote(v[k], l.slope);
      }
    }
  }

  Workers& workers_;
  Model model_;
  const CascadeModel& cascade_;
  SearchPlan plan_;
  CascadeLayout layout_;
  int ring_;  // rows of nodes that a window needs
  std::vector<Desk> desks_;
  std::optional<CascadeTrees> trees_;  // in place of linear learners
  std::vector<std::vector<Hit>> level_hits_;
  std::vector<Hit> hits_;
  std::vector<std::uint8_t> luv_;  // colour only
  std::vector<std::uint8_t> octaves_;
  std::size_t octave_size_ = 0;  // of one plane
  Plane planes_[3];
  float threshold_ = 0;
};

}  // namespace

Result<std::unique_ptr<Engine>> make_cascade_cpu(Workers& workers, Model model,
                                                 const SearchSettings& settings, int width,
                                                 int height) {
  return or_no_memory("cascade", [&]() -> Result<std::unique_ptr<Engine>> {
    Result<CascadeLayout> layout = lay_out(model, settings.stride);
    if (!layout) return layout.error();
    Result<SearchPlan> plan = plan_search(model.geometry(), settings, width, height);
    if (!plan) return plan.error();
    return std::unique_ptr<Engine>{std::make_unique<CascadeCpu>(
        workers, std::move(model), std::move(*plan), std::move(*layout))};
  });
}

}  // namespace kerb::hog
