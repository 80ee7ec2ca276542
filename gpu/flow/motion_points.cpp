// SPDX-License-Identifier: Apache-2.0
#include "gpu/flow/motion_points.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace kerb::flow {
namespace {

bool leads_into(const Detection& box, const FlowVector& v) noexcept {
  const float x = v.x + v.dx, y = v.y + v.dy;
  return x >= box.x && x <= box.x + box.w && y >= box.y && y <= box.y + box.h;
}

}  // namespace

Result<std::unique_ptr<MotionPoints>> MotionPoints::create(const Context& context, Workers& workers,
                                                           const MotionPointsSettings& settings,
                                                           int width, int height) {
  if (settings.widest < 0 || settings.margin < 0)
    return Error{Errc::invalid_argument, 0, "make motion points", "widest and margin: 0 or more"};
  std::unique_ptr<MotionPoints> made{new MotionPoints};
  made->full_width_ = width;
  made->full_height_ = height;
  made->margin_ = settings.margin;
  if (settings.widest > 0)
    made->reduction_ = std::max(1, (width + settings.widest - 1) / settings.widest);
  made->width_ = width / made->reduction_;
  made->height_ = height / made->reduction_;
  Result<std::unique_ptr<Estimator>> method =
      settings.method == Method::lucas_kanade
          ? make_lucas_kanade(context, workers, settings.lucas_kanade, made->width_, made->height_)
          : make_block_matching(context, workers, settings.block_matching, made->width_,
                                made->height_);
  if (!method) return method.error();
  made->method_ = std::move(*method);
  Result<FlowField> field = FlowField::create(context, made->width_, made->height_);
  if (!field) return field.error();
  made->field_ = std::move(*field);
  const auto pixels =
      static_cast<std::size_t>(made->width_) * static_cast<std::size_t>(made->height_);
  for (HostBuffer<std::uint8_t>& picture : made->pictures_) {
    Result<HostBuffer<std::uint8_t>> buffer =
        HostBuffer<std::uint8_t>::create(context, Use::camera_input, pixels);
    if (!buffer) return buffer.error();
    picture = std::move(*buffer);
  }
  return made;
}

void MotionPoints::reduce(const ImageView<Space::host, const std::uint8_t>& grey,
                          std::uint8_t* out) const noexcept {
  if (reduction_ == 1) {
    for (int y = 0; y < height_; ++y)
      std::memcpy(out + std::ptrdiff_t{y} * width_, grey.data + y * grey.row_stride,
                  static_cast<std::size_t>(width_));
    return;
  }
  const int n = reduction_, half = n * n / 2;
  for (int y = 0; y < height_; ++y) {
    std::uint8_t* to = out + std::ptrdiff_t{y} * width_;
    const std::uint8_t* from = grey.data + std::ptrdiff_t{y} * n * grey.row_stride;
    if (n == 2) {  // the common case, in a shape the compiler turns into vectors
      const std::uint8_t* below = from + grey.row_stride;
      for (int x = 0; x < width_; ++x)
        to[x] = static_cast<std::uint8_t>(
            (from[2 * x] + from[2 * x + 1] + below[2 * x] + below[2 * x + 1] + 2) >> 2);
      continue;
    }
    for (int x = 0; x < width_; ++x) {
      int sum = half;
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) sum += from[j * grey.row_stride + x * n + i];
      to[x] = static_cast<std::uint8_t>(sum / (n * n));
    }
  }
}

bool MotionPoints::best_of(const Square& square, const Detection* box,
                           FlowVector& out) const noexcept {
  const FieldView<Space::host> f = field_.host();
  const auto full = static_cast<float>(reduction_);
  int best = 0;
  for (int y = square.y0; y < square.y1; ++y) {
    const std::ptrdiff_t line = y * f.row_stride;
    for (int x = square.x0; x < square.x1; ++x) {
      const std::ptrdiff_t at = line + x;
      if (f.flags[at] != kValid || f.quality[at] <= best) continue;
      FlowVector v;
      v.x = (static_cast<float>(x) + 0.5F) * full - 0.5F;
      v.y = (static_cast<float>(y) + 0.5F) * full - 0.5F;
      v.dx = f.u[at] * full;
      v.dy = f.v[at] * full;
      if (box != nullptr && !leads_into(*box, v)) continue;
      best = f.quality[at];
      v.quality = static_cast<float>(best) / 255.0F;
      out = v;
    }
  }
  return best > 0;
}

void MotionPoints::pick(int points, MotionField& out) const noexcept {
  const int most = std::min(points, MotionField::kCapacity);
  const int left = margin_, top = margin_, right = width_ - margin_, bottom = height_ - margin_;
  if (most <= 0 || left >= right || top >= bottom) return;
  // As many columns and rows of squares as there may be points, at most.
  const double side =
      std::sqrt(static_cast<double>(right - left) * static_cast<double>(bottom - top) / most);
  const int columns = std::clamp(static_cast<int>((right - left) / side), 1, right - left);
  const int rows = std::clamp(most / columns, 1, bottom - top);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      const Square square = {
          left + (right - left) * column / columns, top + (bottom - top) * row / rows,
          left + (right - left) * (column + 1) / columns, top + (bottom - top) * (row + 1) / rows};
      if (out.count < most && best_of(square, nullptr, out.items[out.count])) ++out.count;
    }
}

void MotionPoints::look_closer(const Detection* boxes, int count, int points, MotionField& out) {
  if (!out.has_previous || points <= 0) return;
  // People are about two and a half times as high as wide.
  const int columns = std::max(1, static_cast<int>(std::sqrt(points / 2.5)));
  const int rows = std::max(1, points / columns);
  const int before = out.count;
  for (int i = 0; i < count; ++i) {
    const Detection& box = boxes[i];
    // Where the best of the picture's squares are enough, lesser ones would only blur them.
    int there = 0;
    for (int k = 0; k < before; ++k) there += leads_into(box, out.items[k]) ? 1 : 0;
    if (there >= points / 6) continue;
    // Where it was is not known: a little around where it is, and only what leads there.
    const auto cell = [&](float from, float size, int k, int of, int limit) {
      const float at =
          (from - 0.15F * size + 1.3F * size * static_cast<float>(k) / static_cast<float>(of)) /
          static_cast<float>(reduction_);
      return static_cast<int>(std::clamp(at, static_cast<float>(margin_),
                                         static_cast<float>(std::max(limit - margin_, margin_))));
    };
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column) {
        if (out.count >= MotionField::kCapacity) return;
        const Square square = {cell(box.x, box.w, column, columns, width_),
                               cell(box.y, box.h, row, rows, height_),
                               cell(box.x, box.w, column + 1, columns, width_),
                               cell(box.y, box.h, row + 1, rows, height_)};
        if (best_of(square, &box, out.items[out.count])) ++out.count;
      }
  }
}

Status MotionPoints::estimate(const PreparedImage& image, int points, MotionField& out) {
  out.count = 0;
  out.has_previous = false;
  const bool had_previous = has_previous_;
  has_previous_ = false;
  if (image.grey.data == nullptr || image.grey.width != full_width_ ||
      image.grey.height != full_height_)
    return Error{Errc::invalid_argument, 0, "estimate motion", "a picture of another size"};
  const int previous = newest_;
  newest_ = 1 - newest_;
  reduce(image.grey, pictures_[newest_].data());
  if (had_previous) {
    const Picture<Space::host> before{pictures_[previous].data(), width_, height_, width_};
    const Picture<Space::host> now{pictures_[newest_].data(), width_, height_, width_};
    if (Status done = method_->run(before, now, field_.host()); !done) return done;
    out.has_previous = true;
    pick(points, out);
  }
  has_previous_ = true;
  return Done{};
}

}  // namespace kerb::flow
