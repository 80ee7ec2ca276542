// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/flow_bench.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "gpu/flow/block_matching.hpp"
#include "gpu/flow/corners.hpp"
#include "gpu/flow/lucas_kanade.hpp"
#include "gpu/flow/motion_points.hpp"
#include "gpu/memory/buffer.hpp"
#include "gpu/memory/workers.hpp"
#include "tools/bench/contexts.hpp"

namespace kerb::bench {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// The picture enlarged about its middle, bilinear.
Bytes enlarged(const Bytes& in, int width, int height, double by) {
  Bytes out(in.size());
  const auto at = [&](int x, int y) {
    return static_cast<double>(in[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                                  static_cast<std::size_t>(x)]);
  };
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const double sx = (x - width / 2.0) / by + width / 2.0;
      const double sy = (y - height / 2.0) / by + height / 2.0;
      const int left = std::clamp(static_cast<int>(sx), 0, width - 2);
      const int top = std::clamp(static_cast<int>(sy), 0, height - 2);
      const double a = sx - left, b = sy - top;
      const double value = (1 - b) * ((1 - a) * at(left, top) + a * at(left + 1, top)) +
                           b * ((1 - a) * at(left, top + 1) + a * at(left + 1, top + 1));
      out[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
          static_cast<std::size_t>(x)] = static_cast<std::uint8_t>(std::lround(value));
    }
  return out;
}

Bytes mask_of(const FlowCase& c) {
  Bytes mask(static_cast<std::size_t>(c.width) * static_cast<std::size_t>(c.height));
  const double side = std::sqrt(c.wanted);
  const int w = static_cast<int>(side * c.width), h = static_cast<int>(side * c.height);
  const int x0 = (c.width - w) / 2, y0 = (c.height - h) / 2;
  for (int y = y0; y < y0 + h; ++y)
    std::fill_n(mask.begin() + std::ptrdiff_t{y} * c.width + x0, w, std::uint8_t{255});
  return mask;
}

/// Two pictures and a mask, and the same on the device where there is one.
struct Input {
  FlowCase size;
  Bytes previous, next, mask;
  DeviceBuffer<std::uint8_t> there;

  template <Space S>
  [[nodiscard]] ImageView<S, const std::uint8_t> view(const std::uint8_t* data) const {
    return {data, size.width, size.height, size.width};
  }
  [[nodiscard]] flow::Picture<Space::host> host(const Bytes& bytes) const {
    return view<Space::host>(bytes.data());
  }
  [[nodiscard]] flow::Picture<Space::device> device(std::size_t index) const {
    return view<Space::device>(there.device_data() + index * previous.size());
  }
  [[nodiscard]] bool masked() const { return size.wanted < 1; }
  [[nodiscard]] flow::Mask<Space::host> host_mask() const {
    return masked() ? host(mask) : flow::Mask<Space::host>{};
  }
  [[nodiscard]] flow::Mask<Space::device> device_mask() const {
    return masked() ? device(2) : flow::Mask<Space::device>{};
  }
  Status upload(const Context& gpu) {
    Result<DeviceBuffer<std::uint8_t>> made =
        DeviceBuffer<std::uint8_t>::create(gpu, 3 * previous.size());
    if (!made) return made.error();
    there = std::move(*made);
    std::size_t at = 0;
    for (const Bytes* bytes : {&previous, &next, &mask}) {
      if (Status ok =
              copy_to_device(gpu.stream(), there.device_data() + at, bytes->data(), bytes->size());
          !ok)
        return ok;
      at += bytes->size();
    }
    return wait(gpu.stream());
  }
};

/// A field in plain memory.
struct Vectors {
  explicit Vectors(const FlowCase& c)
      : u(static_cast<std::size_t>(c.width) * static_cast<std::size_t>(c.height)),
        v(u.size()),
        quality(u.size()),
        flags(u.size()),
        view{u.data(), v.data(), quality.data(), flags.data(), c.width, c.height, c.width} {}
  friend bool operator==(const Vectors& a, const Vectors& b) {
    return a.u == b.u && a.v == b.v && a.quality == b.quality && a.flags == b.flags;
  }
  std::vector<float> u, v;
  Bytes quality, flags;
  flow::FieldView<Space::host> view;
};

/// Whether two fields hold the same, whatever their strides.
bool same(const flow::FieldView<Space::host>& a, const flow::FieldView<Space::host>& b) {
  for (int y = 0; y < a.height; ++y) {
    const std::ptrdiff_t p = y * a.row_stride, q = y * b.row_stride;
    if (!std::equal(a.u + p, a.u + p + a.width, b.u + q) ||
        !std::equal(a.v + p, a.v + p + a.width, b.v + q) ||
        !std::equal(a.quality + p, a.quality + p + a.width, b.quality + q) ||
        !std::equal(a.flags + p, a.flags + p + a.width, b.flags + q))
      return false;
  }
  return true;
}

using Make =
    std::function<Result<std::unique_ptr<flow::Estimator>>(const Context&, Workers&, int, int)>;
struct Method {
  const char* name;
  Make make;
  double bytes_a_pixel;       // read and written at the least
  double operations_a_pixel;  // counted in the code, about
};

std::vector<Method> methods() {
  constexpr double kLevels = 4.0 / 3;     // pixels of a pyramid to one of the picture
  constexpr double kOut = 4 + 4 + 1 + 1;  // u, v, quality, flags
  // An iteration of lk, a pixel: warping 8 multiplications and additions, difference and sum 4,
  // gradients and second derivatives 25, terms 30, their windows 36, solution 30, and two medians
  // of 25, by 99 exchanges each.
  constexpr double kIteration = 2 * 8 + 4 + 25 + 30 + 36 + 30 + 2 * 2 * 99;
  // A block of block matching, of each of its 64 pixels: 9 places from above and 9 around the best,
  // gradients and their products 7, three looks at fractions of a pixel by 7; multiplied and added.
  // There is a block for 16 pixels. Then a pixel's vector from nine blocks.
  constexpr double kMatch = kLevels * 2 * 64 * (9 + 9 + 7 + 3 * 7) / 16 + 2 * 3 * 9;
  std::vector<Method> out;
  for (const bool back : {false, true}) {
    flow::LucasKanadeSettings s;
    s.check_back = back;
    // Both pictures in; samples of 16 bits written and read; each iteration reads vectors (two of
    // 16 bits) and both pictures' samples and writes vectors.
    const double once =
        2 * 2 * kLevels + (4 + 4 + 2 * 2) * (s.finest_iterations + s.iterations * (kLevels - 1));
    out.push_back(
        {back ? "lk, checked" : "lk",
         [s](const Context& c, Workers& w, int width, int height) {
           return flow::make_lucas_kanade(c, w, s, width, height);
         },
         2 + 2 * 2 * kLevels + (back ? 2 : 1) * once + kOut,
         (back ? 2 : 1) * kIteration * (s.finest_iterations + s.iterations * (kLevels - 1))});
  }
  for (const flow::Cost cost : {flow::Cost::ncc, flow::Cost::ssd, flow::Cost::sad}) {
    flow::BlockMatchingSettings s;
    s.cost = cost;
    // Both pictures in; both pyramids written and read; the field.
    out.push_back({flow::name_of(cost),
                   [s](const Context& c, Workers& w, int width, int height) {
                     return flow::make_block_matching(c, w, s, width, height);
                   },
                   2 + 2 * 2 * kLevels + kOut, kMatch});
  }
  return out;
}

class Bench {
 public:
  Bench(const Clock& clock, const FlowBench& bench)
      : clock_{clock}, bench_{bench}, workers_{bench.threads} {}

  Result<std::vector<FlowRow>> run() {
    if (Status ok = contexts_.open(bench_.cuda); !ok) return ok.error();
    for (std::size_t i = 0; i < bench_.cases.size(); ++i)
      if (Status ok = one(bench_.cases[i], static_cast<int>(i)); !ok) return ok.error();
    return std::move(rows_);
  }

 private:
  Status one(const FlowCase& c, int number) {
    Input in;
    in.size = c;
    in.previous = bench_.picture(c.width, c.height);
    in.next = enlarged(in.previous, c.width, c.height, 1.02);
    in.mask = mask_of(c);
    if (cuda_)
      if (Status ok = in.upload(*cuda_); !ok) return ok;

    std::vector<Contestant> contestants;
    std::vector<FlowRow> rows;
    std::vector<std::unique_ptr<flow::Estimator>> estimators;
    std::vector<std::unique_ptr<Vectors>> vectors;
    std::vector<std::unique_ptr<flow::FlowField>> fields;
    const auto add = [&](std::string name, std::string backend, int threads,
                         std::function<Status()> frame) -> FlowRow& {
      contestants.push_back({name, backend, std::move(frame)});
      rows.emplace_back();
      rows.back().size = c;
      rows.back().name = std::move(name);
      rows.back().backend = std::move(backend);
      rows.back().threads = threads;
      return rows.back();
    };
    if (bench_.rivals && !in.masked())
      for (FlowRival& rival :
           bench_.rivals(in.host(in.previous), in.host(in.next), workers_.count()))
        add(rival.name, "cpu", workers_.count(), std::move(rival.frame));
    const std::size_t reference = 0;
    const bool has_reference = !rows.empty();

    for (const Method& method : methods()) {
      const double pixels = static_cast<double>(c.width) * static_cast<double>(c.height);
      const double moved = method.bytes_a_pixel * pixels;
      const double operations = method.operations_a_pixel * pixels;
      // The CPU's field, which CUDA's must equal.
      Result<std::unique_ptr<flow::Estimator>> host =
          method.make(*cpu_, workers_, c.width, c.height);
      if (!host) return host.error();
      flow::Estimator* const on_cpu = estimators.emplace_back(std::move(*host)).get();
      Vectors* const expected = vectors.emplace_back(std::make_unique<Vectors>(c)).get();
      const auto cpu_frame = [&in, on_cpu, expected] {
        return on_cpu->run(in.host(in.previous), in.host(in.next), in.host_mask(), expected->view);
      };
      if (bench_.cpu) {
        FlowRow& row = add(method.name, "cpu", workers_.count(), cpu_frame);
        row.bytes_held = on_cpu->bytes();
        row.bytes_moved = moved;
        row.operations = operations;
      } else if (Status ok = cpu_frame(); !ok) {
        return ok;
      }
      if (!cuda_) continue;
      Result<std::unique_ptr<flow::Estimator>> made =
          method.make(*cuda_, workers_, c.width, c.height);
      if (!made) return made.error();
      flow::Estimator* const on_gpu = estimators.emplace_back(std::move(*made)).get();
      Vectors* const got = vectors.emplace_back(std::make_unique<Vectors>(c)).get();
      Result<flow::FlowField> field = flow::FlowField::create(*cuda_, c.width, c.height);
      if (!field) return field.error();
      const flow::FlowField* const out =
          fields.emplace_back(std::make_unique<flow::FlowField>(std::move(*field))).get();
      if (Status ok = cpu_frame(); !ok) return ok;
      if (Status ok =
              on_gpu->run(in.host(in.previous), in.host(in.next), in.host_mask(), got->view);
          !ok)
        return ok;
      const bool equal = *got == *expected;
      FlowRow& from_host = add(method.name, "cuda", 0, [&in, on_gpu, got] {
        return on_gpu->run(in.host(in.previous), in.host(in.next), in.host_mask(), got->view);
      });
      from_host.equals_cpu = equal;
      FlowRow& there = add(method.name, "cuda, on device", 0, [this, &in, on_gpu, out] {
        const Status queued =
            on_gpu->run(in.device(0), in.device(1), in.device_mask(), out->device());
        return queued ? wait(cuda_->stream()) : queued;
      });
      if (Status ok = on_gpu->run(in.device(0), in.device(1), in.device_mask(), out->device()); !ok)
        return ok;
      if (Status ok = out->to_host(cuda_->stream()); !ok) return ok;
      if (Status ok = wait(cuda_->stream()); !ok) return ok;
      there.equals_cpu = same(out->host(), expected->view);
      there.bytes_held = on_gpu->bytes();
      there.bytes_moved = moved;
      there.operations = operations;
    }
    Sparse sparse;
    if (!in.masked())
      if (Status ok = add_sparse(in, sparse, add); !ok) return ok;
    const auto on_round = [&](int done, int all) {
      if (bench_.on_progress)
        bench_.on_progress("flow", number * all + done,
                           static_cast<int>(bench_.cases.size()) * all);
    };
    const Result<std::vector<Times>> times = contest(clock_, contestants, bench_.repeats, on_round);
    if (!times) return times.error();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].times = (*times)[i];
      if (has_reference) rows[i].ratio = (*times)[reference].median_ms / (*times)[i].median_ms;
      rows_.push_back(std::move(rows[i]));
    }
    return Done{};
  }

  /// The pictures by turns, so that each of a row's frames has one that is new.
  struct Turns {
    int turn = 0;
    std::size_t operator()() { return static_cast<std::size_t>(++turn & 1); }
  };
  /// What rows besides the dense methods' need while they run.
  struct Sparse {
    std::vector<flow::Point> points;
    std::vector<flow::TrackedPoint> expected, got;
    std::unique_ptr<flow::PointTracker> on_cpu, on_gpu;
    std::unique_ptr<flow::MotionPoints> product_cpu, product_gpu;
    std::unique_ptr<MotionField> field = std::make_unique<MotionField>();
  };

  template <typename Add>
  Status add_sparse(const Input& in, Sparse& s, const Add& add) {
    const FlowCase& c = in.size;
    choose_corners(in, s.points);
    const int count = static_cast<int>(s.points.size());
    s.expected.resize(s.points.size());
    s.got.resize(s.points.size());
    const auto make = [&](const Context& context, auto& tracker, auto& product) -> Status {
      auto made = flow::make_point_tracker(context, workers_, flow::quick_points(), c.width,
                                           c.height, std::max(count, 1));
      if (!made) return made.error();
      tracker = std::move(*made);
      auto whole = flow::MotionPoints::create(context, workers_, {}, c.width, c.height);
      if (!whole) return whole.error();
      product = std::move(*whole);
      return Done{};
    };
    const auto host = [&in](std::size_t which) {
      return in.host(which == 0 ? in.previous : in.next);
    };
    const auto product_frame = [&s, host](flow::MotionPoints& product) {
      return [&s, &product, host, next = Turns{}]() mutable {
        PreparedImage image;
        image.grey = host(next());
        return product.estimate(image, kPoints, *s.field);
      };
    };
    if (Status ok = make(*cpu_, s.on_cpu, s.product_cpu); !ok) return ok;
    if (Status ok = s.on_cpu->run(host(0), host(1), s.points.data(), count, s.expected.data()); !ok)
      return ok;
    if (bench_.cpu) {
      FlowRow& row = add(
          "points", "cpu", workers_.count(), [&s, host, count, next = Turns{}]() mutable -> Status {
            if (Status ok = s.on_cpu->advance(host(next())); !ok) return ok;
            return s.on_cpu->track(flow::Way::backward, s.points.data(), count, s.got.data());
          });
      row.bytes_held = s.on_cpu->bytes();
      add("product", "cpu", workers_.count(), product_frame(*s.product_cpu));
    }
    if (!cuda_) return Done{};
    if (Status ok = make(*cuda_, s.on_gpu, s.product_gpu); !ok) return ok;
    const auto equal = [&s] {
      return std::memcmp(s.expected.data(), s.got.data(),
                         s.got.size() * sizeof(flow::TrackedPoint)) == 0;
    };
    if (Status ok = s.on_gpu->run(host(0), host(1), s.points.data(), count, s.got.data()); !ok)
      return ok;
    const bool from_host = equal();
    if (Status ok = s.on_gpu->run(in.device(0), in.device(1), s.points.data(), count, s.got.data());
        !ok)
      return ok;
    const bool on_device = equal();
    add("points", "cuda", 0, [&s, host, count, next = Turns{}]() mutable -> Status {
      if (Status ok = s.on_gpu->advance(host(next())); !ok) return ok;
      return s.on_gpu->track(flow::Way::backward, s.points.data(), count, s.got.data());
    }).equals_cpu = from_host;
    FlowRow& there =
        add("points", "cuda, on device", 0, [&s, &in, count, next = Turns{}]() mutable -> Status {
          if (Status ok = s.on_gpu->advance(in.device(next())); !ok) return ok;
          return s.on_gpu->track(flow::Way::backward, s.points.data(), count, s.got.data());
        });
    there.equals_cpu = on_device;
    there.bytes_held = s.on_gpu->bytes();
    add("product", "cuda", 0, product_frame(*s.product_gpu));
    return Done{};
  }

  /// The clearest corner of each square, as the product does.
  void choose_corners(const Input& in, std::vector<flow::Point>& points) {
    const FlowCase& c = in.size;
    flow::Corners corners{workers_, c.width, c.height};
    corners.look_at(in.host(in.previous));
    const int columns =
        static_cast<int>(std::sqrt(kPoints * static_cast<double>(c.width) / c.height));
    const int rows = kPoints / columns;
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column) {
        flow::Point corner;
        if (corners.best_of({c.width * column / columns, c.height * row / rows,
                             c.width * (column + 1) / columns, c.height * (row + 1) / rows},
                            flow::quick_points().texture, corner))
          points.push_back(corner);
      }
  }

  const Clock& clock_;
  const FlowBench& bench_;
  Workers workers_;
  Contexts contexts_;
  const std::optional<Context>&cpu_ = contexts_.cpu, &cuda_ = contexts_.cuda;
  std::vector<FlowRow> rows_;
};

}  // namespace

const std::vector<FlowCase>& flow_cases() {
  static const std::vector<FlowCase> cases{{1280, 720}, {1280, 720, 0.25}, {1280, 720, 0.04},
                                           {640, 384},  {1920, 1080},      {3840, 2160}};
  return cases;
}

Result<std::vector<FlowRow>> bench_flow(const Clock& clock, const FlowBench& bench) {
  return Bench{clock, bench}.run();
}

}  // namespace kerb::bench
