// SPDX-License-Identifier: Apache-2.0
// Signatures of pixels: local histograms against plain counting, bands against the rule as it is
// written, and what exposure and light do to them.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "gpu/emd/signatures.hpp"
#include "tests/support/random.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using namespace kerb::emd;
using namespace kerb::test;

namespace {

struct Picture {
  int width, height, stride;
  std::vector<std::uint8_t> samples;
  Picture(int w, int h, int padding, std::uint64_t seed)
      : width{w}, height{h}, stride{w + padding} {
    Random random{seed};
    for (int i = 0; i < stride * h; ++i)
      samples.push_back(static_cast<std::uint8_t>(random.next()));
  }
  [[nodiscard]] ImageView<Space::host, const std::uint8_t> view() const {
    return {samples.data(), width, height, stride};
  }
};

int mass_of(const Signature& s) { return std::accumulate(s.bins.begin(), s.bins.end(), 0); }

TEST(windows_count_every_pixel_once) {
  Workers workers{2};
  for (const auto& [w, h, window, bins] :
       {std::array{1, 1, 11, 11}, std::array{3, 300, 1, 2}, std::array{300, 70, 11, 11},
        std::array{40, 30, 15, 16}, std::array{257, 65, 3, 5}}) {
    const Picture in{w, h, 5, 1};
    WindowSettings settings;
    settings.bins = bins;
    settings.window = window;
    settings.levels = even_bins(bins);
    const int stride = w + 3, half = window / 2;
    std::vector<Signature> out(static_cast<std::size_t>(stride * h));
    TEST_ASSERT_OK(
        cpu::window_signatures(workers, in.view(), settings, {out.data(), w, h, stride}));
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) {
        Signature expected;
        for (int dy = -half; dy <= half; ++dy)
          for (int dx = -half; dx <= half; ++dx) {
            const int sx = std::clamp(x + dx, 0, w - 1), sy = std::clamp(y + dy, 0, h - 1);
            const int level = in.samples[static_cast<std::size_t>(sy * in.stride + sx)];
            ++expected.bins[static_cast<std::size_t>(level * bins / 256)];
          }
        const Signature& actual = out[static_cast<std::size_t>(y * stride + x)];
        TEST_ASSERT_TRUE(actual.bins == expected.bins);
        TEST_ASSERT_EQUAL(settings.mass(), mass_of(actual));
      }
  }
}

TEST(equalised_bins_do_not_see_exposure) {
  Workers workers{1};
  Picture dark{60, 50, 0, 3};
  for (auto& s : dark.samples) s = static_cast<std::uint8_t>(s / 3);  // 0..85
  Picture bright = dark;
  for (auto& s : bright.samples) s = static_cast<std::uint8_t>(20 + 5 * s / 2);
  std::vector<Signature> out[2] = {std::vector<Signature>(3000), std::vector<Signature>(3000)};
  const Picture* pictures[2] = {&dark, &bright};
  for (std::size_t k = 0; k < 2; ++k) {
    std::array<std::uint32_t, 256> histogram{};
    TEST_ASSERT_OK(count_levels(pictures[k]->view(), histogram));
    WindowSettings settings;
    settings.levels = equalised_bins(histogram, 11);
    TEST_ASSERT_OK(cpu::window_signatures(workers, pictures[k]->view(), settings,
                                          {out[k].data(), 60, 50, 60}));
  }
  for (std::size_t i = 0; i < 3000; ++i) TEST_ASSERT_TRUE(out[0][i].bins == out[1][i].bins);
  TEST_ASSERT_TRUE(equalised_bins({}, 7) == even_bins(7));
}

template <typename T>
void check_bands(int bands, int mass, std::uint64_t seed) {
  Workers workers{2};
  Random random{seed};
  constexpr int kWidth = 37, kHeight = 21, kStride = 40, kPlane = 900;
  std::vector<T> in(static_cast<std::size_t>(kPlane * bands));
  for (T& s : in) s = static_cast<T>(random.next() % 3 == 0 ? 0 : random.next());
  BandSettings settings;
  settings.bands = bands;
  settings.mass = mass;
  for (std::size_t k = 0; k < kMaxBins; ++k) {
    settings.black[k] = static_cast<std::uint16_t>(random.next() % 20);
    settings.gain[k] = static_cast<std::uint16_t>(random.next() % 4097);
  }
  std::vector<Signature> out(kWidth * kHeight);
  const PlanesView<Space::host, const T> view{in.data(), bands, kWidth, kHeight, kStride, kPlane};
  TEST_ASSERT_OK(
      cpu::band_signatures<T>(workers, view, settings, {out.data(), kWidth, kHeight, kWidth}));
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const Signature& actual = out[static_cast<std::size_t>(y * kWidth + x)];
      std::vector<double> value;
      for (int k = 0; k < bands; ++k) {
        const int sample = in[static_cast<std::size_t>(k * kPlane + y * kStride + x)];
        const auto i = static_cast<std::size_t>(k);
        value.push_back(
            std::floor(std::max(0, sample - settings.black[i]) * settings.gain[i] / 256.0));
      }
      const double sum = std::accumulate(value.begin(), value.end(), 0.0);
      if (sum == 0) {
        TEST_ASSERT_EQUAL(0, mass_of(actual));
        continue;
      }
      TEST_ASSERT_EQUAL(mass, mass_of(actual));
      for (int k = 0; k < bands; ++k) {
        const auto i = static_cast<std::size_t>(k);
        const double share = value[i] * mass / sum;
        TEST_ASSERT_TRUE(std::abs(actual.bins[i] - share) < 1);
        for (int l = 0; l < bands; ++l) {  // who was rounded up lost no less than who was not
          const auto j = static_cast<std::size_t>(l);
          const double other = value[j] * mass / sum;
          if (actual.bins[i] > share && actual.bins[j] <= other)
            TEST_ASSERT_TRUE(share - std::floor(share) >= other - std::floor(other) - 1e-9);
        }
      }
    }
}

TEST(bands_get_their_share_of_the_mass) {
  check_bands<std::uint8_t>(4, 255, 1);
  check_bands<std::uint16_t>(11, 255, 2);
  check_bands<std::uint16_t>(16, 100, 3);
  check_bands<std::uint8_t>(2, 1, 4);
}

TEST(twice_the_exposure_and_white_balance_change_nothing) {
  Workers workers{1};
  std::vector<std::uint16_t> once, twice;
  Random random{9};
  for (int i = 0; i < 5 * 100; ++i) {
    once.push_back(static_cast<std::uint16_t>(random.next() % 30000));
    twice.push_back(static_cast<std::uint16_t>(2 * once.back()));
  }
  BandSettings settings;
  settings.bands = 5;
  std::vector<Signature> a(100), b(100);
  const auto run = [&](const std::vector<std::uint16_t>& in, std::vector<Signature>& out) {
    TEST_ASSERT_OK(cpu::band_signatures<std::uint16_t>(workers, {in.data(), 5, 10, 10, 10, 100},
                                                       settings, {out.data(), 10, 10, 10}));
  };
  run(once, a);
  run(twice, b);
  for (std::size_t i = 0; i < 100; ++i) TEST_ASSERT_TRUE(a[i].bins == b[i].bins);
  const auto gains = white_gains({100, 200, 400, 0, 1}, 5);
  TEST_ASSERT_EQUAL(1024, gains[0]);
  TEST_ASSERT_EQUAL(512, gains[1]);
  TEST_ASSERT_EQUAL(256, gains[2]);
  TEST_ASSERT_EQUAL(256, gains[3]);
  TEST_ASSERT_EQUAL(4096, gains[4]);
}

TEST(targets_are_quantised_by_the_same_rule) {
  const float weights[] = {1, 2, 3.5F, 0, 0.5F};
  const Result<Signature> made = quantise(weights, 5, 100);
  TEST_ASSERT_OK(made);
  const std::array<std::uint8_t, 5> expected = {14, 29, 50, 0, 7};  // 14.29 28.57 50 0 7.14
  for (std::size_t k = 0; k < 5; ++k) TEST_ASSERT_EQUAL(expected[k], made->bins[k]);
  const float negative[] = {1, -1}, none[] = {1, NAN}, empty[] = {0, 0}, infinite[] = {1, INFINITY};
  for (const float* bad : {negative, none, empty, infinite})
    TEST_ASSERT_ERROR(Errc::invalid_argument, quantise(bad, 2, 100));
  TEST_ASSERT_ERROR(Errc::invalid_argument, quantise(weights, 1, 100));
  TEST_ASSERT_ERROR(Errc::invalid_argument, quantise(weights, 5, 256));
  TEST_ASSERT_ERROR(Errc::invalid_argument, quantise(nullptr, 5, 100));
}

TEST(what_makes_no_sense_is_refused) {
  Workers workers{1};
  const Picture in{20, 10, 0, 1};
  std::vector<Signature> out(200);
  const ImageView<Space::host, Signature> to{out.data(), 20, 10, 20};
  const auto refused = [&](const WindowSettings& s) {
    TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::window_signatures(workers, in.view(), s, to));
  };
  WindowSettings settings;
  settings.window = 10;
  refused(settings);
  settings.window = 17;
  refused(settings);
  settings.window = 11;
  settings.bins = 10;  // levels go up to bin 10
  refused(settings);
  settings.bins = 17;
  refused(settings);
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    cpu::window_signatures(workers, in.view(), {}, {out.data(), 19, 10, 20}));
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    cpu::window_signatures(workers, {nullptr, 20, 10, 20}, {}, to));
  const PlanesView<Space::host, const std::uint8_t> planes{in.samples.data(), 4, 5, 10, 5, 50};
  const ImageView<Space::host, Signature> small{out.data(), 5, 10, 5};
  BandSettings bands;
  TEST_ASSERT_OK(cpu::band_signatures<std::uint8_t>(workers, planes, bands, small));
  bands.bands = 5;
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    cpu::band_signatures<std::uint8_t>(workers, planes, bands, small));
  bands = {};
  bands.mass = 256;
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    cpu::band_signatures<std::uint8_t>(workers, planes, bands, small));
  bands = {};
  bands.gain[2] = 5000;
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    cpu::band_signatures<std::uint8_t>(workers, planes, bands, small));
}

}  // namespace
