// SPDX-License-Identifier: Apache-2.0
#include "gpu/flow/block_matching.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

#include "gpu/flow/block_matching_plan.hpp"

namespace kerb::flow {
namespace {

constexpr const char* kWhere = "block matching";
constexpr int kLeastSide = 12;  // of the smallest level: three blocks
constexpr int kMaxReach = 256, kMaxSteps = 8, kLeastTile = 64;

Error refuse(const char* what) { return Error{Errc::invalid_argument, 0, kWhere, what}; }

constexpr int align(int n) { return (n + bm::kAlign - 1) / bm::kAlign * bm::kAlign; }

/// What `make` returns, or io when the machine has no memory for it.
template <typename Make>
auto or_no_memory(const Make& make) -> decltype(make()) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    return Error{Errc::io, 0, kWhere, "no memory left"};
  } catch (const std::length_error&) {
    return Error{Errc::io, 0, kWhere, "no memory left"};
  }
}

Result<std::unique_ptr<Estimator>> make_one(const Context& context, Workers& workers,
                                            bm::Plan plan) {
  return context.backend() == Backend::cuda ? bm::make_cuda(context, std::move(plan))
                                            : bm::make_cpu(workers, std::move(plan));
}

/// A tile along one side: the window that is computed, and the part of it that counts.
struct Span {
  int first = 0;           // of the window
  int begin = 0, end = 0;  // of what counts
};

/// Windows of `window` pixels that begin at multiples of `step` and end at the picture's edge;
/// `rim` of each counts only there.
std::vector<Span> spans_of(int side, int window, int rim, int step) {
  std::vector<Span> spans;
  for (int first = 0;; first = std::min(first + (window - 2 * rim) / step * step, side - window)) {
    Span span{first, spans.empty() ? 0 : spans.back().end, first + window - rim};
    if (first + window >= side) span.end = side;
    spans.push_back(span);
    if (span.end == side) return spans;
  }
}

class Tiled final : public Estimator {
 public:
  Tiled(std::unique_ptr<Estimator> one, FlowField field, std::vector<Span> across,
        std::vector<Span> down, int width, int height)
      : one_{std::move(one)},
        field_{std::move(field)},
        across_{std::move(across)},
        down_{std::move(down)},
        width_{width},
        height_{height},
        mask_(static_cast<std::size_t>(field_.width()) *
              static_cast<std::size_t>(field_.height())) {}

  using Estimator::run;
  Status run(const Picture<Space::host>& previous, const Picture<Space::host>& next,
             const Mask<Space::host>& mask, const FieldView<Space::host>& out) override {
    if (Status ok = check_pair(kWhere, width_, height_, previous, next, mask, out); !ok) return ok;
    for (const Span& down : down_)
      for (const Span& across : across_) {
        if (Status ok = run_tile(previous, next, mask, out, across, down); !ok) return ok;
      }
    return Done{};
  }
  Status run(const Picture<Space::device>& /*previous*/, const Picture<Space::device>& /*next*/,
             const Mask<Space::device>& /*mask*/,
             const FieldView<Space::device>& /*out*/) override {
    return Error{Errc::unsupported, 0, kWhere, "tiles are for pictures in host memory"};
  }
  [[nodiscard]] const char* name() const noexcept override { return "bm"; }
  [[nodiscard]] Backend backend() const noexcept override { return one_->backend(); }
  [[nodiscard]] std::size_t bytes() const noexcept override {
    return one_->bytes() + field_.bytes() + mask_.size();
  }

 private:
  [[nodiscard]] Picture<Space::host> window_of(const Picture<Space::host>& whole,
                                               const Span& across, const Span& down) const {
    return {whole.data + down.first * whole.row_stride + across.first, field_.width(),
            field_.height(), whole.row_stride};
  }

  Status run_tile(const Picture<Space::host>& previous, const Picture<Space::host>& next,
                  const Mask<Space::host>& mask, const FieldView<Space::host>& out,
                  const Span& across, const Span& down) {
    const int columns = across.end - across.begin, left = across.begin - across.first;
    const Mask<Space::host> wanted{mask_.data(), field_.width(), field_.height(), field_.width()};
    std::fill(mask_.begin(), mask_.end(), std::uint8_t{0});
    for (int y = down.begin; y < down.end; ++y) {
      std::uint8_t* const row =
          mask_.data() + std::ptrdiff_t{y - down.first} * field_.width() + left;
      if (mask.data == nullptr) {
        std::fill_n(row, columns, std::uint8_t{1});
      } else {
        std::copy_n(mask.data + y * mask.row_stride + across.begin, columns, row);
      }
    }
    const FieldView<Space::host> tile = field_.host();
    if (Status ok = one_->run(window_of(previous, across, down), window_of(next, across, down),
                              wanted, tile);
        !ok)
      return ok;
    for (int y = down.begin; y < down.end; ++y) {
      const std::ptrdiff_t from = (y - down.first) * tile.row_stride + left;
      const std::ptrdiff_t to = y * out.row_stride + across.begin;
      std::copy_n(tile.u + from, columns, out.u + to);
      std::copy_n(tile.v + from, columns, out.v + to);
      if (out.quality != nullptr) std::copy_n(tile.quality + from, columns, out.quality + to);
      if (out.flags != nullptr) std::copy_n(tile.flags + from, columns, out.flags + to);
    }
    return Done{};
  }

  std::unique_ptr<Estimator> one_;
  FlowField field_;
  std::vector<Span> across_, down_;
  int width_, height_;
  std::vector<std::uint8_t> mask_;
};

}  // namespace

const char* name_of(Cost cost) noexcept {
  switch (cost) {
    case Cost::ncc:
      return "ncc";
    case Cost::ssd:
      return "ssd";
    case Cost::sad:
      return "sad";
  }
  return "?";
}

Status check(const BlockMatchingSettings& settings) {
  if (settings.cost != Cost::ncc && settings.cost != Cost::ssd && settings.cost != Cost::sad)
    return refuse("cost must be ncc, ssd or sad");
  if (settings.levels < 1 || settings.levels > kMaxLevels)
    return refuse("levels must be between 1 and 12");
  if (settings.reach < 1 || settings.reach > kMaxReach)
    return refuse("reach must be between 1 and 256 pixels");
  if (settings.steps < 0 || settings.steps > kMaxSteps)
    return refuse("steps must be between 0 and 8");
  if (!(settings.noise >= 0 && settings.noise <= 64))
    return refuse("noise must be between 0 and 64 grey levels");
  if (!(settings.doubt >= 0 && settings.doubt <= 1)) return refuse("doubt must be between 0 and 1");
  return Done{};
}

namespace bm {

int levels_for(const BlockMatchingSettings& settings, int width, int height) noexcept {
  int levels = 1;
  for (int side = std::min(width, height); levels < settings.levels; ++levels) {
    side = (side + 1) / 2;
    if (side < kLeastSide) break;
  }
  return levels;
}

Plan make_plan(const BlockMatchingSettings& settings, int width, int height, int levels) {
  Plan plan;
  plan.settings = settings;
  plan.width = width;
  plan.height = height;
  const int top = levels - 1, radius = (settings.reach + (1 << top) - 1) >> top;
  for (int i = 0; i < levels; ++i) {
    Level level;
    level.width = width;
    level.height = height;
    level.columns = (width + kCell - 1) / kCell;
    level.rows = (height + kCell - 1) / kCell;
    // A step beside the doubled vector above, on each level.
    level.limit = radius << (top - i);
    level.row_stride = align(width + 2 * kRim + kBlock);
    level.image = plan.samples + static_cast<std::size_t>(level.row_stride) * kRim + kRim;
    plan.samples +=
        static_cast<std::size_t>(level.row_stride) * static_cast<std::size_t>(height + 2 * kRim);
    level.sums_stride = align(places(width));
    level.sums = plan.sums;
    if (settings.cost == Cost::ncc)
      plan.sums +=
          static_cast<std::size_t>(level.sums_stride) * static_cast<std::size_t>(places(height));
    level.block = plan.blocks;
    plan.blocks += static_cast<std::size_t>(level.columns) * static_cast<std::size_t>(level.rows);
    plan.levels.push_back(level);
    width = (width + 1) / 2;
    height = (height + 1) / 2;
  }
  plan.samples += kAlign;  // the last row's vectors may be read beyond its end
  const int last = plan.levels.back().limit;
  for (int y = -last; y <= last; ++y)
    for (int x = -last; x <= last; ++x) plan.shifts.push_back({x, y});
  std::stable_sort(plan.shifts.begin(), plan.shifts.end(), [](const Shift& a, const Shift& b) {
    return a.x * a.x + a.y * a.y < b.x * b.x + b.y * b.y;
  });
  return plan;
}

int dependence(const BlockMatchingSettings& settings, int levels) noexcept {
  const int top = levels - 1, radius = (settings.reach + (1 << top) - 1) >> top;
  int most = 0, blocks = 1 + kMedian;  // around the pixel's own: on this level, in blocks
  for (int i = 0; i < levels; ++i) {
    // A block, its shift, the refinement, the halved pictures' filters; plus the cell itself.
    const int pixels = (blocks + 1) * kCell + kBlock + (radius << (top - i)) + 2 * kSpare + 2;
    most = std::max(most, pixels << i);
    blocks = (blocks + 1) / 2 + kNeighbours + 1 + kMedian;
  }
  return most;
}

}  // namespace bm

Result<std::unique_ptr<Estimator>> make_block_matching(const Context& context, Workers& workers,
                                                       const BlockMatchingSettings& settings,
                                                       int width, int height) {
  if (Status ok = check(settings); !ok) return ok.error();
  if (Status ok = check_size(kWhere, width, height); !ok) return ok.error();
  return or_no_memory([&] {
    return make_one(
        context, workers,
        bm::make_plan(settings, width, height, bm::levels_for(settings, width, height)));
  });
}

Result<std::unique_ptr<Estimator>> make_tiled_block_matching(const Context& context,
                                                             Workers& workers,
                                                             const BlockMatchingSettings& settings,
                                                             int width, int height, int tile) {
  if (Status ok = check(settings); !ok) return ok.error();
  if (Status ok = check_size(kWhere, width, height); !ok) return ok.error();
  if (tile < kLeastTile) return refuse("a tile must have at least 64 pixels a side");
  return or_no_memory([&]() -> Result<std::unique_ptr<Estimator>> {
    const int levels = bm::levels_for(settings, width, height);
    // Windows begin where a block of every level does, and the last one ends where the picture
    // does: then all have one size.
    const int step = bm::kCell << (levels - 1);
    const int rim = (bm::dependence(settings, levels) + step - 1) / step * step;
    const auto window_for = [&](int side) {
      const int least = std::min(std::max(tile, step), side) + 2 * rim;
      return least >= side ? side : least + ((side - least) % step + step) % step;
    };
    const int across = window_for(width), down = window_for(height);
    Result<std::unique_ptr<Estimator>> one =
        make_one(context, workers, bm::make_plan(settings, across, down, levels));
    if (!one) return one.error();
    Result<FlowField> field = FlowField::create(context, across, down);
    if (!field) return field.error();
    return std::unique_ptr<Estimator>{std::make_unique<Tiled>(
        std::move(*one), std::move(*field), spans_of(width, across, rim, step),
        spans_of(height, down, rim, step), width, height)};
  });
}

}  // namespace kerb::flow
