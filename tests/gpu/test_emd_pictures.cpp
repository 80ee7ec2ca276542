// SPDX-License-Identifier: Apache-2.0
// Signatures, likelihoods and places on CUDA are those of the CPU, number for number.
#include <algorithm>
#include <iterator>
#include <optional>
#include <span>

#include "gpu/emd/signatures.hpp"
#include "gpu/emd/targets.hpp"
#include "tests/gpu/device.hpp"
#include "tests/support/random.hpp"
#include "tests/support/test.hpp"

using namespace kerb;
using namespace kerb::emd;
using namespace kerb::test;

namespace {

std::optional<Workers> workers;

template <typename T>
std::vector<T> random_samples(std::size_t count, std::uint64_t seed) {
  Random random{seed};
  std::vector<T> made;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t r = random.next();
    made.push_back(r % 5 == 0 ? T{0} : static_cast<T>(r >> 20));
  }
  return made;
}

struct Shape {
  int width, height, in_stride, out_stride;
};
constexpr Shape kShapes[] = {{1, 1, 1, 1},   {64, 16, 64, 64},     {65, 17, 80, 70},
                             {3, 200, 3, 3}, {333, 121, 340, 333}, {640, 480, 640, 650}};
/// The large ones last.
std::span<const Shape> shapes() {
  return std::span{kShapes}.first(small_sizes() ? std::size(kShapes) - 2 : std::size(kShapes));
}

TEST(windows_equal_the_cpu) {
  for (const Shape& s : shapes())
    for (const auto& [window, bins] :
         {std::pair{11, 11}, std::pair{1, 2}, std::pair{15, 16}, std::pair{5, 7}}) {
      const auto in =
          random_samples<std::uint8_t>(static_cast<std::size_t>(s.in_stride * s.height), 1);
      WindowSettings settings;
      settings.window = window;
      settings.bins = bins;
      settings.levels = even_bins(bins);
      std::vector<Signature> expected(static_cast<std::size_t>(s.out_stride * s.height));
      const DeviceBuffer<std::uint8_t> from = upload(in);
      const DeviceBuffer<Signature> to = upload(expected);
      TEST_ASSERT_OK(cpu::window_signatures(*workers, {in.data(), s.width, s.height, s.in_stride},
                                            settings,
                                            {expected.data(), s.width, s.height, s.out_stride}));
      TEST_ASSERT_OK(
          window_signatures(gpu->stream(), {from.device_data(), s.width, s.height, s.in_stride},
                            settings, {to.device_data(), s.width, s.height, s.out_stride}));
      assert_equal_bits(expected, download(to, expected.size()), "windows");
    }
}

template <typename T>
void check_bands(int bands, int mass) {
  for (const Shape& s : shapes()) {
    const std::ptrdiff_t plane = s.in_stride * s.height + 3;
    const auto in = random_samples<T>(static_cast<std::size_t>(plane * bands), 2);
    BandSettings settings;
    settings.bands = bands;
    settings.mass = mass;
    for (std::size_t k = 0; k < kMaxBins; ++k) {
      settings.black[k] = static_cast<std::uint16_t>(3 * k);
      settings.gain[k] = static_cast<std::uint16_t>(4096 - 200 * k);
    }
    std::vector<Signature> expected(static_cast<std::size_t>(s.out_stride * s.height));
    const DeviceBuffer<T> from = upload(in);
    const DeviceBuffer<Signature> to = upload(expected);
    const PlanesView<Space::host, const T> host{in.data(), bands,       s.width,
                                                s.height,  s.in_stride, plane};
    const PlanesView<Space::device, const T> device{from.device_data(), bands,       s.width,
                                                    s.height,           s.in_stride, plane};
    TEST_ASSERT_OK(cpu::band_signatures<T>(*workers, host, settings,
                                           {expected.data(), s.width, s.height, s.out_stride}));
    TEST_ASSERT_OK(band_signatures<T>(gpu->stream(), device, settings,
                                      {to.device_data(), s.width, s.height, s.out_stride}));
    assert_equal_bits(expected, download(to, expected.size()), "bands");
  }
}

TEST(bands_equal_the_cpu) {
  check_bands<std::uint8_t>(4, 255);
  check_bands<std::uint16_t>(11, 255);
  check_bands<std::uint16_t>(16, 77);
  check_bands<std::uint16_t>(2, 1);
}

TEST(likelihoods_equal_the_cpu) {
  const std::size_t count = small_sizes() ? 3003 : 100003, stride = count + 97;
  auto costs = random_samples<std::uint32_t>(3 * stride, 3);
  for (std::size_t i = 0; i < costs.size(); ++i)
    costs[i] = i % 7 == 0 ? kNoDistance : costs[i] % 3000000;
  for (const std::uint32_t reach : {1U, 1000U, 2999999U, 0xFFFFFFFFU}) {
    std::vector<std::uint8_t> expected(3 * stride, 9);
    const DeviceBuffer<std::uint32_t> from = upload(costs);
    const DeviceBuffer<std::uint8_t> to = upload(expected);
    TEST_ASSERT_OK(
        cpu::likelihoods(*workers, costs.data(), stride, count, 3, reach, expected.data(), stride));
    TEST_ASSERT_OK(likelihoods(gpu->stream(), from.device_data(), stride, count, 3, reach,
                               to.device_data(), stride));
    assert_equal_bits(expected, download(to, expected.size()), "likelihoods");
  }
}

TEST(places_equal_the_cpu) {
  constexpr int kWidth = 700, kHeight = 500, kTargets = 8;
  Random random{4};
  for (int round = 0; round < (small_sizes() ? 2 : 10); ++round) {
    std::vector<std::uint8_t> planes(kWidth * kHeight * kTargets);
    for (std::uint8_t& v : planes)  // few levels: there are equals
      v = static_cast<std::uint8_t>(round % 2 == 0 ? random.next() : random.next() % 2);
    std::vector<Found> boxes;
    std::vector<Search> searches;
    for (int t = 0; t < kTargets; ++t) {
      const auto below = [&](int limit) {
        return static_cast<std::int32_t>(random.next() % static_cast<unsigned>(limit));
      };
      const std::int32_t w = 1 + below(120), h = 1 + below(150);
      boxes.push_back({{below(kWidth - w), below(kHeight - h), w, h}, 0, 0});
      const std::int32_t rw = w + below(200), rh = h + below(200);
      searches.push_back({{below(kWidth - rw), below(kHeight - rh), rw, rh}, w, h});
    }
    boxes[3].box.x = kWidth;       // outside
    searches[5].region.width = 0;  // nothing
    searches[6].width = 600;       // does not fit
    const DeviceBuffer<std::uint8_t> in = upload(planes);
    const DeviceBuffer<Found> moved = upload(boxes), peaks = upload(boxes);
    const DeviceBuffer<Search> where = upload(searches);
    const PlanesView<Space::host, const std::uint8_t> host{
        planes.data(), kTargets, kWidth, kHeight, kWidth, kWidth * kHeight};
    const PlanesView<Space::device, const std::uint8_t> device{
        in.device_data(), kTargets, kWidth, kHeight, kWidth, kWidth * kHeight};
    std::vector<Found> expected(kTargets);
    TEST_ASSERT_OK(cpu::find_peaks(host, searches.data(), expected.data()));
    TEST_ASSERT_OK(find_peaks(gpu->stream(), device, where.device_data(), peaks.device_data()));
    assert_equal_bits(expected, download(peaks, kTargets), "peaks");
    expected = boxes;
    TEST_ASSERT_OK(cpu::mean_shift(host, 20, expected.data()));
    TEST_ASSERT_OK(mean_shift(gpu->stream(), device, 20, moved.device_data()));
    assert_equal_bits(expected, download(moved, kTargets), "mean shift");
  }
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  if (const Start start = kerb::test::open_gpu(); start != Start::run) return start;
  workers.emplace();
  return Start::run;
}
