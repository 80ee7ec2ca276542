// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "gpu/flow/lucas_kanade_pyramid_cuda.cuh"
#include "gpu/flow/median25.hpp"
#include "gpu/memory/buffer.hpp"
#include "gpu/memory/cuda_status.hpp"
#include "gpu/memory/graph_cuda.hpp"

// A frame is one graph: the two pyramids, then a launch for each iteration of each level. A block
// takes a tile of a level through a whole iteration in shared memory: the vectors in (of the level
// above for a level's first), the second picture warped, the terms of every pixel, windows and
// solutions, medians. The last launch writes the field itself.
namespace kerb::flow {
namespace {

using namespace lk;

constexpr const char* kWhere = "Lucas-Kanade";
using Packed = std::uint32_t;  // a vector: u low, v high, 16 bits each

/// How a block goes through its tile: `Run` rows of a column are solved by one thread, one after
/// the other.
template <int Tile, int Run, int Threads>
struct Shape {
  static constexpr int kTile = Tile;
  static constexpr int kWarped = kTile + 2 * kHalo;                            // columns and rows
  static constexpr int kTermed = kTile + 2 * (kMedianRadius + kWindowRadius);  // ...
  static constexpr int kSolved = kTile + 2 * kMedianRadius;                    // ...
  static constexpr int kRun = Run, kThreads = Threads;
  static_assert(kSolved % kRun == 0 && kSolved * (kSolved / kRun) <= kThreads);
  static constexpr std::size_t shared_bytes(int planes) {
    return sizeof(float) *
           (3 * kWarped * kWarped + static_cast<std::size_t>(planes) * kTermed * kTermed);
  }
};
/// Large tiles do the least twice, at their borders. A level with too few of them for the device
/// takes smaller ones, whose every step is one pass of the block: there latency is what counts.
using Large = Shape<32, 3, 512>;
using Medium = Shape<16, 2, 352>;
using Small = Shape<8, 1, 352>;

__device__ __forceinline__ int u_of(Packed p) {
  return static_cast<int>(static_cast<std::int16_t>(p & 0xFFFFU));
}
__device__ __forceinline__ int v_of(Packed p) {
  return static_cast<int>(static_cast<std::int16_t>(p >> 16));
}
__device__ __forceinline__ Packed packed(int u, int v) {
  return (static_cast<Packed>(u) & 0xFFFFU) | (static_cast<Packed>(v) << 16);
}
/// A warp for each cell.
__global__ void cells_kernel(Mask<Space::device> mask, int cells_x, int cells_y,
                             std::uint8_t* cells) {
  const int cell = static_cast<int>(blockIdx.x * blockDim.y + threadIdx.y);
  if (cell >= cells_x * cells_y) return;
  const int x0 = cell % cells_x * kCell, y0 = cell / cells_x * kCell;
  const int lane = static_cast<int>(threadIdx.x);
  bool any = false;
  for (int k = lane; k < kCell * kCell; k += 32) {
    const int x = x0 + k % kCell, y = y0 + k / kCell;
    if (x < mask.width && y < mask.height) any = any || mask.data[y * mask.row_stride + x] != 0;
  }
  any = __any_sync(0xFFFFFFFFU, any) != 0;
  if (lane == 0) cells[cell] = any ? 1 : 0;
}

/// The lesser first, of u and of v.
__device__ __forceinline__ void in_order(Packed& a, Packed& b) {
  const Packed low = __vmins2(a, b);
  b = __vmaxs2(a, b);
  a = low;
}
/// The least to the front, the greatest to the end.
template <int kCount>
__device__ __forceinline__ void to_ends(Packed* v) {
#pragma unroll
  for (int i = 0; i < kCount / 2; ++i) in_order(v[i], v[kCount - 1 - i]);
#pragma unroll
  for (int i = 1; i < (kCount + 1) / 2; ++i) in_order(v[0], v[i]);
#pragma unroll
  for (int i = kCount / 2; i < kCount - 1; ++i) in_order(v[i], v[kCount - 1]);
}

/// The medians of the first five and of the last five of six rows of five, `at(0)` to `at(29)`, by
/// forgetting: of 14 of 25 values neither the least nor the greatest can be it, nor of 13 and one
/// more, and so on. The four rows in the middle are both medians', so they go first.
template <typename At>
__device__ __forceinline__ void median_pair(const At& at, Packed& upper, Packed& lower) {
  Packed v[14];
#pragma unroll
  for (int i = 0; i < 14; ++i) v[i] = at(5 + i);
  to_ends<14>(v);
  v[0] = at(19);
  to_ends<13>(v);
  v[0] = at(20);
  to_ends<12>(v);
  v[0] = at(21);
  to_ends<11>(v);
  v[0] = at(22);
  to_ends<10>(v);
  v[0] = at(23);
  to_ends<9>(v);
  v[0] = at(24);
  to_ends<8>(v);  // v[1] to v[6] remain
  const auto finish = [&](int own) {
    Packed w[7];
#pragma unroll
    for (int i = 1; i < 7; ++i) w[i] = v[i];
    w[0] = at(own);
    to_ends<7>(w);
    w[0] = at(own + 1);
    to_ends<6>(w);
    w[0] = at(own + 2);
    to_ends<5>(w);
    w[0] = at(own + 3);
    to_ends<4>(w);
    w[0] = at(own + 4);
    to_ends<3>(w);
    return w[1];
  };
  upper = finish(0);
  lower = finish(25);
}

struct Cells {
  const std::uint8_t* data;  // nullptr: all wanted
  int columns, rows;
};

struct Iteration {
  int width, height, stride, shift, radius, reach;
  const Sample *first, *second;  // of both pictures, at (0, 0)
  const Packed* in;
  int in_stride, in_width, in_height;  // of `in`
  enum { start, level_above, same_level } from;
  Packed* out;
  float prior;
  Cells cells;
};
struct Judgement {
  float texture;
  FieldView<Space::device> out;
  Mask<Space::device> mask;
  const Packed* back;  // nullptr: not checked
  float back_limit;
};

__device__ __forceinline__ Packed vector_in(const Iteration& it, int x, int y) {
  if (it.from == Iteration::start) return 0;
  if (it.from == Iteration::same_level)
    return it.in[static_cast<std::ptrdiff_t>(y) * it.in_stride + x];
  const int near_x = x / 2, near_y = y / 2;
  const int far_x = clamped(x % 2 == 0 ? near_x - 1 : near_x + 1, it.in_width - 1);
  const int far_y = clamped(y % 2 == 0 ? near_y - 1 : near_y + 1, it.in_height - 1);
  const Packed* n = it.in + static_cast<std::ptrdiff_t>(near_y) * it.in_stride;
  const Packed* f = it.in + static_cast<std::ptrdiff_t>(far_y) * it.in_stride;
  const Packed near = n[near_x], beside = n[far_x], over = f[near_x], across = f[far_x];
  return packed(reached(doubled(u_of(near), u_of(beside), u_of(over), u_of(across)), it.reach),
                reached(doubled(v_of(near), v_of(beside), v_of(over), v_of(across)), it.reach));
}

__device__ __forceinline__ int warped_at(const Iteration& it, int px, int py) {
  const CubicWeights wx = cubic_weights(px & (kUnit - 1)), wy = cubic_weights(py & (kUnit - 1));
  const Sample* p = it.second + static_cast<std::ptrdiff_t>(py >> kUnitShift) * it.stride +
                    (px >> kUnitShift) - 1;
  int column[4];
#pragma unroll
  for (int k = 0; k < 4; ++k)
    column[k] = cubic_column(p[k - it.stride], p[k], p[k + it.stride], p[k + 2 * it.stride], wy);
  return cubic_row(column[0], column[1], column[2], column[3], wx);
}

template <typename S>
__device__ __forceinline__ void write_none(const Iteration& it, const Judgement& judge, int x0,
                                           int y0) {
  constexpr int kTile = S::kTile, kThreads = S::kThreads;
  for (int k = static_cast<int>(threadIdx.x); k < kTile * kTile; k += kThreads) {
    const int x = x0 + k % kTile, y = y0 + k / kTile;
    if (x >= it.width || y >= it.height) continue;
    const std::ptrdiff_t at = y * judge.out.row_stride + x;
    judge.out.u[at] = judge.out.v[at] = 0.0F;
    if (judge.out.quality != nullptr) judge.out.quality[at] = 0;
    if (judge.out.flags != nullptr) judge.out.flags[at] = kMaskedOut;
  }
}

template <bool kJudge, typename S>
__global__ void __launch_bounds__(S::kThreads, 3) iterate_kernel(Iteration it, Judgement judge) {
  constexpr int kTile = S::kTile, kWarped = S::kWarped, kTermed = S::kTermed;
  constexpr int kSolved = S::kSolved, kRun = S::kRun, kThreads = S::kThreads;
  constexpr int kPlanes = kJudge ? 6 : 5;
  extern __shared__ float shared[];
  Packed* const vectors = reinterpret_cast<Packed*>(shared);
  float* const differences = shared + kWarped * kWarped;
  float* const sums = differences + kWarped * kWarped;
  float* const terms = sums + kWarped * kWarped;
  Packed* const raw = reinterpret_cast<Packed*>(differences);              // these are done by then
  std::uint16_t* const verdicts = reinterpret_cast<std::uint16_t*>(sums);  // ...
  const int x0 = static_cast<int>(blockIdx.x) * kTile, y0 = static_cast<int>(blockIdx.y) * kTile;
  const int thread = static_cast<int>(threadIdx.x);
  const int last_x = it.width - 1, last_y = it.height - 1;

  if (it.cells.data != nullptr) {
    const CellRange near = cells_near(x0, y0, min(x0 + kTile, it.width), min(y0 + kTile, it.height),
                                      it.radius, it.shift, it.cells.columns, it.cells.rows);
    const int columns = near.x1 - near.x0, count = columns * (near.y1 - near.y0);
    bool any = false;
    for (int k = thread; k < count && !any; k += kThreads)
      any = it.cells.data[(near.y0 + k / columns) * it.cells.columns + near.x0 + k % columns] != 0;
    if (__syncthreads_or(any ? 1 : 0) == 0) {
      if constexpr (kJudge) write_none<S>(it, judge, x0, y0);
      return;
    }
  }

  // Vectors in, and the pictures' difference and sum along them. Beyond the picture: its edge's.
  for (int k = thread; k < kWarped * kWarped; k += kThreads) {
    const int x = clamped(x0 - kHalo + k % kWarped, last_x);
    const int y = clamped(y0 - kHalo + k / kWarped, last_y);
    const Packed vector = vector_in(it, x, y);
    vectors[k] = vector;
    const int px = clamped(x * kUnit + u_of(vector), last_x * kUnit);
    const int py = clamped(y * kUnit + v_of(vector), last_y * kUnit);
    const int warped = warped_at(it, px, py);
    const int here = it.first[static_cast<std::ptrdiff_t>(y) * it.stride + x];
    differences[k] = difference(warped, here);
    sums[k] = sum(warped, here);
  }
  __syncthreads();

  // What each pixel adds to windows.
  for (int k = thread; k < kTermed * kTermed; k += kThreads) {
    const int x = clamped(x0 - kMedianRadius - kWindowRadius + k % kTermed, last_x);
    const int y = clamped(y0 - kMedianRadius - kWindowRadius + k / kTermed, last_y);
    const int at = (y - y0 + kHalo) * kWarped + (x - x0 + kHalo);
    const float* d = differences + at;
    const float* m = sums + at;
    const float rx = gradient(d[-2], d[-1], d[1], d[2]);
    const float ry = gradient(d[-2 * kWarped], d[-kWarped], d[kWarped], d[2 * kWarped]);
    const float a = second(m[-1], m[0], m[1]);
    const float c = second(m[-kWarped], m[0], m[kWarped]);
    const float b = mixed(m[-kWarped - 1], m[-kWarped + 1], m[kWarped - 1], m[kWarped + 1]);
    const Packed vector = vectors[at];
    const bool outside = is_outside(x, y, u_of(vector), v_of(vector), it.width, it.height);
    const Terms t = lk::terms(rx, ry, a, b, c, outside ? 0.0F : 1.0F);
    terms[k] = t.a11;
    terms[k + kTermed * kTermed] = t.a12;
    terms[k + 2 * kTermed * kTermed] = t.a22;
    terms[k + 3 * kTermed * kTermed] = t.b1;
    terms[k + 4 * kTermed * kTermed] = t.b2;
    if (kJudge) terms[k + 5 * kTermed * kTermed] = t.misfit;
  }
  __syncthreads();

  // Windows and solutions: a thread for kRun rows of a column. What lies beyond the picture is
  // made from its edge, below.
  if (thread < kSolved * (kSolved / kRun)) {
    const int column = thread % kSolved, begin = thread / kSolved * kRun;
    const int x = clamped(x0 - kMedianRadius + column, last_x);
    const float* const left = terms + (x - x0 + kMedianRadius);  // of the window, in a row
    float above[kPlanes], here[kPlanes], below[kPlanes];
    const auto row_sum = [&](int y, float(&out)[kPlanes]) {
      const float* p = left + (clamped(y, last_y) - y0 + kMedianRadius + kWindowRadius) * kTermed;
#pragma unroll
      for (int i = 0; i < kPlanes; ++i)
        out[i] = window3(p[i * kTermed * kTermed], p[i * kTermed * kTermed + 1],
                         p[i * kTermed * kTermed + 2]);
    };
    const int top = y0 - kMedianRadius + begin;
    int before = clamped(top, last_y);
    row_sum(before - 1, above);
    row_sum(before, here);
    row_sum(before + 1, below);
#pragma unroll
    for (int j = 0; j < kRun; ++j) {
      const int y = clamped(top + j, last_y);
      if (y != before) {  // one further down
#pragma unroll
        for (int i = 0; i < kPlanes; ++i) {
          above[i] = here[i];
          here[i] = below[i];
        }
        row_sum(y + 1, below);
        before = y;
      }
      Terms t;
      t.a11 = window3(above[0], here[0], below[0]);
      t.a12 = window3(above[1], here[1], below[1]);
      t.a22 = window3(above[2], here[2], below[2]);
      t.b1 = window3(above[3], here[3], below[3]);
      t.b2 = window3(above[4], here[4], below[4]);
      t.misfit = kJudge ? window3(above[kPlanes - 1], here[kPlanes - 1], below[kPlanes - 1]) : 0.0F;
      const Packed* const v = vectors + (y - y0 + kHalo) * kWarped + (x - x0 + kHalo);
      int sum_u = 0, sum_v = 0;
#pragma unroll
      for (int n = 0; n < 9; ++n) {
        if (n == 4) continue;
        const Packed one = v[(n / 3 - 1) * kWarped + n % 3 - 1];
        sum_u += u_of(one);
        sum_v += v_of(one);
      }
      const Vector out =
          solved(t, u_of(v[0]), v_of(v[0]), sum_u, sum_v, it.prior, static_cast<float>(it.reach));
      raw[(begin + j) * kSolved + column] = packed(out.u, out.v);
      if (kJudge) {
        const Verdict said = verdict(t, judge.texture);
        verdicts[(begin + j) * kSolved + column] =
            static_cast<std::uint16_t>(said.quality | (said.flags << 8));
      }
    }
  }
  __syncthreads();

  // Medians of u and of v, both at once.
  const auto write = [&](int column, int row, Packed vector) {
    const int x = x0 + column, y = y0 + row;
    if (x > last_x || y > last_y) return;
    if (!kJudge) {
      it.out[static_cast<std::ptrdiff_t>(y) * it.stride + x] = vector;
      return;
    }
    const std::ptrdiff_t at = y * judge.out.row_stride + x;
    const bool wanted =
        judge.mask.data == nullptr || judge.mask.data[y * judge.mask.row_stride + x] != 0;
    const Vector one = made_whole(it.first, it.second, it.stride, x, y, u_of(vector), v_of(vector),
                                  it.width, it.height);
    const int u = one.u, v = one.v;
    const unsigned said = verdicts[(row + kMedianRadius) * kSolved + column + kMedianRadius];
    unsigned doubts = said >> 8;
    if (is_outside(x, y, u, v, it.width, it.height)) {
      doubts |= kOutOfView;
    } else if (judge.back != nullptr) {
      const Packed back = judge.back[static_cast<std::ptrdiff_t>(nearest_pixel(y, v)) * it.stride +
                                     nearest_pixel(x, u)];
      if (!leads_back(u, v, u_of(back), v_of(back), judge.back_limit)) doubts |= kInconsistent;
    }
    constexpr float kScale = 1.0F / kUnit;
    judge.out.u[at] = wanted ? static_cast<float>(u) * kScale : 0.0F;
    judge.out.v[at] = wanted ? static_cast<float>(v) * kScale : 0.0F;
    if (judge.out.quality != nullptr)
      judge.out.quality[at] = static_cast<std::uint8_t>(wanted ? said & 0xFFU : 0U);
    if (judge.out.flags != nullptr)
      judge.out.flags[at] =
          static_cast<std::uint8_t>(wanted ? (doubts == 0 ? static_cast<unsigned>(kValid) : doubts)
                                           : static_cast<unsigned>(kMaskedOut));
  };
  // Two pixels at once where there are enough for all threads; else latency is what counts.
  if constexpr (kTile * kTile / 2 >= kThreads) {
    for (int k = thread; k < kTile * kTile / 2; k += kThreads) {
      const int column = k % kTile, row = k / kTile * 2;
      const Packed* const near = raw + row * kSolved + column;
      Packed upper = 0, lower = 0;
      median_pair([&](int i) { return near[i / 5 * kSolved + i % 5]; }, upper, lower);
      write(column, row, upper);
      write(column, row + 1, lower);
    }
  } else {
    for (int k = thread; k < kTile * kTile; k += kThreads) {
      const int column = k % kTile, row = k / kTile;
      const Packed* const near = raw + row * kSolved + column;
      write(column, row,
            median25<Packed>([&](int i) { return near[i / 5 * kSolved + i % 5]; },
                                 [](Packed& a, Packed& b) { in_order(a, b); }));
    }
  }
}

// --- the frame -----------------------------------------------------------------------------------

/// What a recorded graph has written into it.
struct Key {
  Picture<Space::device> previous, next;
  Mask<Space::device> mask;
  FieldView<Space::device> out;
};
template <typename View>
bool same_view(const View& a, const View& b) {
  return a.data == b.data && a.row_stride == b.row_stride;
}
bool same(const Key& a, const Key& b) {
  return same_view(a.previous, b.previous) && same_view(a.next, b.next) &&
         same_view(a.mask, b.mask) && a.out.u == b.out.u && a.out.v == b.out.v &&
         a.out.quality == b.out.quality && a.out.flags == b.out.flags &&
         a.out.row_stride == b.out.row_stride;
}

class LucasKanadeCuda final : public Estimator {
 public:
  LucasKanadeCuda(const Context& context, const LucasKanadeSettings& settings, int width,
                  int height)
      : context_{context}, settings_{settings}, plan_{make_plan(settings, width, height)} {
    graphs_.reserve(kRoom);
    levels_.count = static_cast<int>(plan_.levels.size());
    std::copy(plan_.levels.begin(), plan_.levels.end(), levels_.of);
    cells_x_ = (width + kCell - 1) / kCell;
    cells_y_ = (height + kCell - 1) / kCell;
  }

  Status allocate() {
    if (Status ok = allow_shared<Large>(); !ok) return ok;
    if (Status ok = allow_shared<Medium>(); !ok) return ok;
    if (Status ok = allow_shared<Small>(); !ok) return ok;
    const std::size_t pixels =
        static_cast<std::size_t>(width()) * static_cast<std::size_t>(height());
    for (DeviceBuffer<Sample>& picture : pictures_)
      if (Status ok = make(picture, plan_.samples); !ok) return ok;
    for (int i = 0; i < (settings_.check_back ? 3 : 2); ++i)
      if (Status ok = make(vectors_[i], plan_.vectors); !ok) return ok;
    if (Status ok =
            make(cells_, static_cast<std::size_t>(cells_x_) * static_cast<std::size_t>(cells_y_));
        !ok)
      return ok;
    if (Status ok = make(input_, 3 * pixels); !ok) return ok;
    Result<FlowField> field = FlowField::create(context_, width(), height());
    if (!field) return field.error();
    field_ = std::move(*field);
    return wait(context_.stream());
  }

  using Estimator::run;
  Status run(const Picture<Space::host>& previous, const Picture<Space::host>& next,
             const Mask<Space::host>& mask, const FieldView<Space::host>& out) override {
    if (Status ok = check_pair(kWhere, width(), height(), previous, next, mask, out); !ok)
      return ok;
    Picture<Space::device> there[3];
    if (Status ok = upload_picture(0, previous, there[0]); !ok) return ok;
    if (Status ok = upload_picture(1, next, there[1]); !ok) return ok;
    if (mask.data != nullptr) {
      if (Status ok = upload_picture(2, mask, there[2]); !ok) return ok;
    }
    if (Status ok = run(there[0], there[1], there[2], field_.device()); !ok) return ok;
    if (Status ok = field_.to_host(context_.stream()); !ok) return ok;
    if (Status ok = wait(context_.stream()); !ok) return ok;
    const FieldView<Space::host> from = field_.host();
    const auto columns = static_cast<std::size_t>(width());
    for (int y = 0; y < height(); ++y) {
      const std::ptrdiff_t source = y * from.row_stride, to = y * out.row_stride;
      std::memcpy(out.u + to, from.u + source, columns * sizeof(float));
      std::memcpy(out.v + to, from.v + source, columns * sizeof(float));
      if (out.quality != nullptr) std::memcpy(out.quality + to, from.quality + source, columns);
      if (out.flags != nullptr) std::memcpy(out.flags + to, from.flags + source, columns);
    }
    return Done{};
  }

  Status run(const Picture<Space::device>& previous, const Picture<Space::device>& next,
             const Mask<Space::device>& mask, const FieldView<Space::device>& out) override {
    if (Status ok = check_pair(kWhere, width(), height(), previous, next, mask, out); !ok)
      return ok;
    const Key key{previous, next, mask, out};
    for (const Entry& entry : graphs_)
      if (same(entry.key, key)) return entry.graph.launch(context_.stream());
    Result<Graph> graph =
        Graph::record(context_.stream(), [&](StreamRef stream) { return queue(stream, key); });
    if (!graph) return graph.error();
    if (graphs_.size() == kRoom) graphs_.erase(graphs_.begin());  // ever new places: the oldest
    graphs_.push_back({key, std::move(*graph)});
    return graphs_.back().graph.launch(context_.stream());
  }

  [[nodiscard]] const char* name() const noexcept override { return "lk"; }
  [[nodiscard]] Backend backend() const noexcept override { return Backend::cuda; }
  [[nodiscard]] std::size_t bytes() const noexcept override {
    return 2 * sizeof(Sample) * plan_.samples +
           (settings_.check_back ? 3 : 2) * sizeof(Packed) * plan_.vectors + cells_.size() +
           input_.size() + 2 * field_.bytes();
  }

 private:
  static constexpr std::size_t kRoom = 40;
  struct Entry {
    Key key;
    Graph graph;
  };

  [[nodiscard]] int width() const { return plan_.levels[0].width; }
  [[nodiscard]] int height() const { return plan_.levels[0].height; }

  /// Zero at first: with a mask, vectors that are not needed are read, though not used.
  template <typename T>
  Status make(DeviceBuffer<T>& buffer, std::size_t count) {
    Result<DeviceBuffer<T>> made = DeviceBuffer<T>::create(context_, count);
    if (!made) return made.error();
    buffer = std::move(*made);
    return runtime::fill(context_.stream().get(), buffer.device_data(), 0, count * sizeof(T));
  }

  Status upload_picture(int which, const Picture<Space::host>& from, Picture<Space::device>& to) {
    const auto columns = static_cast<std::size_t>(width());
    const auto rows = static_cast<std::size_t>(height());
    std::uint8_t* const at =
        input_.device_data() + columns * rows * static_cast<std::size_t>(which);
    to = {at, width(), height(), width()};
    return runtime::copy_rows(context_.stream().get(), runtime::Direction::to_device, at, columns,
                              from.data, static_cast<std::size_t>(from.row_stride), columns, rows);
  }

  template <typename S>
  static Status allow_shared() {
    for (const auto& [kernel, planes] :
         {std::pair{iterate_kernel<false, S>, 5}, std::pair{iterate_kernel<true, S>, 6}})
      if (Status ok =
              cuda_status(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                               static_cast<int>(S::shared_bytes(planes))),
                          "shared memory for Lucas-Kanade");
          !ok)
        return ok;
    return Done{};
  }

  /// Whether the level has a tile for each multiprocessor.
  template <typename S>
  [[nodiscard]] bool fills(const Level& level) const {
    return div_up(level.width, S::kTile) * div_up(level.height, S::kTile) >=
           static_cast<unsigned>(context_.info().multiprocessors);
  }

  template <typename S>
  static void launch(cudaStream_t s, const Iteration& it, const Judgement* judge) {
    const dim3 grid{div_up(it.width, S::kTile), div_up(it.height, S::kTile)};
    if (judge != nullptr)
      iterate_kernel<true, S><<<grid, S::kThreads, S::shared_bytes(6), s>>>(it, *judge);
    else
      iterate_kernel<false, S><<<grid, S::kThreads, S::shared_bytes(5), s>>>(it, Judgement{});
  }

  Status queue(StreamRef stream, const Key& key) {
    cudaStream_t const s = stream.get();
    Cells cells{nullptr, cells_x_, cells_y_};
    if (key.mask.data != nullptr) {
      cells_kernel<<<div_up(cells_x_ * cells_y_, 8), dim3{32, 8}, 0, s>>>(
          key.mask, cells_x_, cells_y_, cells_.device_data());
      cells.data = cells_.device_data();
    }
    queue_pyramids(s, levels_, key.previous, key.next,
                   Samples{{pictures_[0].device_data(), pictures_[1].device_data()}});
    const Sample* const first = pictures_[0].device_data();
    const Sample* const second = pictures_[1].device_data();
    Judgement judge{};
    judge.texture = 16.0F * settings_.texture;
    judge.out = key.out;
    judge.mask = key.mask;
    const float tolerance = settings_.back_tolerance * static_cast<float>(kUnit);
    judge.back_limit = tolerance * tolerance;
    int spare = 1;
    if (settings_.check_back) {
      const int now = queue_levels(s, second, first, Cells{nullptr, 0, 0}, 1, 2, nullptr);
      judge.back = vectors_[now].device_data();
      spare = 3 - now;
    }
    queue_levels(s, first, second, cells, 0, spare, &judge);
    return cuda_status(cudaGetLastError(), "launch Lucas-Kanade");
  }

  /// From the smallest level down, between two buffers of vectors by turns. Where they end up;
  /// with a judgement, the last iteration writes the field instead.
  int queue_levels(cudaStream_t s, const Sample* first, const Sample* second, const Cells& cells,
                   int from, int to, const Judgement* judge) {
    for (int i = levels_.count - 1; i >= 0; --i) {
      const Level& level = levels_.of[i];
      for (int k = 0; k < level.iterations; ++k) {
        Iteration it{};
        it.width = level.width;
        it.height = level.height;
        it.stride = level.stride;
        it.shift = i;
        it.radius = level.radius;
        it.reach = level.reach;
        it.first = first + level.samples;
        it.second = second + level.samples;
        it.in = vectors_[from].device_data();
        it.from = k > 0                   ? Iteration::same_level
                  : i + 1 < levels_.count ? Iteration::level_above
                                          : Iteration::start;
        const Level& above = levels_.of[k == 0 && i + 1 < levels_.count ? i + 1 : i];
        it.in_stride = above.stride;
        it.in_width = above.width;
        it.in_height = above.height;
        it.out = vectors_[to].device_data();
        it.prior = 16.0F * settings_.prior;
        it.cells = cells;
        const Judgement* const last = i == 0 && k + 1 == level.iterations ? judge : nullptr;
        if (fills<Large>(level))
          launch<Large>(s, it, last);
        else if (fills<Medium>(level))
          launch<Medium>(s, it, last);
        else
          launch<Small>(s, it, last);
        std::swap(from, to);
      }
    }
    return from;
  }

  const Context& context_;
  LucasKanadeSettings settings_;
  Plan plan_;
  Levels levels_{};
  DeviceBuffer<Sample> pictures_[2];
  DeviceBuffer<Packed> vectors_[3];
  DeviceBuffer<std::uint8_t> cells_, input_;
  FlowField field_;
  int cells_x_ = 0, cells_y_ = 0;
  std::vector<Entry> graphs_;  // last: goes before what its graphs use
};

}  // namespace

Result<std::unique_ptr<Estimator>> make_lucas_kanade_cuda(const Context& context,
                                                          const LucasKanadeSettings& settings,
                                                          int width, int height) {
  if (context.backend() != Backend::cuda)
    return Error{Errc::unsupported, 0, kWhere, "the backend is the CPU"};
  auto made = std::make_unique<LucasKanadeCuda>(context, settings, width, height);
  if (Status ok = made->allocate(); !ok) return ok.error();
  return std::unique_ptr<Estimator>{std::move(made)};
}

}  // namespace kerb::flow
