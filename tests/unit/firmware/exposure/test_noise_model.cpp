// SPDX-License-Identifier: Apache-2.0
#include "firmware/exposure/noise_model.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"

using namespace kerb;

namespace {

constexpr int kWidth = 640, kHeight = 360;

/// A still scene with noise of known size: variance = read g^2 + shot g signal, then rounded.
class NoisyScene {
 public:
  NoisyScene(double read, double shot, unsigned seed) : read_{read}, shot_{shot}, random_{seed} {}
  /// `moving` columns at the left show something else in every picture.
  const std::vector<std::uint8_t>& shoot(double gain, int moving = 0, double swing = 1) {
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        double signal = 15 + 200.0 * x / kWidth * (0.4 + 0.6 * y / kHeight);  // 15 to 215
        if (x < moving) signal = 60 + 60 * std::sin(0.2 * x + 3.0 * frame_);
        signal *= swing;
        const double sigma = std::sqrt(read_ * gain * gain + shot_ * gain * signal);
        const double grey = std::round(signal + sigma * normal_(random_));
        pixels_[static_cast<std::size_t>(y * kWidth + x)] =
            static_cast<std::uint8_t>(std::clamp(grey, 0.0, 255.0));
      }
    ++frame_;
    return pixels_;
  }

 private:
  double read_, shot_;
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
  int frame_ = 0;
  std::vector<std::uint8_t> pixels_ = std::vector<std::uint8_t>(kWidth * kHeight);
};

ImageView<Space::host, const std::uint8_t> view(const std::vector<std::uint8_t>& pixels) {
  return {pixels.data(), kWidth, kHeight, kWidth};
}

TEST(the_model_is_read_and_shot_noise_and_rounding) {
  const NoiseModel model{0.5, 0.02, true};
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5 + 1.0 / 12, model.variance(0, 1));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5 * 16 + 0.02 * 4 * 100 + 1.0 / 12, model.variance(100, 4));
  TEST_ASSERT_DOUBLE_WITHIN(1e-12, 0.5 + 1.0 / 12, model.variance(-3, 1));
}

TEST(known_noise_is_found_again) {
  struct Case {
    double read, shot;
    std::vector<double> gains;
    int moving;
  };
  for (const Case& c : {Case{0.5, 0.03, {1}, 0}, Case{2.0, 0.005, {1, 4}, 0},
                        Case{0.1, 0.05, {1, 2, 8}, 0}, Case{0.5, 0.03, {1, 4}, kWidth / 4}}) {
    NoisyScene scene{c.read, c.shot, 11};
    NoiseEstimator estimator{kWidth, kHeight};
    for (const double gain : c.gains)
      for (int i = 0; i < 24; ++i) estimator.add(view(scene.shoot(gain, c.moving)), gain);
    const NoiseModel found = estimator.model();
    std::printf("read %.3f shot %.4f, %d moving: found %.3f and %.4f\n", c.read, c.shot, c.moving,
                found.read, found.shot);
    TEST_ASSERT_TRUE(found.known);
    for (const double gain : c.gains)
      for (const double signal : {30.0, 100.0, 200.0}) {
        const double truth = NoiseModel{c.read, c.shot, true}.variance(signal, gain);
        TEST_ASSERT_DOUBLE_WITHIN(0.1 * truth, truth, found.variance(signal, gain));
      }
    TEST_ASSERT_DOUBLE_WITHIN(0.15 * c.shot + 0.001, c.shot, found.shot);
    TEST_ASSERT_DOUBLE_WITHIN(0.15 * c.read + 0.05, c.read, found.read);
  }
}

TEST(flickering_light_is_not_noise) {
  NoisyScene scene{0.5, 0.03, 5};
  NoiseEstimator estimator{kWidth, kHeight};
  for (int i = 0; i < 30; ++i) estimator.add(view(scene.shoot(1, 0, i % 2 == 0 ? 1 : 1.01)), 1);
  const NoiseModel found = estimator.model();
  TEST_ASSERT_TRUE(found.known);
  TEST_ASSERT_DOUBLE_WITHIN(0.8, 0.5 + 0.03 * 100, found.variance(100, 1));
}

TEST(too_little_is_not_known) {
  NoisyScene scene{0.5, 0.03, 2};
  NoiseEstimator estimator{kWidth, kHeight};
  for (int i = 0; i < NoiseEstimator::kLeastPairs; ++i) estimator.add(view(scene.shoot(1)), 1);
  TEST_ASSERT_EQUAL(NoiseEstimator::kLeastPairs - 1, estimator.pairs());
  TEST_ASSERT_FALSE(estimator.model().known);
  estimator.add(view(scene.shoot(1)), 1);
  TEST_ASSERT_TRUE(estimator.model().known);

  NoiseEstimator apart{kWidth, kHeight};  // no two pictures belong together
  for (int i = 0; i < 60; ++i) {
    apart.add(view(scene.shoot(1)), 1 + i % 2);
    if (i % 3 == 0) apart.forget();
  }
  TEST_ASSERT_EQUAL(0, apart.pairs());

  // One brightness does not tell how the noise depends on it.
  NoiseEstimator flat{kWidth, kHeight};
  std::mt19937 random{1};
  std::vector<std::uint8_t> grey(kWidth * kHeight);
  for (int i = 0; i < 40; ++i) {
    for (std::uint8_t& pixel : grey) pixel = static_cast<std::uint8_t>(99 + random() % 3);
    flat.add(view(grey), 1);
  }
  TEST_ASSERT_GREATER_THAN(NoiseEstimator::kLeastPairs, flat.pairs());
  TEST_ASSERT_FALSE(flat.model().known);
  // Black pictures, and pictures of another size.
  std::fill(grey.begin(), grey.end(), std::uint8_t{0});
  NoiseEstimator black{kWidth, kHeight};
  for (int i = 0; i < 40; ++i) black.add(view(grey), 1);
  for (int i = 0; i < 40; ++i) black.add({grey.data(), 64, 48, 64}, 1);
  TEST_ASSERT_FALSE(black.model().known);
}

TEST(it_allocates_nothing) {
  NoisyScene scene{0.5, 0.03, 2};
  NoiseEstimator estimator{kWidth, kHeight};
  const std::vector<std::uint8_t> first = scene.shoot(1), second = scene.shoot(1);
  const std::uint64_t before = test::thread_allocations();
  double quickest = 1e9;  // of several, so that a busy machine does not count
  for (int i = 0; i < 200; ++i) {
    const auto start = std::chrono::steady_clock::now();
    estimator.add(view(i % 2 == 0 ? first : second), 1);
    const std::chrono::duration<double, std::micro> spent =
        std::chrono::steady_clock::now() - start;
    quickest = std::min(quickest, spent.count());
  }
  static_cast<void>(estimator.model());
  TEST_ASSERT_EQUAL_UINT64(before, test::thread_allocations());
  std::printf("%.1f us a picture\n", quickest);
}

}  // namespace
