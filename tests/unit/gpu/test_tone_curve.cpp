// SPDX-License-Identifier: Apache-2.0
#include "gpu/night/tone_curve.hpp"

#include <algorithm>
#include <cmath>

#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/night_cases.hpp"

using namespace kerb;
using namespace kerb::test;
using night::ToneCurve;
using night::ToneCurveSettings;

namespace {

const Context& context() {
  static Result<Context> made = Context::create(BackendChoice::cpu);
  return *made;
}

Result<ToneCurve> make_curve(const ToneCurveSettings& settings, const NightCanvas& in) {
  return ToneCurve::create(context(), settings, in.width, in.height, in.count);
}

/// What the operator makes of a picture; the picture itself where it is bright enough.
NightCanvas brightened(const ToneCurveSettings& settings, const NightCanvas& in, int threads = 1,
                       int slack = 0) {
  Result<ToneCurve> curve = make_curve(settings, in);
  TEST_ASSERT_OK(curve);
  Workers workers{threads};
  NightCanvas out{in.count, in.width, in.height, slack};
  const Result<bool> changed = curve->run(workers, in.from(), out.to());
  TEST_ASSERT_OK(changed);
  if (*changed) return out;
  for (const std::uint8_t b : out.bytes) TEST_ASSERT_EQUAL_HEX8(0xa5, b);  // not written
  for (int p = 0; p < in.count; ++p)
    for (int y = 0; y < in.height; ++y)
      for (int x = 0; x < in.width; ++x) out.bytes[out.index(p, x, y)] = in.at(p, x, y);
  return out;
}

/// The definition, pixel by pixel, with exact fractions: numerator and denominator.
class ToneOracle {
 public:
  ToneOracle(const ToneCurveSettings& settings, const NightCanvas& in) : s_{settings}, in_{in} {
    std::int64_t sum = 0, count = 0;
    for (int y = 0; y < in.height; y += 2)
      for (int x = 0; x < in.width; x += 2) {
        sum += std::min(luma(x, y), 128);
        ++count;
      }
    const std::int64_t mean = 256 * sum / count, wanted = 256 * settings.target;
    const std::int64_t most = std::lround(256 * settings.max_gain) - 256;
    if (mean < wanted)
      k_ = mean == 0
               ? most
               : std::min(most, 256 * 255 * (wanted - mean) / (mean * (255 - settings.target)));
    share_ = std::lround(256 * settings.local) * std::min<std::int64_t>(k_, 256) / 256;
    for (int row = 0; row < ToneCurve::kRows; ++row)
      for (int column = 0; column < ToneCurve::kColumns; ++column) count_tile(column, row);
  }
  [[nodiscard]] std::int64_t k() const { return k_; }
  [[nodiscard]] std::uint8_t pixel(int plane, int x, int y) const {
    const Place across = place(x, in_.width, ToneCurve::kColumns);
    const Place down = place(y, in_.height, ToneCurve::kRows);
    const int level = luma(x, y);
    const auto row = [&](int tile_row) {
      return gain(across.tile, tile_row, level) * (256 - across.weight) +
             gain(across.tile + 1, tile_row, level) * across.weight;
    };
    const std::int64_t gain =
        (row(down.tile) * (256 - down.weight) + row(down.tile + 1) * down.weight + 32768) / 65536;
    return static_cast<std::uint8_t>(
        std::min<std::int64_t>(255, (in_.at(plane, x, y) * gain + 128) / 256));
  }

 private:
  struct Place {
    int tile;
    std::int64_t weight;
  };
  [[nodiscard]] int luma(int x, int y) const {
    if (in_.count == 1) return in_.at(0, x, y);
    return (77 * in_.at(0, x, y) + 150 * in_.at(1, x, y) + 29 * in_.at(2, x, y) + 128) / 256;
  }
  static int begin(int tile, int tiles, int side) { return side * tile / tiles; }
  static Place place(int i, int side, int tiles) {
    const auto middle = [&](int tile) {
      return begin(tile, tiles, side) + begin(tile + 1, tiles, side) - 1;
    };
    if (2 * i <= middle(0)) return {0, 0};
    if (2 * i >= middle(tiles - 1)) return {tiles - 2, 256};
    int tile = 0;
    while (2 * i >= middle(tile + 1)) ++tile;
    const std::int64_t all = middle(tile + 1) - middle(tile);
    return {tile, (256 * (2 * i - middle(tile)) + all / 2) / all};
  }
  void count_tile(int column, int row) {
    std::int64_t histogram[256] = {}, count = 0, excess = 0, up_to = 0;
    for (int y = begin(row, ToneCurve::kRows, in_.height);
         y < begin(row + 1, ToneCurve::kRows, in_.height); ++y)
      for (int x = begin(column, ToneCurve::kColumns, in_.width);
           x < begin(column + 1, ToneCurve::kColumns, in_.width); ++x)
        if (x % 2 == 0 && y % 2 == 0) {
          ++histogram[luma(x, y)];
          ++count;
        }
    const std::int64_t limit =
        std::max<std::int64_t>(1, count * std::lround(256 * s_.max_slope) / 65536);
    for (std::int64_t& n : histogram) {
      excess += std::max<std::int64_t>(0, n - limit);
      n = std::min(n, limit);
    }
    for (int i = 0; i < 256; ++i) {
      histogram[i] += excess / 256 + (i < excess % 256 ? 1 : 0);
      up_to += histogram[i];
      local_[row][column][i] = (255 * up_to + count / 2) / count;
    }
  }
  [[nodiscard]] std::int64_t gain(int column, int row, int level) const {
    const int i = std::max(level, 1);
    const std::int64_t divisor = 255 * 256 + k_ * i;
    const std::int64_t global = (255 * i * (256 + k_) + divisor / 2) / divisor;
    const std::int64_t mixed =
        (global * (256 - share_) + local_[row][column][i] * share_ + 128) / 256;
    return (256 * std::max<std::int64_t>(mixed, i) + i / 2) / i;
  }

  ToneCurveSettings s_;
  const NightCanvas& in_;
  std::int64_t k_ = 0, share_ = 0;
  std::int64_t local_[ToneCurve::kRows][ToneCurve::kColumns][256] = {};
};

TEST(every_pixel_is_as_defined) {
  int changed = 0;
  for (const ToneCase& c : kToneCases) {
    const NightCanvas in = dark_picture(c.planes, c.width, c.height, 3, c.brightest, 11);
    const ToneOracle oracle{c.settings, in};
    changed += oracle.k() > 0 ? 1 : 0;
    const NightCanvas out = brightened(c.settings, in, 2, 5);
    for (int p = 0; p < c.planes; ++p)
      for (int y = 0; y < c.height; ++y) {
        for (int x = 0; x < c.width; ++x)
          TEST_ASSERT_EQUAL_UINT8(oracle.pixel(p, x, y), out.at(p, x, y));
        for (int x = c.width; x < out.stride; ++x)  // what lies beyond stays
          TEST_ASSERT_EQUAL_HEX8(0xa5, out.at(p, x, y));
      }
  }
  TEST_ASSERT_GREATER_THAN(7, changed);
}

TEST(bright_pictures_stay_bit_for_bit) {
  for (const int planes : {1, 3}) {
    ToneCurveSettings settings;
    settings.local = 1;
    NightCanvas in = dark_picture(planes, 200, 100, 0, 255, 3);  // its mean is about 85
    Result<ToneCurve> curve = make_curve(settings, in);
    TEST_ASSERT_OK(curve);
    Workers workers{2};
    NightCanvas out{planes, 200, 100};
    Result<bool> changed = curve->run(workers, in.from(), out.to());
    TEST_ASSERT_OK(changed);
    TEST_ASSERT_FALSE(*changed);
    TEST_ASSERT_EQUAL_INT(256, curve->last_gain());
    for (std::uint8_t& b : in.bytes) b = static_cast<std::uint8_t>(b / 2);
    changed = curve->run(workers, in.from(), out.to());
    TEST_ASSERT_OK(changed);
    TEST_ASSERT_TRUE(*changed);
    TEST_ASSERT_GREATER_THAN(256, curve->last_gain());
  }
}

/// No jump where a picture is just too dark: a camera at dusk passes this point.
TEST(just_below_the_target_little_changes) {
  ToneCurveSettings settings;
  settings.local = 1;
  NightCanvas in{1, 64, 64, 0, 64};
  TEST_ASSERT_TRUE(brightened(settings, in).bytes == in.bytes);
  for (std::size_t i = 0; i < in.bytes.size(); i += 16) in.bytes[i] = 62;
  const NightCanvas out = brightened(settings, in);
  for (std::size_t i = 0; i < in.bytes.size(); ++i)
    TEST_ASSERT_INT_WITHIN(2, in.bytes[i], out.bytes[i]);
}

TEST(the_mean_reaches_the_target_unless_the_gain_is_limited) {
  ToneCurveSettings settings;
  settings.max_gain = 16;
  settings.local = 0;
  const auto mean_of = [](const NightCanvas& c) {
    double sum = 0;
    for (const std::uint8_t b : c.bytes) sum += b;
    return sum / static_cast<double>(c.bytes.size());
  };
  const NightCanvas flat{1, 64, 64, 0, 20};
  TEST_ASSERT_DOUBLE_WITHIN(0.6, 64, mean_of(brightened(settings, flat)));
  settings.max_gain = 2;
  TEST_ASSERT_DOUBLE_WITHIN(1.5, 37, mean_of(brightened(settings, flat)));  // 255*20*2/(255+20)
}

/// Noise in the dark is amplified by max_gain at most.
TEST(no_step_of_the_global_curve_is_steeper_than_the_gain) {
  for (const double most : {1.5, 3.0, 16.0}) {
    ToneCurveSettings settings;
    settings.max_gain = most;
    settings.local = 0;
    settings.target = 200;
    NightCanvas in{1, 64, 64, 0, 2};
    for (int i = 0; i < 256; ++i)
      in.bytes[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i);
    const NightCanvas out = brightened(settings, in);
    for (std::size_t i = 1; i < 256; ++i) {
      TEST_ASSERT_GREATER_OR_EQUAL(out.bytes[i - 1], out.bytes[i]);
      TEST_ASSERT_LESS_OR_EQUAL(static_cast<int>(std::ceil(most)), out.bytes[i] - out.bytes[i - 1]);
    }
  }
}

TEST(nothing_becomes_darker) {
  for (const ToneCase& c : kToneCases) {
    const NightCanvas in = dark_picture(c.planes, c.width, c.height, 0, c.brightest, 5);
    const NightCanvas out = brightened(c.settings, in);
    for (std::size_t i = 0; i < in.bytes.size(); ++i)
      TEST_ASSERT_GREATER_OR_EQUAL(in.bytes[i], out.bytes[i]);
  }
}

TEST(hues_stay) {
  NightCanvas in{3, 64, 48};
  const int colour[3] = {24, 12, 6};
  for (int p = 0; p < 3; ++p)
    for (int y = 0; y < 48; ++y)
      for (int x = 0; x < 64; ++x)
        in.bytes[in.index(p, x, y)] = static_cast<std::uint8_t>(colour[p]);
  const NightCanvas out = brightened({}, in);
  TEST_ASSERT_GREATER_THAN(50, out.at(0, 5, 5));
  TEST_ASSERT_INT_WITHIN(1, out.at(0, 5, 5), 2 * out.at(1, 5, 5));
  TEST_ASSERT_INT_WITHIN(2, out.at(0, 5, 5), 4 * out.at(2, 5, 5));
}

TEST(threads_change_nothing) {
  for (const ToneCase& c : kToneCases) {
    const NightCanvas in = dark_picture(c.planes, c.width, c.height, 0, c.brightest, 9);
    TEST_ASSERT_TRUE(brightened(c.settings, in, 1).bytes == brightened(c.settings, in, 3).bytes);
  }
}

TEST(a_frame_allocates_nothing) {
  ToneCurveSettings settings;
  settings.local = 0.5;
  const NightCanvas in = dark_picture(3, 320, 240, 0, 60, 2);
  Result<ToneCurve> curve = make_curve(settings, in);
  TEST_ASSERT_OK(curve);
  Workers workers{2};
  NightCanvas out{3, 320, 240};
  TEST_ASSERT_OK(curve->run(workers, in.from(), out.to()));
  const std::uint64_t before = allocations();
  for (int i = 0; i < 3; ++i) TEST_ASSERT_OK(curve->run(workers, in.from(), out.to()));
  TEST_ASSERT_EQUAL(before, allocations());
}

TEST(what_is_refused) {
  const auto made = [](const ToneCurveSettings& s, int width = 64, int height = 48,
                       int planes = 1) {
    return ToneCurve::create(context(), s, width, height, planes);
  };
  TEST_ASSERT_OK(made({}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, made({0, 4, 0, 3}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, made({201, 4, 0, 3}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, made({64, 0.9, 0, 3}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, made({64, std::nan(""), 0, 3}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, made({64, 4, 1.1, 3}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, made({64, 4, 0, 17}));
  TEST_ASSERT_ERROR(Errc::invalid_argument, made({}, 15));
  TEST_ASSERT_ERROR(Errc::invalid_argument, made({}, 64, 20000));
  TEST_ASSERT_ERROR(Errc::invalid_argument, made({}, 64, 48, 2));

  Result<ToneCurve> curve = made({});
  Workers workers{1};
  const NightCanvas in{1, 64, 48, 0, 20};
  NightCanvas out{1, 64, 48}, low{1, 64, 47}, three{3, 64, 48};
  TEST_ASSERT_OK(curve->run(workers, in.from(), out.to()));
  TEST_ASSERT_ERROR(Errc::invalid_argument, curve->run(workers, in.from(), low.to()));
  TEST_ASSERT_ERROR(Errc::invalid_argument, curve->run(workers, in.from(), three.to()));
  TEST_ASSERT_ERROR(Errc::invalid_argument, curve->run(workers, out.from(), out.to()));
  TEST_ASSERT_ERROR(Errc::invalid_argument, curve->run(workers, {}, out.to()));
  // Without CUDA or with a CPU's curve: not on a stream.
  TEST_ASSERT_ERROR(
      Errc::unsupported,
      curve->run(
          StreamRef{static_cast<CUstream_st*>(nullptr)},
          PlanesView<Space::device, const std::uint8_t>{in.bytes.data(), 1, 64, 48, 64, 64 * 48},
          PlanesView<Space::device, std::uint8_t>{out.bytes.data(), 1, 64, 48, 64, 64 * 48}));
}

}  // namespace
