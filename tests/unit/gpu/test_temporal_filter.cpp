// SPDX-License-Identifier: Apache-2.0
#include "gpu/night/temporal_filter.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/night_cases.hpp"

using namespace kerb;
using namespace kerb::test;
using night::TemporalFilter;
using night::TemporalFilterSettings;

namespace {

constexpr int kFrames = 8;

const Context& context() {
  static Result<Context> made = Context::create(BackendChoice::cpu);
  return *made;
}

/// The definition in the plainest form: picture by picture, pixel by pixel.
class FilterOracle {
 public:
  FilterOracle(const TemporalFilterSettings& settings, const NightFilm::Settings& film)
      : s_{settings},
        planes_{film.planes},
        width_{film.width},
        height_{film.height},
        columns_{(film.width + 15) / 16},
        rows_{(film.height + 15) / 16} {}

  NightCanvas run(const NightCanvas& in, const MotionField* motion) {
    const std::vector<int> sums = sums_of(in);
    bool kept = false;
    std::vector<Vector> chosen(sums.size());
    if (!past_.empty()) {
      const int gain = gain_of(sums);
      if (gain != 256) {
        for (int& v : past_) v = std::min((v * gain + 128) / 256, 255 * 64);
        for (int& v : middle_) v = std::min((v * gain + 128) / 256, 255);
      }
      int unfit = 0;
      for (int row = 0; row < rows_; ++row)
        for (int column = 0; column < columns_; ++column)
          unfit += choose(in, motion, column, row, sums, chosen) ? 0 : 1;
      kept = 2 * unfit <= columns_ * rows_;
    }
    if (!kept) chosen.assign(sums.size(), {});
    std::vector<int> shifted(static_cast<std::size_t>(planes_ * width_ * height_));
    if (kept)
      for (int p = 0; p < planes_; ++p)
        for (int y = 0; y < height_; ++y)
          for (int x = 0; x < width_; ++x)
            shifted[at(p, x, y)] =
                past_at(p, x, y, chosen[static_cast<std::size_t>(y / 16 * columns_ + x / 16)]);
    NightCanvas out{planes_, width_, height_};
    std::vector<int> next(shifted.size());
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x) {
        const int weight = kept ? weight_at(in, shifted, x, y) : 0;
        for (int p = 0; p < planes_; ++p) {
          const int past = shifted[at(p, x, y)], now = 64 * in.at(p, x, y);
          const int fine = past + floor_div((now - past) * (256 - weight) + 128, 256);
          next[at(p, x, y)] = fine;
          out.bytes[out.index(p, x, y)] = static_cast<std::uint8_t>((fine + 32) / 64);
        }
      }
    past_ = next;
    middle_.resize(static_cast<std::size_t>(width_ * height_));
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x)
        middle_[static_cast<std::size_t>(y * width_ + x)] = out.at(planes_ / 2, x, y);
    sums_ = sums;
    shifts_ = chosen;
    return out;
  }

 private:
  struct Vector {
    int x = 0, y = 0;
  };
  static int floor_div(int a, int b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
  [[nodiscard]] std::size_t at(int p, int x, int y) const {
    return static_cast<std::size_t>((p * height_ + y) * width_ + x);
  }
  [[nodiscard]] int pixels(int column, int row) const {
    return std::min(16, width_ - 16 * column) * std::min(16, height_ - 16 * row);
  }
  [[nodiscard]] std::vector<int> sums_of(const NightCanvas& in) const {
    std::vector<int> sums(static_cast<std::size_t>(columns_ * rows_));
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x)
        sums[static_cast<std::size_t>(y / 16 * columns_ + x / 16)] += in.at(planes_ / 2, x, y);
    return sums;
  }
  [[nodiscard]] int gain_of(const std::vector<int>& sums) const {
    std::vector<int> ratios;
    for (int row = 0; row < rows_; ++row)
      for (int column = 0; column < columns_; ++column) {
        const auto i = static_cast<std::size_t>(row * columns_ + column);
        if (sums_[i] < 8 * pixels(column, row)) continue;
        ratios.push_back(std::min((256 * sums[i] + sums_[i] / 2) / sums_[i], 1023));
      }
    if (4 * ratios.size() < sums.size()) return 256;
    std::sort(ratios.begin(), ratios.end());
    const int median = ratios[ratios.size() / 2];
    if (median < 64 || median >= 1023 || std::abs(median - 256) < 4) return 256;
    return median;
  }
  /// Of all vectors that lead into the square of 32 pixels: the most trusted, or, with one to
  /// avoid, the most trusted that differs from it.
  [[nodiscard]] std::optional<Vector> best_in(const MotionField* motion, int bin_x, int bin_y,
                                              const std::optional<Vector>& other) const {
    std::optional<Vector> best;
    float quality = 0;
    for (int i = 0; motion != nullptr && i < motion->count; ++i) {
      const FlowVector& v = motion->items[i];
      const float x = v.x + v.dx, y = v.y + v.dy;
      if (x < 0 || y < 0 || x >= static_cast<float>(width_) || y >= static_cast<float>(height_))
        continue;
      if (static_cast<int>(x) / 32 != bin_x || static_cast<int>(y) / 32 != bin_y) continue;
      const Vector shift{static_cast<int>(std::lround(-16.0 * double{v.dx})),
                         static_cast<int>(std::lround(-16.0 * double{v.dy}))};
      if (other && std::abs(shift.x - other->x) <= 16 && std::abs(shift.y - other->y) <= 16)
        continue;
      if (v.quality <= quality) continue;
      quality = v.quality;
      best = shift;
    }
    return best;
  }
  bool choose(const NightCanvas& in, const MotionField* motion, int column, int row,
              const std::vector<int>& sums, std::vector<Vector>& chosen) const {
    const auto block = static_cast<std::size_t>(row * columns_ + column);
    std::vector<Vector> tried{{}, shifts_[block]};
    const int bx = column / 2, by = row / 2;
    if (const std::optional<Vector> own = best_in(motion, bx, by, {})) {
      tried.push_back(*own);
      if (const std::optional<Vector> second = best_in(motion, bx, by, own))
        tried.push_back(*second);
    }
    for (const Vector& to : {Vector{-1, 0}, Vector{1, 0}, Vector{0, -1}, Vector{0, 1}})
      if (const std::optional<Vector> v = best_in(motion, bx + to.x, by + to.y, {}))
        tried.push_back(*v);
    const int x0 = 16 * column, y0 = 16 * row;
    const int x1 = std::min(x0 + 16, width_), y1 = std::min(y0 + 16, height_);
    int least = -1;
    for (const Vector& s : tried) {
      const int ix = floor_div(s.x, 16), iy = floor_div(s.y, 16);
      const bool moves = s.x != 0 || s.y != 0;
      if (moves && (x0 + ix - 1 < 0 || y0 + iy - 1 < 0 || x1 - 1 + ix + 2 >= width_ ||
                    y1 - 1 + iy + 2 >= height_))
        continue;
      int sum = 0;
      for (int y = y0; y < y1; ++y)
        for (int x = x0; x < x1; ++x)
          sum += std::abs(in.at(planes_ / 2, x, y) -
                          middle_[static_cast<std::size_t>((y + floor_div(s.y + 8, 16)) * width_ +
                                                           x + floor_div(s.x + 8, 16))]);
      if (least >= 0 && sum >= least) continue;
      least = sum;
      chosen[block] = s;
    }
    const auto n = static_cast<float>(pixels(column, row));
    const float mean = static_cast<float>(least) / n;
    const float level = static_cast<float>(sums[block]) / n;
    const float variance = std::max(
        static_cast<float>(s_.noise_floor) + static_cast<float>(s_.noise_slope) * level, 0.25F);
    return mean * mean <= 16.0F * variance;
  }
  /// Catmull-Rom's four weights, in 128ths; the second takes what rounding leaves.
  static void weights_of(int sixteenths, int (&w)[4]) {
    const double t = sixteenths / 16.0;
    const auto nearest = [](double x) { return static_cast<int>(std::floor(x + 0.5)); };
    w[0] = nearest(64 * (-t + 2 * t * t - t * t * t));
    w[2] = nearest(64 * (t + 4 * t * t - 3 * t * t * t));
    w[3] = nearest(64 * (-t * t + t * t * t));
    w[1] = 128 - w[0] - w[2] - w[3];
  }
  [[nodiscard]] int past_at(int p, int x, int y, const Vector& s) const {
    if (s.x == 0 && s.y == 0) return past_[at(p, x, y)];
    int across[4], down[4];
    const int ix = floor_div(s.x, 16), iy = floor_div(s.y, 16);
    weights_of(s.x - 16 * ix, across);
    weights_of(s.y - 16 * iy, down);
    int sum = 64;
    for (int j = 0; j < 4; ++j) {
      int row = 64;
      for (int i = 0; i < 4; ++i) row += across[i] * past_[at(p, x + ix - 1 + i, y + iy - 1 + j)];
      sum += down[j] * floor_div(row, 128);
    }
    return std::clamp(floor_div(sum, 128), 0, 255 * 64);
  }
  [[nodiscard]] int weight_at(const NightCanvas& in, const std::vector<int>& shifted, int x,
                              int y) const {
    int sum = 0, signal = 0;
    for (int dy = -2; dy <= 2; ++dy)
      for (int dx = -2; dx <= 2; ++dx) {
        const int cx = std::clamp(x + dx, 0, width_ - 1), cy = std::clamp(y + dy, 0, height_ - 1);
        int differences = 4;
        for (int p = 0; p < planes_; ++p)
          differences += std::abs(64 * in.at(p, cx, cy) - shifted[at(p, cx, cy)]);
        sum += differences / 8;
      }
    for (int p = 0; p < planes_; ++p) signal += shifted[at(p, x, y)];
    const float mean = static_cast<float>(sum) * (8.0F / static_cast<float>(64 * 25 * planes_));
    const float level = static_cast<float>(signal) * (1.0F / static_cast<float>(64 * planes_));
    const float variance = std::max(
        static_cast<float>(s_.noise_floor) + static_cast<float>(s_.noise_slope) * level, 0.25F);
    const auto full = static_cast<float>(std::round(256 * s_.strength));
    const float fade = full / static_cast<float>(s_.differs - s_.agrees);
    const float faded = (static_cast<float>(s_.differs) - mean * mean / variance) * fade;
    return static_cast<int>(std::clamp(faded, 0.0F, full) + 0.5F);
  }

  TemporalFilterSettings s_;
  int planes_, width_, height_, columns_, rows_;
  std::vector<int> past_, middle_, sums_;
  std::vector<Vector> shifts_;
};

/// A filter and its threads.
struct Run {
  Workers workers;
  Result<TemporalFilter> filter;
  Run(const TemporalFilterSettings& settings, const NightFilm::Settings& film, int threads = 2)
      : workers{threads},
        filter{TemporalFilter::create(context(), settings, film.width, film.height, film.planes)} {
    TEST_ASSERT_OK(filter);
  }
  NightCanvas operator()(const NightCanvas& in, const MotionField* motion, int slack = 0) {
    NightCanvas out{in.count, in.width, in.height, slack};
    TEST_ASSERT_OK(filter->run(workers, in.from(), motion, out.to()));
    return out;
  }
};

TEST(every_pixel_is_as_defined) {
  for (const FilmCase& c : kFilmCases)
    for (const double strength : {0.8, 0.95}) {
      TemporalFilterSettings settings;
      settings.noise_floor = 20;
      settings.noise_slope = strength > 0.9 ? -0.4 : 0.05;  // at 50 grey values the least
      settings.strength = strength;
      const NightFilm film{c.film};
      Run run{settings, c.film};
      FilterOracle oracle{settings, c.film};
      for (int t = 0; t < kFrames; ++t) {
        const auto motion = film.motion(t);
        const MotionField* given = c.with_motion && t != 3 ? motion.get() : nullptr;
        const NightCanvas out = run(film.frame(t, 5), given, 3);
        const NightCanvas expected = oracle.run(film.frame(t), given);
        for (int p = 0; p < c.film.planes; ++p)
          for (int y = 0; y < c.film.height; ++y) {
            for (int x = 0; x < c.film.width; ++x)
              TEST_ASSERT_EQUAL_UINT8_MESSAGE(expected.at(p, x, y), out.at(p, x, y), c.name);
            TEST_ASSERT_EQUAL_HEX8(0xa5, out.at(p, c.film.width, y));  // what lies beyond stays
          }
      }
    }
}

/// Mean squared error of a frame, over the pixels that `counts` names.
template <typename Counts>
double error_of(const NightFilm& film, const NightCanvas& frame, int t, const Counts& counts) {
  double sum = 0;
  int n = 0;
  for (int p = 0; p < frame.count; ++p)
    for (int y = 0; y < frame.height; ++y)
      for (int x = 0; x < frame.width; ++x) {
        if (!counts(x, y)) continue;
        const double d = frame.at(p, x, y) - film.truth(p, x, y, t);
        sum += d * d;
        ++n;
      }
  TEST_ASSERT_GREATER_THAN(0, n);
  return sum / n;
}
const auto kAll = [](int, int) { return true; };

void expect_below(double limit, double value) {
  char text[80];
  std::snprintf(text, sizeof text, "%g is not below %g", value, limit);
  TEST_ASSERT_TRUE_MESSAGE(value < limit, text);
}

TemporalFilterSettings for_noise(double sigma) {
  TemporalFilterSettings settings;
  settings.noise_floor = sigma * sigma;
  settings.noise_slope = 0;
  return settings;
}

/// To (1 - s) / (1 + s) of the variance, and a little more where noise is taken for motion.
TEST(noise_of_a_still_picture_falls_as_theory_says) {
  for (const int planes : {1, 3})
    for (const double strength : {0.5, 0.8, 0.9}) {
      const NightFilm film{{planes, 160, 120, 0, 0, 0, 0, 4}};
      TemporalFilterSettings settings = for_noise(4);
      settings.strength = strength;
      Run run{settings, film.settings()};
      for (int t = 0; t < 40; ++t) {
        const NightCanvas out = run(film.frame(t), nullptr);
        if (t < 39) continue;
        const double theory = (1 - strength) / (1 + strength) * 16 + 1.0 / 12;
        TEST_ASSERT_DOUBLE_WITHIN(0.25 * theory, theory, error_of(film, out, t, kAll));
      }
    }
}

TEST(a_pan_is_followed_by_the_flow) {
  const NightFilm film{{3, 192, 128, 1.7, -0.4, 0, 0, 4}};
  Run run{for_noise(4), film.settings()};
  for (int t = 0; t < 20; ++t) {
    const NightCanvas in = film.frame(t), out = run(in, film.motion(t).get());
    if (t < 19) continue;
    const auto inside = [](int x, int y) { return x >= 48 && x < 144 && y >= 32 && y < 96; };
    // Between pixels interpolation smooths further, so it may even be less than theory.
    expect_below(0.3 * error_of(film, in, t, inside), error_of(film, out, t, inside));
  }
}

/// The strip that the person has just left: a plain average would show a ghost there.
TEST(somebody_who_walks_leaves_no_trail) {
  for (const bool with_flow : {true, false}) {
    const NightFilm film{{3, 192, 128, 0, 0, 2.5, 0, 4}};
    Run run{for_noise(4), film.settings()};
    for (int t = 0; t < 20; ++t) {
      const NightCanvas in = film.frame(t),
                        out = run(in, with_flow ? film.motion(t).get() : nullptr);
      if (t < 4) continue;
      const auto trail = [&](int x, int y) {
        return !film.is_person(x, y, t) && film.is_person(x, y, t - 3);
      };
      const auto person = [&](int x, int y) { return film.is_person(x, y, t); };
      expect_below(1.1 * error_of(film, in, t, trail), error_of(film, out, t, trail));
      expect_below(1.1 * error_of(film, in, t, person), error_of(film, out, t, person));
    }
  }
}

TEST(without_flow_a_pan_is_not_made_worse) {
  const NightFilm film{{3, 192, 128, 4.5, 0, 0, 0, 4}};
  Run run{for_noise(4), film.settings()};
  for (int t = 0; t < 12; ++t) {
    const NightCanvas in = film.frame(t), out = run(in, nullptr);
    expect_below(1.1 * error_of(film, in, t, kAll), error_of(film, out, t, kAll));
  }
}

TEST(the_first_picture_and_one_after_a_cut_stay_bit_for_bit) {
  NightFilm::Settings settings{3, 160, 120, 0.4, 0, 1, 0, 4};
  settings.cut_at = 5;
  const NightFilm film{settings};
  Run run{for_noise(4), settings};
  for (int t = 0; t < 8; ++t) {
    const NightCanvas in = film.frame(t), out = run(in, film.motion(t).get());
    TEST_ASSERT_EQUAL(t == 0 || t == 5, in.bytes == out.bytes);
    TEST_ASSERT_EQUAL(t != 0 && t != 5, run.filter->last().kept);
  }
  run.filter->forget();
  const NightCanvas in = film.frame(8);
  TEST_ASSERT_TRUE(run(in, nullptr).bytes == in.bytes);
}

TEST(a_change_of_exposure_keeps_the_past) {
  for (const double gain : {0.5, 0.9, 1.3, 2.0}) {
    NightFilm::Settings settings{3, 160, 120, 0, 0, 0, 0, 3};
    settings.gain = gain;
    settings.gain_from = 10;
    const NightFilm film{settings};
    Run run{for_noise(3), settings};
    for (int t = 0; t <= 10; ++t) {
      const NightCanvas in = film.frame(t), out = run(in, nullptr);
      TEST_ASSERT_INT_WITHIN(4, t == 10 ? std::lround(256 * gain) : 256, run.filter->last().gain);
      if (t == 10) expect_below(0.5 * error_of(film, in, t, kAll), error_of(film, out, t, kAll));
    }
  }
}

/// Numbers that a broken flow may give must not be followed, nor crash.
TEST(senseless_vectors_are_ignored) {
  const NightFilm film{{1, 160, 120, 0, 0, 0, 0, 4}};
  Run with{for_noise(4), film.settings()}, without{for_noise(4), film.settings()};
  auto motion = std::make_unique<MotionField>();
  const float nan = std::nanf(""), infinite = INFINITY;
  for (const float d : {nan, infinite, -infinite, 1e30F, -1e6F, 900.0F})
    for (const float quality : {1.0F, nan})
      motion->items[motion->count++] = {60, 60, d, -d, quality};
  motion->items[motion->count++] = {nan, 60, 1, 1, 1};
  motion->items[motion->count++] = {-50, 1e9F, 1, 1, 1};
  motion->items[motion->count++] = {60, 60, 3, 3, 0};
  for (int t = 0; t < 4; ++t)
    TEST_ASSERT_TRUE(with(film.frame(t), motion.get()).bytes ==
                     without(film.frame(t), nullptr).bytes);
}

TEST(threads_change_nothing) {
  for (const FilmCase& c : kFilmCases) {
    const NightFilm film{c.film};
    Run one{{}, c.film, 1}, three{{}, c.film, 3};
    for (int t = 0; t < 4; ++t)
      TEST_ASSERT_TRUE(one(film.frame(t), film.motion(t).get()).bytes ==
                       three(film.frame(t), film.motion(t).get()).bytes);
  }
}

TEST(a_frame_allocates_nothing) {
  NightFilm::Settings settings{3, 160, 120, 1.2, 0, 1, 0, 4};
  settings.gain = 1.2;
  settings.gain_from = 4;
  settings.cut_at = 6;
  const NightFilm film{settings};
  Run run{{}, settings};
  NightCanvas out{3, 160, 120};
  for (int t = 0; t < kFrames; ++t) {
    const NightCanvas in = film.frame(t);
    const auto motion = film.motion(t);
    const std::uint64_t before = allocations();
    TEST_ASSERT_OK(run.filter->run(run.workers, in.from(), motion.get(), out.to()));
    TEST_ASSERT_EQUAL(before, allocations());
  }
}

TEST(what_is_refused) {
  const auto made = [](const TemporalFilterSettings& s, int width = 64, int height = 48,
                       int planes = 1) {
    return TemporalFilter::create(context(), s, width, height, planes);
  };
  TEST_ASSERT_OK(made({}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, made({0, 0.05, 0.8, 1.6, 3.2}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, made({6, -101, 0.8, 1.6, 3.2}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, made({6, std::nan(""), 0.8, 1.6, 3.2}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, made({6, 0.05, 0.96, 1.6, 3.2}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, made({6, 0.05, 0.8, 3.2, 3.2}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, made({}, 15));
  TEST_ASSERT_ERROR(Errc::invalid_argument, made({}, 64, 48, 4));

  Result<TemporalFilter> filter = made({});
  Workers workers{1};
  const NightCanvas in{1, 64, 48, 0, 20};
  NightCanvas out{1, 64, 48}, low{1, 64, 47}, three{3, 64, 48};
  TEST_ASSERT_OK(filter->run(workers, in.from(), nullptr, out.to()));
  TEST_ASSERT_ERROR(Errc::invalid_argument, filter->run(workers, in.from(), nullptr, low.to()));
  TEST_ASSERT_ERROR(Errc::invalid_argument, filter->run(workers, in.from(), nullptr, three.to()));
  TEST_ASSERT_ERROR(Errc::invalid_argument, filter->run(workers, out.from(), nullptr, out.to()));
  TEST_ASSERT_ERROR(
      Errc::unsupported,
      filter->run(
          StreamRef{static_cast<CUstream_st*>(nullptr)},
          PlanesView<Space::device, const std::uint8_t>{in.bytes.data(), 1, 64, 48, 64, 64 * 48},
          nullptr,
          PlanesView<Space::device, std::uint8_t>{out.bytes.data(), 1, 64, 48, 64, 64 * 48}));
}

}  // namespace
