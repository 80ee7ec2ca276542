// SPDX-License-Identifier: Apache-2.0
// Targets: learned from a box, updated slowly, found again in a picture of likelihoods.
#include <algorithm>
#include <numeric>
#include <vector>

#include "gpu/emd/targets.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/emd_oracle.hpp"

using namespace kerb;
using namespace kerb::emd;
using namespace kerb::test;

namespace {

constexpr int kWidth = 90, kHeight = 60;

Signature all_in(std::size_t bin, int mass) {
  Signature made;
  made.bins[bin] = static_cast<std::uint8_t>(mass);
  return made;
}

/// Background in bin 0, a target in bin 2 with its corner at (x, y).
std::vector<Signature> scene(const Box& target) {
  std::vector<Signature> made(kWidth * kHeight, all_in(0, 100));
  for (int y = target.y; y < target.y + target.height; ++y)
    for (int x = target.x; x < target.x + target.width; ++x)
      made[static_cast<std::size_t>(y * kWidth + x)] = all_in(2, 100);
  return made;
}

ImageView<Space::host, const Signature> view_of(const std::vector<Signature>& scene) {
  return {scene.data(), kWidth, kHeight, kWidth};
}

TEST(a_model_is_the_mean_of_its_box_with_the_middle_counting_most) {
  const std::vector<Signature> picture = scene({20, 10, 10, 20});
  const Result<TargetModel> inside = TargetModel::learn(view_of(picture), {22, 12, 6, 6}, 4, 100);
  TEST_ASSERT_OK(inside);
  TEST_ASSERT_EQUAL_UINT8(100, inside->signature().bins[2]);
  // Twice as wide as the target: half of the pixels, three quarters of the weight.
  const Result<TargetModel> around = TargetModel::learn(view_of(picture), {15, 10, 20, 20}, 4, 100);
  TEST_ASSERT_OK(around);
  TEST_ASSERT_UINT8_WITHIN(3, 73, around->signature().bins[2]);
  TEST_ASSERT_EQUAL_UINT32(TargetModel::kWhole,
                           std::accumulate(around->shares().begin(), around->shares().end(), 0U));
  // Beyond the rim of the picture there is nothing.
  TEST_ASSERT_OK(TargetModel::learn(view_of(picture), {-5, -5, 10, 10}, 4, 100));
  std::vector<Signature> spoiled = picture;
  for (std::size_t i = 0; i < spoiled.size(); i += 2) spoiled[i] = {};
  const Result<TargetModel> half = TargetModel::learn(view_of(spoiled), {22, 12, 6, 6}, 4, 100);
  TEST_ASSERT_OK(half);
  TEST_ASSERT_EQUAL_UINT8(100, half->signature().bins[2]);
}

TEST(small_updates_add_up) {
  const std::vector<Signature> picture = scene({20, 10, 10, 20});
  TargetModel model = *TargetModel::learn(view_of(picture), {22, 12, 6, 6}, 4, 100);
  const TargetModel other = *TargetModel::learn(view_of(picture), {60, 40, 6, 6}, 4, 100);
  for (int k = 0; k < 100; ++k) {
    model.update(other, 1);  // each far below one unit of a signature's mass
    TEST_ASSERT_EQUAL_UINT32(TargetModel::kWhole,
                             std::accumulate(model.shares().begin(), model.shares().end(), 0U));
  }
  TEST_ASSERT_UINT8_WITHIN(1, 68, model.signature().bins[2]);  // 100 * (255 / 256)^100 = 67.6
  TEST_ASSERT_UINT8_WITHIN(1, 32, model.signature().bins[0]);
  model.update(other, 256);
  TEST_ASSERT_EQUAL_UINT8(100, model.signature().bins[0]);
}

TEST(models_of_nothing_are_refused) {
  const std::vector<Signature> picture = scene({20, 10, 10, 20});
  const auto refused = [&](const Box& box, int bins, int mass) {
    TEST_ASSERT_ERROR(Errc::invalid_argument,
                      TargetModel::learn(view_of(picture), box, bins, mass));
  };
  refused({10, 10, 0, 5}, 4, 100);
  refused({10, 10, 5, 5000}, 4, 100);
  refused({200, 10, 5, 5}, 4, 100);
  refused({10, 10, 5, 5}, 1, 100);
  refused({10, 10, 5, 5}, 4, 0);
  refused({10, 10, 5, 5}, 4, 99);  // no signature of that mass
  refused({2147483647, 2147483647, 5, 5}, 4, 100);
  TEST_ASSERT_ERROR(Errc::invalid_argument,
                    TargetModel::learn({nullptr, 5, 5, 5}, {0, 0, 5, 5}, 4, 100));
}

TEST(likelihoods_fall_from_255_to_0) {
  Workers workers{1};
  const std::vector<std::uint32_t> costs{0, 1, 500, 999, 1000, 5000, kNoDistance};
  std::vector<std::uint8_t> out(7, 9);
  TEST_ASSERT_OK(cpu::likelihoods(workers, costs.data(), 7, 7, 1, 1000, out.data(), 7));
  const std::uint8_t expected[] = {255, 253, 63, 0, 0, 0, 0};
  for (std::size_t i = 0; i < 7; ++i) TEST_ASSERT_EQUAL_UINT8(expected[i], out[i]);
  const auto refused = [&](std::size_t stride, int targets, std::uint32_t reach) {
    TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::likelihoods(workers, costs.data(), stride, 7,
                                                               targets, reach, out.data(), 7));
  };
  refused(7, 0, 10);
  refused(7, 9, 10);
  refused(7, 1, 0);
  refused(6, 2, 10);
  const Ground line = *Ground::line(5);
  TEST_ASSERT_EQUAL_UINT32(150, cost_of_distance(line, 100, 1.5));
  TEST_ASSERT_EQUAL_UINT32(0, cost_of_distance(line, 100, -1));
  TEST_ASSERT_EQUAL_UINT32(kNoDistance - 1, cost_of_distance(line, 100, 1e30));
}

/// A plane that is bright in a box.
std::vector<std::uint8_t> plane_with(const Box& box) {
  std::vector<std::uint8_t> made(kWidth * kHeight, 0);
  for (int y = box.y; y < box.y + box.height; ++y)
    for (int x = box.x; x < box.x + box.width; ++x)
      made[static_cast<std::size_t>(y * kWidth + x)] = 200;
  return made;
}
PlanesView<Space::host, const std::uint8_t> planes_of(const std::vector<std::uint8_t>& plane) {
  return {plane.data(), static_cast<int>(plane.size()) / (kWidth * kHeight),
          kWidth,       kHeight,
          kWidth,       kWidth * kHeight};
}

TEST(mean_shift_climbs_onto_the_target) {
  const std::vector<std::uint8_t> plane = plane_with({40, 30, 10, 16});
  for (const Box& from : {Box{34, 24, 10, 16}, Box{46, 40, 10, 16}, Box{40, 30, 10, 16}}) {
    Found found{from, 0, 0};
    TEST_ASSERT_OK(cpu::mean_shift(planes_of(plane), 20, &found));
    TEST_ASSERT_EQUAL(40, found.box.x);
    TEST_ASSERT_EQUAL(30, found.box.y);
    TEST_ASSERT_EQUAL_UINT32(200 * 256, found.mean);
  }
  // Nothing to climb; outside; more steps than allowed.
  Found found{{2, 2, 5, 5}, 7, 7};
  TEST_ASSERT_OK(cpu::mean_shift(planes_of(plane), 20, &found));
  TEST_ASSERT_EQUAL(2, found.box.x);
  TEST_ASSERT_EQUAL_UINT32(0, found.mean);
  found = {{85, 2, 10, 5}, 7, 7};
  TEST_ASSERT_OK(cpu::mean_shift(planes_of(plane), 20, &found));
  TEST_ASSERT_EQUAL(85, found.box.x);
  TEST_ASSERT_EQUAL_UINT32(0, found.mean);
  TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::mean_shift(planes_of(plane), 0, &found));
  TEST_ASSERT_ERROR(Errc::invalid_argument, cpu::mean_shift(planes_of(plane), 20, nullptr));
}

TEST(peaks_are_those_of_plain_counting) {
  Random random{3};
  for (int round = 0; round < 12; ++round) {
    std::vector<std::uint8_t> plane(kWidth * kHeight);
    for (std::uint8_t& v : plane)  // few levels: there are equals
      v = static_cast<std::uint8_t>(random.next() % 2 == 0 ? 0 : 90 * (random.next() % 3));
    const int w = 1 + static_cast<int>(random.next() % 20),
              h = 1 + static_cast<int>(random.next() % 20);
    const Search search{
        {3, 5, w + static_cast<int>(random.next() % 40), h + static_cast<int>(random.next() % 30)},
        w,
        h};
    std::int64_t most = -1;
    Box expected;
    for (int y = search.region.y; y + h <= search.region.y + search.region.height; ++y)
      for (int x = search.region.x; x + w <= search.region.x + search.region.width; ++x) {
        std::int64_t sum = 0;
        for (int j = 0; j < h; ++j)
          for (int i = 0; i < w; ++i)
            sum += plane[static_cast<std::size_t>((y + j) * kWidth + x + i)];
        if (sum <= most) continue;
        most = sum;
        expected = {x, y, w, h};
      }
    Found found;
    TEST_ASSERT_OK(cpu::find_peaks(planes_of(plane), &search, &found));
    TEST_ASSERT_EQUAL(expected.x, found.box.x);
    TEST_ASSERT_EQUAL(expected.y, found.box.y);
    TEST_ASSERT_EQUAL_UINT32(most * 256 / (w * h), found.mean);
  }
  const std::vector<std::uint8_t> plane = plane_with({40, 30, 10, 16});
  for (const Search& bad : {Search{{0, 0, 5, 5}, 6, 5}, Search{{80, 0, 20, 5}, 5, 5},
                            Search{{-1, 0, 20, 5}, 5, 5}, Search{{0, 0, 5, 5}, 0, 5}}) {
    Found found{{1, 1, 1, 1}, 5, 5};
    TEST_ASSERT_OK(cpu::find_peaks(planes_of(plane), &bad, &found));
    TEST_ASSERT_EQUAL(0, found.box.width);
  }
}

/// All of it: learn in one frame, find in the next, where the target has moved.
TEST(a_target_is_followed_by_its_signature) {
  Workers workers{1};
  const Result<Context> context = Context::create(BackendChoice::cpu);
  Random random{5};
  const Problem problem = random_problem(random, 4, 100, Likeness::whole_metric);
  const Result<Ground> ground = Ground::create(4, problem.costs.data(), problem.costs.size());
  TEST_ASSERT_OK(ground);
  DistanceSettings settings;
  settings.mass = 100;
  const auto distances =
      std::move(*Distances::create(*context, workers, *ground, settings, kWidth * kHeight));
  Box box{30, 20, 10, 16};
  TargetModel model = *TargetModel::learn(view_of(scene(box)), box, 4, 100);
  for (int frame = 0; frame < 8; ++frame) {
    const Box now{30 + 4 * frame, 20 + 2 * frame, 10, 16};
    const std::vector<Signature> picture = scene(now);
    const Signature target = model.signature();
    TEST_ASSERT_OK(distances->set_targets(&target, 1));
    std::vector<std::uint32_t> costs(picture.size());
    TEST_ASSERT_OK(distances->run(SignaturesView<Space::host>{picture.data(), picture.size()},
                                  CostsView<Space::host>{costs.data(), costs.size()}));
    const std::uint32_t farthest = *std::max_element(costs.begin(), costs.end());
    std::vector<std::uint8_t> likely(costs.size());
    TEST_ASSERT_OK(
        cpu::likelihoods(workers, costs.data(), 0, costs.size(), 1, farthest, likely.data(), 0));
    Found found{box, 0, 0};
    TEST_ASSERT_OK(cpu::mean_shift(planes_of(likely), 20, &found));
    TEST_ASSERT_EQUAL(now.x, found.box.x);
    TEST_ASSERT_EQUAL(now.y, found.box.y);
    box = found.box;
    model.update(*TargetModel::learn(view_of(picture), box, 4, 100), 16);
  }
}

}  // namespace
