// SPDX-License-Identifier: Apache-2.0
#include "gpu/flow/motion_points.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "gpu/flow/field_squares_math.hpp"

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
  const Method chosen = settings.method != Method::automatic ? settings.method
                        : context.backend() == Backend::cpu  ? Method::points
                                                             : Method::lucas_kanade;
  made->name_ = chosen == Method::points ? "points" : chosen == Method::lucas_kanade ? "lk" : "ncc";
  if (context.backend() == Backend::cuda) made->device_ = &context;
  if (chosen == Method::points) {
    Result<std::unique_ptr<PointTracker>> tracker = make_point_tracker(
        context, workers, settings.points, made->width_, made->height_, MotionField::kCapacity);
    if (!tracker) return tracker.error();
    made->tracker_ = std::move(*tracker);
    made->least_corner_ = settings.points.texture;
    made->corners_ = std::make_unique<Corners>(workers, made->width_, made->height_);
    made->wanted_.resize(MotionField::kCapacity);
    made->tracked_.resize(MotionField::kCapacity);
  } else {
    Result<std::unique_ptr<Estimator>> method =
        chosen == Method::lucas_kanade
            ? make_lucas_kanade(context, workers, settings.lucas_kanade, made->width_,
                                made->height_)
            : make_block_matching(context, workers, settings.block_matching, made->width_,
                                  made->height_);
    if (!method) return method.error();
    made->method_ = std::move(*method);
    Result<FlowField> field = FlowField::create(context, made->width_, made->height_);
    if (!field) return field.error();
    made->field_ = std::move(*field);
    if (made->device_ != nullptr) {
      Result<std::unique_ptr<FieldSquares>> squares = make_field_squares(
          context, made->width_, made->height_, made->reduction_, MotionField::kCapacity);
      if (!squares) return squares.error();
      made->squares_ = std::move(*squares);
    }
  }
  const auto pixels =
      static_cast<std::size_t>(made->width_) * static_cast<std::size_t>(made->height_);
  made->taken_.assign(pixels, false);
  for (DualBuffer<std::uint8_t>& picture : made->pictures_) {
    Result<DualBuffer<std::uint8_t>> buffer =
        DualBuffer<std::uint8_t>::create(context, Use::shared, pixels);
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
      FlowVector v = in_full_picture(x, y, f.u[at], f.v[at], full);
      if (box != nullptr && !leads_into(*box, v)) continue;
      best = f.quality[at];
      v.quality = static_cast<float>(best) / 255.0F;
      out = v;
    }
  }
  return best > 0;
}

/// As many columns and rows of squares as there may be points, at most.
template <typename Use>
void MotionPoints::each_square(int points, const Use& use) const {
  const int left = margin_, top = margin_, right = width_ - margin_, bottom = height_ - margin_;
  if (points <= 0 || left >= right || top >= bottom) return;
  const double side =
      std::sqrt(static_cast<double>(right - left) * static_cast<double>(bottom - top) / points);
  const int columns = std::clamp(static_cast<int>((right - left) / side), 1, right - left);
  const int rows = std::clamp(points / columns, 1, bottom - top);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      use(Square{left + (right - left) * column / columns, top + (bottom - top) * row / rows,
                 left + (right - left) * (column + 1) / columns,
                 top + (bottom - top) * (row + 1) / rows});
}

/// Of the box and `around` of its size on each side.
template <typename Use>
void MotionPoints::each_square_of(const Detection& box, int points, float around,
                                  const Use& use) const {
  // People are about two and a half times as high as wide.
  const int columns = std::max(1, static_cast<int>(std::sqrt(points / 2.5)));
  const int rows = std::max(1, points / columns);
  const auto cell = [&](float from, float size, int k, int of, int limit) {
    const float part = static_cast<float>(k) / static_cast<float>(of);
    const float at =
        (from - around * size + (1 + 2 * around) * size * part) / static_cast<float>(reduction_);
    return static_cast<int>(std::clamp(at, static_cast<float>(margin_),
                                       static_cast<float>(std::max(limit - margin_, margin_))));
  };
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      use(Square{cell(box.x, box.w, column, columns, width_),
                 cell(box.y, box.h, row, rows, height_),
                 cell(box.x, box.w, column + 1, columns, width_),
                 cell(box.y, box.h, row + 1, rows, height_)});
}

Status MotionPoints::track(int count, int most, MotionField& out) {
  // From the newest picture, where boxes and corners are, to the previous one.
  if (Status done = tracker_->track(Way::backward, wanted_.data(), count, tracked_.data()); !done)
    return done;
  const auto full = static_cast<float>(reduction_);
  for (int i = 0; i < count && out.count < most; ++i) {
    const TrackedPoint& found = tracked_[static_cast<std::size_t>(i)];
    const Point& at = wanted_[static_cast<std::size_t>(i)];
    if (found.flags != kValid || found.quality == 0) continue;
    FlowVector& v = out.items[out.count++];
    v.x = (found.x + 0.5F) * full - 0.5F;
    v.y = (found.y + 0.5F) * full - 0.5F;
    v.dx = (at.x - found.x) * full;
    v.dy = (at.y - found.y) * full;
    v.quality = static_cast<float>(found.quality) / 255.0F;
  }
  return Done{};
}

/// Where it was looked for, in the smaller picture: corners are those of the newest picture.
Point MotionPoints::place_of(const FlowVector& v) const noexcept {
  const auto full = static_cast<float>(reduction_);
  const float x = tracker_ ? v.x + v.dx : v.x, y = tracker_ ? v.y + v.dy : v.y;
  return {(x + 0.5F) / full - 0.5F, (y + 0.5F) / full - 0.5F};
}

/// Takes the pixel for a vector; false: another one has it.
bool MotionPoints::take(const Point& at) noexcept {
  const auto pixel = [](float value, int size) {
    return std::clamp(static_cast<int>(std::lround(value)), 0, size - 1);
  };
  std::vector<bool>::reference taken =
      taken_[static_cast<std::size_t>(pixel(at.y, height_)) * static_cast<std::size_t>(width_) +
             static_cast<std::size_t>(pixel(at.x, width_))];
  const bool before = taken;
  taken = true;
  return !before;
}

void MotionPoints::add_points_within(const Detection* boxes, int count, int points,
                                     MotionField& out) {
  if (!out.has_previous || points <= 0) return;
  const int before = out.count;
  int wanted = 0;
  if (squares_) squares_->clear();
  std::fill(taken_.begin(), taken_.end(), false);
  for (int k = 0; k < before; ++k) static_cast<void>(take(place_of(out.items[k])));
  for (int i = 0; i < count; ++i) {
    const Detection& box = boxes[i];
    // Only few of a box's vectors are the person's own: those of the picture's squares are enough
    // only where they are as many as were asked for.
    int there = 0;
    for (int k = 0; k < before; ++k) there += leads_into(box, out.items[k]) ? 1 : 0;
    if (there >= points) continue;
    if (tracker_) {  // a small window blurs nothing
      each_square_of(box, points, 0, [&](const Square& square) {
        if (before + wanted >= MotionField::kCapacity) return;
        Point& corner = wanted_[static_cast<std::size_t>(wanted)];
        if (corners_->best_of(square, least_corner_, corner) && take(corner)) ++wanted;
      });
      continue;
    }
    // Its previous place is unknown: search a little around its present one, and use only vectors
    // that lead there.
    each_square_of(box, points, 0.15F, [&](const Square& square) {
      if (squares_) {
        if (squares_->add(square, &box)) return;
        static_cast<void>(gather(MotionField::kCapacity, out));  // no more room: these first
        squares_->clear();
        squares_->add(square, &box);
        return;
      }
      if (out.count >= MotionField::kCapacity) return;
      FlowVector& next = out.items[out.count];
      if (best_of(square, &box, next) && take(place_of(next))) ++out.count;
    });
  }
  // Without these the existing vectors remain valid.
  if (squares_) static_cast<void>(gather(MotionField::kCapacity, out));
  if (wanted > 0) static_cast<void>(track(wanted, MotionField::kCapacity, out));
}

Status MotionPoints::gather(int most, MotionField& out) {
  if (squares_->count() == 0 || out.count >= most) return Done{};
  const Result<const FieldSquares::Best*> found =
      squares_->find(device_->stream(), field_.device());
  if (!found) return found.error();
  const auto full = static_cast<float>(reduction_);
  for (int i = 0; i < squares_->count() && out.count < most; ++i) {
    const FieldSquares::Best& best = (*found)[i];
    const Point at{static_cast<float>(best.x), static_cast<float>(best.y)};
    if (best.quality == 0 || !take(at)) continue;
    FlowVector& v = out.items[out.count++];
    v = in_full_picture(best.x, best.y, best.u, best.v, full);
    v.quality = static_cast<float>(best.quality) / 255.0F;
  }
  return Done{};
}

Status MotionPoints::dense(int points, MotionField& out) {
  if (squares_) {
    // Everything is queued before the first wait, and the field stays on the device.
    if (Status done =
            method_->run(picture_there(1 - newest_), picture_there(newest_), field_.device());
        !done)
      return done;
    squares_->clear();
    std::fill(taken_.begin(), taken_.end(), false);
    each_square(points, [&](const Square& square) { squares_->add(square, nullptr); });
    if (squares_->count() == 0) return wait(device_->stream());  // the picture may be used again
    return gather(points, out);
  }
  if (Status done = method_->run(picture(1 - newest_), picture(newest_), field_.host()); !done)
    return done;
  each_square(points, [&](const Square& square) {
    if (out.count < points && best_of(square, nullptr, out.items[out.count])) ++out.count;
  });
  return Done{};
}

Status MotionPoints::hand_over(const PreparedImage& image, bool had_previous) {
  if (squares_ && image.device_grey.data != nullptr) {
    if (Status done =
            squares_->reduce(device_->stream(), image.device_grey, pictures_[newest_].device());
        !done)
      return done;
  } else {
    reduce(image.grey, pictures_[newest_].host());
    if (device_ == nullptr) return tracker_ ? tracker_->advance(picture(newest_)) : Status{Done{}};
    if (Status done = pictures_[newest_].to_device(device_->stream()); !done) return done;
  }
  if (tracker_)
    if (Status done = tracker_->advance(picture_there(newest_)); !done) return done;
  // Else whoever compares them waits.
  return had_previous ? Status{Done{}} : wait(device_->stream());
}

Status MotionPoints::estimate(const PreparedImage& image, int points, MotionField& out) {
  out.count = 0;
  out.has_previous = false;
  const bool had_previous = has_previous_;
  has_previous_ = false;
  const auto fits = [&](const auto& grey) {
    return grey.data != nullptr && grey.width == full_width_ && grey.height == full_height_;
  };
  if (!fits(image.grey) || (image.device_grey.data != nullptr && !fits(image.device_grey)))
    return Error{Errc::invalid_argument, 0, "estimate motion", "a picture of another size"};
  newest_ = 1 - newest_;
  if (Status done = hand_over(image, had_previous); !done) return done;
  if (had_previous) {
    const int most = std::min(points, MotionField::kMostSpread);
    int wanted = 0;
    if (tracker_) {
      corners_->look_at(picture(newest_));
      each_square(most, [&](const Square& square) {
        if (corners_->best_of(square, least_corner_, wanted_[static_cast<std::size_t>(wanted)]))
          ++wanted;
      });
    }
    if (Status done = tracker_ ? track(wanted, most, out) : dense(most, out); !done) return done;
    out.has_previous = true;
  }
  has_previous_ = true;
  return Done{};
}

}  // namespace kerb::flow
