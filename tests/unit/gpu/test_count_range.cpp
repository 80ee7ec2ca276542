// SPDX-License-Identifier: Apache-2.0
// The automatic range of a thermal camera: against sorting, and what it is for. A hot thing does
// not make the picture jump, noise is not stretched, a shutter leaves no trace.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "gpu/image/count_range.hpp"
#include "gpu/image/counts.hpp"
#include "gpu/image/preparer.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/count_oracle.hpp"
#include "tests/unit/gpu/pictures.hpp"

using namespace kerb;
using namespace kerb::test;

namespace {

constexpr PixelFormat kDeep[] = {PixelFormat::grey10, PixelFormat::grey12, PixelFormat::grey14,
                                 PixelFormat::grey16};
constexpr int kWidth = 160, kHeight = 120;

FrameSourceInfo source_of(PixelFormat format, int width, int height) {
  FrameSourceInfo info;
  info.format = format;
  info.width = width;
  info.height = height;
  return info;
}

/// A picture of counts, to be painted.
struct Counts {
  std::vector<std::uint16_t> samples;
  int width, height;
  explicit Counts(int count = 0, int w = kWidth, int h = kHeight)
      : samples(static_cast<std::size_t>(w * h), static_cast<std::uint16_t>(count)),
        width{w},
        height{h} {}
  [[nodiscard]] RawImageView<Space::host> view(PixelFormat format = PixelFormat::grey16) const {
    RawImageView<Space::host> in;
    in.data = reinterpret_cast<const std::uint8_t*>(samples.data());
    in.width = width;
    in.height = height;
    in.row_stride = 2 * width;
    in.format = format;
    return in;
  }
  std::uint16_t& at(int x, int y) { return samples[static_cast<std::size_t>(y * width + x)]; }
  void paint(int x0, int y0, int w, int h, int count) {
    for (int y = y0; y < y0 + h; ++y)
      for (int x = x0; x < x0 + w; ++x) at(x, y) = static_cast<std::uint16_t>(count);
  }
  /// About a bell of this deviation: the sum of twelve uniform numbers.
  void add_noise(double deviation, std::uint64_t seed) {
    Random random{seed};
    for (std::uint16_t& s : samples) {
      double sum = -6;
      for (int i = 0; i < 12; ++i) sum += static_cast<double>(random.next() >> 11) * 0x1p-53;
      s = static_cast<std::uint16_t>(std::clamp(s + deviation * sum, 0.0, 65535.0));
    }
  }
};

/// A street at night: cold sky, a road, a wall, and somebody. About 6 K from black to white.
Counts street(std::uint64_t seed, int offset = 0) {
  Counts c{7000 + offset};
  c.paint(0, 0, kWidth, 40, 6800 + offset);
  for (int y = 60; y < kHeight; ++y) c.paint(0, y, kWidth, 1, 7000 + 2 * (y - 60) + offset);
  c.paint(10, 30, 30, 40, 7100 + offset);
  c.paint(100, 45, 10, 30, 7400 + offset);
  c.add_noise(3, seed);
  return c;
}

struct Camera {
  explicit Camera(const CountRangeSettings& settings = {}, PixelFormat format = PixelFormat::grey16,
                  int width = kWidth, int height = kHeight) {
    Result<Context> made = Context::create(BackendChoice::cpu);
    TEST_ASSERT_OK(made);
    context = std::make_unique<Context>(std::move(*made));
    auto prepares =
        Preparer::create(*context, nullptr, source_of(format, width, height), false, &settings);
    TEST_ASSERT_OK(prepares);
    preparer = std::move(*prepares);
  }
  std::vector<std::uint8_t> look(const RawImageView<Space::host>& in) {
    const Result<PreparedImage> out = preparer->prepare(in);
    TEST_ASSERT_OK(out);
    std::vector<std::uint8_t> grey;
    for (int y = 0; y < out->grey.height; ++y)
      grey.insert(grey.end(), out->grey.data + y * out->grey.row_stride,
                  out->grey.data + y * out->grey.row_stride + out->grey.width);
    return grey;
  }
  std::vector<std::uint8_t> look(const Counts& counts) { return look(counts.view()); }
  [[nodiscard]] CountMap map() const { return *preparer->count_map(); }

  std::unique_ptr<Context> context;
  std::unique_ptr<Preparer> preparer;
};

double deviation_of(const std::vector<std::uint8_t>& grey) {
  double sum = 0, squares = 0;
  for (const std::uint8_t g : grey) {
    sum += g;
    squares += double(g) * g;
  }
  const double n = static_cast<double>(grey.size());
  return std::sqrt(squares / n - sum / n * sum / n);
}

int largest_step(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  int most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(int{a[i]} - int{b[i]}));
  return most;
}

void expect_equal(const CountMap& expected, const CountMap& actual, const char* what) {
  TEST_ASSERT_EQUAL_UINT32_MESSAGE(expected.low, actual.low, what);
  TEST_ASSERT_EQUAL_UINT32_MESSAGE(expected.span, actual.span, what);
}

// --- the operators

TEST(the_histogram_counts_every_sample_once_by_its_own_bits) {
  each_picture([](const Picture& picture) {
    const RawImageView<Space::host>& in = picture.view;
    if (bit_depth(in.format) == 8 || is_bayer(in.format) || in.mosaic != 0) return;
    std::vector<std::uint32_t> expected(std::size_t{1} << bit_depth(in.format), 0);
    for (const std::uint32_t count : counts_of(in)) ++expected[count];
    std::vector<std::uint32_t> histogram(expected.size(), 77);
    TEST_ASSERT_OK(cpu::count_samples(in, histogram.data()));
    TEST_ASSERT_TRUE_MESSAGE(expected == histogram, picture.name().c_str());
  });
}

TEST(a_map_is_the_ratio_exact_at_its_ends_and_never_falls) {
  constexpr CountMap kMaps[] = {{0, 65535},     {0, 1},         {65535, 1}, {7000, 255},
                                {7000, 1000},   {100, 55900},   {3, 33333}, {1000, 254},
                                {40000, 40000}, {65535, 65535}, {12345, 2}};
  Counts all{0, 256, 256};
  for (std::size_t i = 0; i < all.samples.size(); ++i)
    all.samples[i] = static_cast<std::uint16_t>(i);
  std::vector<std::uint8_t> grey(65536);
  for (const CountMap& map : kMaps) {
    TEST_ASSERT_OK(cpu::map_counts(all.view(), map, {grey.data(), 256, 256, 256}));
    for (std::uint32_t c = 0; c < 65536; ++c) {
      TEST_ASSERT_TRUE(is_level(c, map, grey[c]));
      TEST_ASSERT_TRUE(c == 0 || grey[c] >= grey[c - 1]);
    }
  }
}

TEST(a_map_writes_nothing_but_its_pixels_and_ignores_bits_above_the_depth) {
  each_picture([](const Picture& picture) {
    const RawImageView<Space::host>& in = picture.view;
    if (bit_depth(in.format) == 8 || is_bayer(in.format) || in.mosaic != 0) return;
    const int stride = in.width + 3;
    const CountMap map{200, 700};
    std::vector<std::uint8_t> grey(static_cast<std::size_t>(stride * in.height), 0xa5);
    TEST_ASSERT_OK(cpu::map_counts(in, map, {grey.data(), in.width, in.height, stride}));
    const std::vector<std::uint32_t> counts = counts_of(in);
    for (int y = 0; y < in.height; ++y)
      for (int x = 0; x < stride; ++x) {
        const int value = grey[static_cast<std::size_t>(y * stride + x)];
        if (x >= in.width)
          TEST_ASSERT_EQUAL_INT(0xa5, value);
        else
          TEST_ASSERT_TRUE_MESSAGE(
              is_level(counts[static_cast<std::size_t>(y * in.width + x)], map, value),
              picture.name().c_str());
      }
  });
}

TEST(the_operators_refuse_what_are_no_counts) {
  std::vector<std::uint32_t> histogram(65536);
  std::vector<std::uint8_t> grey(64 * 48);
  const ImageView<Space::host, std::uint8_t> out{grey.data(), 64, 48, 64};
  for (const PixelFormat format : kAllFormats) {
    const Picture picture{format, 64, 48, 0};
    const bool counts = bit_depth(format) > 8 && !is_bayer(format);
    TEST_ASSERT_EQUAL(counts, bool{cpu::count_samples(picture.view, histogram.data())});
    TEST_ASSERT_EQUAL(counts, bool{cpu::map_counts(picture.view, {0, 255}, out)});
  }
  const Picture good{PixelFormat::grey14, 64, 48, 0}, mosaic{PixelFormat::grey14, 64, 48, 0, 4};
  TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::count_samples(mosaic.view, histogram.data()));
  TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::count_samples(good.view, nullptr));
  for (const CountMap& map : {CountMap{0, 0}, CountMap{0, 65536}, CountMap{65536, 255}})
    TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::map_counts(good.view, map, out));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    cpu::map_counts(good.view, {0, 255}, {grey.data(), 64, 47, 64}));
  const auto refused = [&](auto change) {
    RawImageView<Space::host> in = good.view;
    change(in);
    TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::count_samples(in, histogram.data()));
    TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::map_counts(in, {0, 255}, out));
  };
  refused([](auto& in) { in.data = nullptr; });
  refused([](auto& in) { in.row_stride = 127; });
  refused([](auto& in) { in.row_stride = 126; });
  refused([](auto& in) { ++in.data; });
  refused([](auto& in) { in.width = 0; });
  refused([](auto& in) { in.height = -1; });
  refused([](auto& in) { in.format = static_cast<PixelFormat>(99); });
}

// --- the range

TEST(settings_beyond_their_limits_are_refused) {
  const auto refused = [](int bits, auto change) {
    CountRangeSettings s;
    change(s);
    TEST_ASSERT_ERROR(Errc::invalid_argument, CountRange::create(s, bits));
  };
  for (const int bits : {-1, 0, 8, 17, 32}) refused(bits, [](auto&) {});
  for (const int share : {-1, 4001, 1 << 30}) {
    refused(16, [=](auto& s) { s.black_permyriad = share; });
    refused(16, [=](auto& s) { s.white_permyriad = share; });
  }
  for (const int span : {-5, 0, 65536}) refused(16, [=](auto& s) { s.min_span = span; });
  for (const int frames : {-1, 0, 256}) refused(16, [=](auto& s) { s.smooth_frames = frames; });
  for (const int frames : {-1, 10001}) refused(16, [=](auto& s) { s.hold_frames = frames; });
  TEST_ASSERT_OK(CountRange::create({}, 9));
  TEST_ASSERT_OK(CountRange::create({0, 0, 1, 1, 0}, 16));
  TEST_ASSERT_OK(CountRange::create({4000, 4000, 65535, 255, 10000}, 10));
}

/// Random settings, and scenes that stay, move, jump, freeze, go flat and go to the extremes.
TEST(the_range_is_that_of_sorting_whatever_comes) {
  int held = 0, repeated = 0, jumped = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    Random random{seed};
    const auto upto = [&](std::uint64_t n) { return static_cast<int>(random.next() % n); };
    CountRangeSettings settings;
    settings.black_permyriad = upto(4001);
    settings.white_permyriad = seed % 3 == 0 ? 0 : upto(4001);
    settings.min_span = 1 + upto(seed % 2 == 0 ? 300 : 65535);
    settings.smooth_frames = 1 + upto(40);
    settings.hold_frames = upto(6);
    const PixelFormat format = kDeep[seed % 4];
    const int bits = bit_depth(format), most = (1 << bits) - 1;
    const int width = 1 + upto(17), height = 1 + upto(9);
    Result<CountRange> range = CountRange::create(settings, bits);
    TEST_ASSERT_OK(range);
    CountOracle oracle{settings, bits};
    std::vector<std::uint32_t> histogram(std::size_t{1} << bits);
    Counts picture{0, width, height};
    int low = upto(static_cast<std::uint64_t>(most)), spread = 1 + upto(500);
    CountMap before{};
    for (int frame = 0; frame < 60; ++frame) {
      const int event = upto(12);
      if (event == 0) low = upto(static_cast<std::uint64_t>(most));  // another scene
      if (event == 1) spread = 1 + upto(static_cast<std::uint64_t>(most));
      if (event != 2)  // else the camera repeats itself
        for (std::uint16_t& s : picture.samples) {
          const int flat = event == 3 ? 2 : spread;  // a shutter
          s = static_cast<std::uint16_t>(
              std::min(low + upto(static_cast<std::uint64_t>(flat)), most));
          if (event == 4 && upto(20) == 0) s = upto(2) == 0 ? 0 : 0xffff;  // dead pixels
        }
      TEST_ASSERT_OK(cpu::count_samples(picture.view(format), histogram.data()));
      const CountMap expected = oracle.update(counts_of(picture.view(format)));
      const CountMap actual = range->update(histogram.data(), picture.samples.size());
      expect_equal(expected, actual, ("seed " + std::to_string(seed)).c_str());
      expect_equal(expected, range->map(), "and it stays");
      TEST_ASSERT_TRUE(actual.span >= static_cast<std::uint32_t>(settings.min_span));
      TEST_ASSERT_TRUE(actual.low <= static_cast<std::uint32_t>(most) && actual.span <= 65535);
      const bool same = frame > 0 && before.low == actual.low && before.span == actual.span;
      repeated += event == 2 && same ? 1 : 0;
      held += event == 3 && same ? 1 : 0;
      jumped += event == 0 && !same ? 1 : 0;
      before = actual;
    }
    range->forget();
    CountOracle fresh{settings, bits};
    expect_equal(fresh.update(counts_of(picture.view(format))),
                 range->update(histogram.data(), picture.samples.size()), "after forget()");
  }
  TEST_ASSERT_TRUE(repeated > 100 && held > 50 && jumped > 100);  // it was about these
}

TEST(no_pixels_leave_the_range_as_it_is) {
  Result<CountRange> range = CountRange::create({}, 16);
  TEST_ASSERT_OK(range);
  std::vector<std::uint32_t> histogram(65536, 0);
  histogram[7000] = 10;
  const CountMap first = range->update(histogram.data(), 10);
  histogram[7000] = 0;
  expect_equal(first, range->update(histogram.data(), 0), "empty");
}

TEST(a_uniform_scene_is_grey_and_its_noise_is_not_stretched) {
  Camera camera;
  Counts wall{7000};
  std::vector<std::uint8_t> grey = camera.look(wall);
  for (const std::uint8_t g : grey) TEST_ASSERT_INT_WITHIN(1, 127, g);
  for (std::uint64_t seed = 1; seed < 200; ++seed) {  // past the hold, which must not matter
    Counts noisy{7000};
    noisy.add_noise(3, seed);
    grey = camera.look(noisy);
    TEST_ASSERT_TRUE(deviation_of(grey) < 3.5);
  }
  TEST_ASSERT_EQUAL_UINT32(255, camera.map().span);
}

TEST(extreme_pictures_become_sane_ones) {
  for (const PixelFormat format : kDeep)
    for (const int count : {0, 1, 255, 0xffff}) {  // bits above the depth do not count
      Camera camera{{}, format};
      const Counts flat{count};
      for (const std::uint8_t g : camera.look(flat.view(format)))
        TEST_ASSERT_TRUE((count != 0xffff || g == 255) && (count != 0 || g == 0));
      Counts both = flat;  // then half of it the other end
      both.paint(0, 0, kWidth / 2, kHeight, 0xffff - count);
      const std::vector<std::uint8_t> grey = camera.look(both.view(format));
      const auto [least, most] = std::ranges::minmax(grey);
      TEST_ASSERT_TRUE(least < most);
    }
}

TEST(somebody_stands_out_and_is_not_white_all_over) {
  Camera camera;
  const std::vector<std::uint8_t> grey = camera.look(street(1));
  const auto at = [&](int x, int y) { return int{grey[static_cast<std::size_t>(y * kWidth + x)]}; };
  TEST_ASSERT_TRUE(at(105, 60) > at(80, 60) + 100);
  const auto white = static_cast<double>(std::ranges::count(grey, 255));
  TEST_ASSERT_TRUE(white < 0.02 * kWidth * kHeight);
}

/// The same street as the top 8 bits of its counts: nothing can be seen in it.
TEST(without_a_range_nothing_would_be_seen) {
  Result<Context> context = Context::create(BackendChoice::cpu);
  auto plain = Preparer::create(*context, nullptr, source_of(PixelFormat::grey16, kWidth, kHeight));
  TEST_ASSERT_OK(plain);
  const Counts counts = street(1);
  const Result<PreparedImage> out = (*plain)->prepare(counts.view());
  TEST_ASSERT_OK(out);
  TEST_ASSERT_INT_WITHIN(2, out->grey.data[80 + 60 * out->grey.row_stride],
                         out->grey.data[105 + 60 * out->grey.row_stride]);
}

TEST(a_hot_thing_that_comes_into_view_does_not_make_the_picture_jump) {
  for (const int frames : {9, 30, 60}) {  // a second of common cameras
    CountRangeSettings settings;
    settings.smooth_frames = frames;
    Camera camera{settings};
    for (std::uint64_t i = 1; i < 10; ++i) static_cast<void>(camera.look(street(i)));
    const Counts scene = street(10);
    const auto shown = [&] {
      std::vector<std::uint8_t> grey(scene.samples.size());
      TEST_ASSERT_OK(
          cpu::map_counts(scene.view(), camera.map(), {grey.data(), kWidth, kHeight, kWidth}));
      return grey;
    };
    const CountMap cool = camera.map();
    std::vector<std::uint8_t> before = shown();
    int steps = 0;
    const std::uint64_t hot = 10 + 12 * static_cast<std::uint64_t>(frames), end = 2 * hot;
    for (std::uint64_t i = 10; i < end; ++i) {
      Counts c = street(i);
      // A lorry's exhaust, 20 times as hot above the road as somebody, over 3 % of the picture;
      // after a while it is gone.
      if (i < hot) c.paint(40, 70, 30, 20, 15000);
      static_cast<void>(camera.look(c));
      if (i == hot - 1) TEST_ASSERT_INT_WITHIN(20, 15000, camera.map().low + camera.map().span);
      const std::vector<std::uint8_t> after = shown();
      steps = std::max(steps, largest_step(before, after));
      before = after;
    }
    std::printf("%d frames: largest step of a pixel between pictures %d levels\n", frames, steps);
    TEST_ASSERT_TRUE(steps <= 510 / frames + 3);
    TEST_ASSERT_INT_WITHIN(20, cool.span, camera.map().span);
  }
}

TEST(a_hot_thing_under_half_a_percent_changes_nothing) {
  Camera with, without;
  for (std::uint64_t i = 1; i < 60; ++i) {
    Counts c = street(i);
    static_cast<void>(without.look(c));
    c.paint(50, 80, 9, 10, 60000);  // 90 of 19200 pixels
    static_cast<void>(with.look(c));
  }
  const double black = 1.0 * with.map().low - without.map().low;
  const double span = 1.0 * with.map().span - without.map().span;
  TEST_ASSERT_TRUE(std::abs(black) <= 4 && std::abs(span) <= 0.1 * without.map().span);
}

TEST(a_picture_that_stands_still_stays_the_same_and_the_range_goes_on_afterwards) {
  Camera frozen, plain;
  for (std::uint64_t i = 1; i < 20; ++i) {
    static_cast<void>(frozen.look(street(i)));
    static_cast<void>(plain.look(street(i)));
  }
  Counts hot = street(20);
  hot.paint(40, 70, 30, 20, 15000);  // it freezes just when there is much to adapt to
  const std::vector<std::uint8_t> first = frozen.look(hot);
  static_cast<void>(plain.look(hot));
  for (int i = 0; i < 300; ++i) TEST_ASSERT_TRUE(first == frozen.look(hot));
  expect_equal(plain.map(), frozen.map(), "as if it had not stood still");
  TEST_ASSERT_TRUE(frozen.look(street(21)) == plain.look(street(21)));
}

TEST(a_closed_shutter_leaves_no_trace) {
  for (const int shutter : {7050, 9000, 100, 65535}) {  // as warm as the scene, or not
    Camera with, without;
    for (std::uint64_t i = 1; i < 20; ++i) {
      static_cast<void>(with.look(street(i)));
      static_cast<void>(without.look(street(i)));
    }
    const CountMap before = with.map();
    for (std::uint64_t i = 100; i < 160; ++i) {  // two seconds at 30 Hz
      Counts closed{shutter};
      closed.add_noise(4, i);
      static_cast<void>(with.look(closed));
      expect_equal(before, with.map(), "while it is closed");
    }
    TEST_ASSERT_TRUE(with.look(street(21)) == without.look(street(21)));
  }
}

TEST(a_scene_that_loses_its_contrast_for_good_is_followed) {
  CountRangeSettings settings;
  settings.hold_frames = 30;
  Camera camera{settings};
  for (std::uint64_t i = 1; i < 20; ++i) static_cast<void>(camera.look(street(i)));
  std::vector<std::uint8_t> grey;
  for (std::uint64_t i = 100; i < 140; ++i) {
    Counts fog{9000};
    fog.add_noise(4, i);
    grey = camera.look(fog);
    if (i == 129) TEST_ASSERT_EQUAL_INT(255, grey[0]);  // still held
  }
  TEST_ASSERT_INT_WITHIN(40, 127, grey[0]);
}

TEST(another_gain_of_the_camera_is_followed_at_once) {
  Camera camera;
  for (std::uint64_t i = 1; i < 20; ++i) static_cast<void>(camera.look(street(i)));
  const std::vector<std::uint8_t> before = camera.look(street(20));
  const std::vector<std::uint8_t> after = camera.look(street(20, 12000));
  Camera fresh;
  TEST_ASSERT_TRUE(fresh.look(street(20, 12000)) == after);
  TEST_ASSERT_TRUE(deviation_of(after) > 0.7 * deviation_of(before));
}

// --- the preparer

TEST(a_preparer_with_a_range_shows_what_the_oracle_says) {
  for (const PixelFormat format : kDeep)
    for (const Size size : {Size{1, 1}, Size{33, 9}, Size{130, 50}}) {
      const CountRangeSettings settings{100, 100, 40, 5, 2};
      Camera camera{settings, format, size.width, size.height};
      CountOracle oracle{settings, bit_depth(format)};
      for (std::uint64_t seed = 1; seed < 6; ++seed) {
        const Picture picture{format, size.width, size.height, 6, 0, BayerOrder::rggb, seed};
        const std::vector<std::uint8_t> grey = camera.look(picture.view);
        const std::vector<std::uint32_t> counts = counts_of(picture.view);
        const CountMap map = oracle.update(counts);
        for (std::size_t i = 0; i < counts.size(); ++i)
          TEST_ASSERT_TRUE_MESSAGE(is_level(counts[i], map, grey[i]), picture.name().c_str());
      }
    }
}

TEST(a_preparer_refuses_a_range_where_there_are_no_counts) {
  Result<Context> context = Context::create(BackendChoice::cpu);
  const CountRangeSettings settings;
  for (const PixelFormat format : kAllFormats) {
    const bool counts = bit_depth(format) > 8 && !is_bayer(format);
    TEST_ASSERT_EQUAL(counts, bool{Preparer::create(*context, nullptr, source_of(format, 64, 48),
                                                    false, &settings)});
  }
  FrameSourceInfo mosaic = source_of(PixelFormat::grey14, 64, 48);
  mosaic.mosaic = 4;
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    Preparer::create(*context, nullptr, mosaic, false, &settings));
  TEST_ASSERT_ERROR(
      Errc::unsupported,
      Preparer::create(*context, nullptr, source_of(PixelFormat::grey14, 64, 48), true, &settings));
  const CountRangeSettings wrong{50, 50, 0, 30, 90};
  TEST_ASSERT_ERROR(
      Errc::invalid_argument,
      Preparer::create(*context, nullptr, source_of(PixelFormat::grey14, 64, 48), false, &wrong));
}

TEST(a_preparer_with_a_range_refuses_pictures_of_another_size_and_goes_on) {
  Camera camera;
  const Counts good = street(1);
  const std::vector<std::uint8_t> before = camera.look(good);
  const auto refused = [&](auto change) {
    RawImageView<Space::host> in = good.view();
    change(in);
    TEST_ASSERT_ERROR(Errc::invalid_argument, camera.preparer->prepare(in));
  };
  refused([](auto& in) { in.width = 80; });
  refused([](auto& in) { in.height = 122; });  // with telemetry rows
  refused([](auto& in) { in.format = PixelFormat::grey14; });
  refused([](auto& in) { in.format = PixelFormat::grey8; });
  refused([](auto& in) { in.data = nullptr; });
  refused([](auto& in) { in.row_stride = 2 * kWidth - 2; });
  refused([](auto& in) { in.row_stride = 2 * kWidth + 1; });
  refused([](auto& in) { in.mosaic = 2; });
  TEST_ASSERT_TRUE(before == camera.look(good));
}

TEST(a_preparer_that_forgets_is_like_new) {
  Camera used, fresh;
  for (std::uint64_t i = 1; i < 20; ++i) static_cast<void>(used.look(street(i, 300)));
  used.preparer->forget();
  TEST_ASSERT_TRUE(used.look(street(30)) == fresh.look(street(30)));
}

TEST(a_range_allocates_nothing_per_frame) {
  Camera camera;
  const Counts one = street(1), two = street(2), flat{9000};
  bool good = true;
  const std::uint64_t before = allocations();
  for (int i = 0; i < 30; ++i) {
    const Counts& c = i % 3 == 0 ? one : i % 3 == 1 ? two : flat;
    good &= bool{camera.preparer->prepare(c.view())};
  }
  camera.preparer->forget();
  const std::uint64_t after = allocations();
  TEST_ASSERT_EQUAL(before, after);
  TEST_ASSERT_TRUE(good);
}

}  // namespace
