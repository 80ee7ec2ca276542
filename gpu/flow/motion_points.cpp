// SPDX-License-Identifier: Apache-2.0
#include "gpu/flow/motion_points.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace kerb::flow {

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

void MotionPoints::pick(int points, MotionField& out) const noexcept {
  const FieldView<Space::host> f = field_.host();
  const int most = std::min(points, MotionField::kCapacity);
  const int left = margin_, top = margin_, right = width_ - margin_, bottom = height_ - margin_;
  if (most <= 0 || left >= right || top >= bottom) return;
  // As many columns and rows of squares as there may be points, at most.
  const double side =
      std::sqrt(static_cast<double>(right - left) * static_cast<double>(bottom - top) / most);
  const int columns = std::clamp(static_cast<int>((right - left) / side), 1, right - left);
  const int rows = std::clamp(most / columns, 1, bottom - top);
  const auto full = static_cast<float>(reduction_);
  for (int row = 0; row < rows; ++row) {
    const int y0 = top + (bottom - top) * row / rows;
    const int y1 = top + (bottom - top) * (row + 1) / rows;
    for (int column = 0; column < columns; ++column) {
      const int x0 = left + (right - left) * column / columns;
      const int x1 = left + (right - left) * (column + 1) / columns;
      int best = -1;
      std::ptrdiff_t best_at = 0;
      for (int y = y0; y < y1; ++y) {
        const std::ptrdiff_t line = y * f.row_stride;
        for (int x = x0; x < x1; ++x)
          if (f.flags[line + x] == kValid && f.quality[line + x] > best) {
            best = f.quality[line + x];
            best_at = line + x;
          }
      }
      if (best <= 0 || out.count >= most) continue;
      const auto x = static_cast<float>(best_at % f.row_stride);
      const auto y = static_cast<float>(best_at / f.row_stride);
      FlowVector& v = out.items[out.count++];
      v.x = (x + 0.5F) * full - 0.5F;
      v.y = (y + 0.5F) * full - 0.5F;
      v.dx = f.u[best_at] * full;
      v.dy = f.v[best_at] * full;
      v.quality = static_cast<float>(best) / 255.0F;
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
