// SPDX-License-Identifier: Apache-2.0
#include "gpu/flow/tiled.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

namespace kerb::flow {
namespace {

constexpr int kLeastTile = 64;

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
        std::vector<Span> down, const TileLayout& layout)
      : one_{std::move(one)},
        field_{std::move(field)},
        across_{std::move(across)},
        down_{std::move(down)},
        layout_{layout},
        mask_(static_cast<std::size_t>(field_.width()) *
              static_cast<std::size_t>(field_.height())) {}

  using Estimator::run;
  Status run(const Picture<Space::host>& previous, const Picture<Space::host>& next,
             const Mask<Space::host>& mask, const FieldView<Space::host>& out) override {
    if (Status ok =
            check_pair(layout_.where, layout_.width, layout_.height, previous, next, mask, out);
        !ok)
      return ok;
    for (const Span& down : down_)
      for (const Span& across : across_) {
        if (Status ok = run_tile(previous, next, mask, out, across, down); !ok) return ok;
      }
    return Done{};
  }
  Status run(const Picture<Space::device>& /*previous*/, const Picture<Space::device>& /*next*/,
             const Mask<Space::device>& /*mask*/,
             const FieldView<Space::device>& /*out*/) override {
    return Error{Errc::unsupported, 0, layout_.where, "tiles are for pictures in host memory"};
  }
  [[nodiscard]] const char* name() const noexcept override { return layout_.name; }
  [[nodiscard]] Backend backend() const noexcept override { return one_->backend(); }
  [[nodiscard]] std::size_t bytes() const noexcept override {
    return one_->bytes() + field_.bytes() + mask_.size();
  }
  [[nodiscard]] std::size_t windows() const noexcept override {
    return across_.size() * down_.size();
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
  TileLayout layout_;
  std::vector<std::uint8_t> mask_;
};

Result<std::unique_ptr<Estimator>> build(const Context& context, const TileLayout& layout,
                                         const MakeWindow& make) {
  const int step = layout.step, rim = (layout.rim + step - 1) / step * step;
  // The last window ends where the picture does, and begins at a step too: then all have one size.
  const auto window_for = [&](int side) {
    const int least = std::min(std::max(layout.tile, step), side) + 2 * rim;
    return least >= side ? side : least + ((side - least) % step + step) % step;
  };
  const int across = window_for(layout.width), down = window_for(layout.height);
  Result<std::unique_ptr<Estimator>> one = make(across, down);
  if (!one) return one.error();
  if (across == layout.width && down == layout.height) return one;
  // A window has a field and a mask besides, and what the whole would hold grows with its pixels.
  const auto pixels = [](int w, int h) { return static_cast<double>(w) * static_cast<double>(h); };
  constexpr double kBesides = 2 * sizeof(float) + 3;
  const auto held = static_cast<double>((*one)->bytes());
  const double window = pixels(across, down), whole = pixels(layout.width, layout.height);
  if (held + kBesides * window >= held * whole / window) {
    *one = nullptr;  // before the other takes memory
    return make(layout.width, layout.height);
  }
  Result<FlowField> field = FlowField::create(context, across, down);
  if (!field) return field.error();
  return std::unique_ptr<Estimator>{std::make_unique<Tiled>(
      std::move(*one), std::move(*field), spans_of(layout.width, across, rim, step),
      spans_of(layout.height, down, rim, step), layout)};
}

}  // namespace

Result<std::unique_ptr<Estimator>> make_tiled(const Context& context, const TileLayout& layout,
                                              const MakeWindow& make) {
  if (layout.tile < kLeastTile)
    return Error{Errc::invalid_argument, 0, layout.where,
                 "a tile must have at least 64 pixels a side"};
  try {
    return build(context, layout, make);
  } catch (const std::bad_alloc&) {
    return Error{Errc::io, 0, layout.where, "no memory left"};
  } catch (const std::length_error&) {
    return Error{Errc::io, 0, layout.where, "no memory left"};
  }
}

}  // namespace kerb::flow
