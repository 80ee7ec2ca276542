// SPDX-License-Identifier: Apache-2.0
// Distances of whole frames on CUDA are those of the CPU, number for number: every solver, number
// of bins and kind of mass; with caches that are full, keys that hash alike, targets that change.
#include <optional>

#include "gpu/emd/distances.hpp"
#include "tests/gpu/device.hpp"
#include "tests/unit/gpu/emd_oracle.hpp"

using namespace kerb;
using namespace kerb::emd;
using namespace kerb::test;

void setUp() {}
void tearDown() {}

namespace {

std::optional<Context> cpu;
std::optional<Workers> workers;

Ground random_ground(int bins, Likeness likeness, std::uint64_t seed) {
  Random random{seed};
  const Problem problem = random_problem(random, bins, 100, likeness);
  const Result<Ground> made = Ground::create(bins, problem.costs.data(), problem.costs.size());
  TEST_ASSERT_OK(made);
  return *made;
}

std::vector<Signature> frame_of(int bins, int mass, std::size_t count, std::size_t kinds,
                                std::uint64_t seed) {
  Random random{seed};
  std::vector<Signature> palette;
  for (std::size_t k = 0; k < kinds; ++k)
    palette.push_back(
        random_problem(random, bins, mass, k % 3 == 0 ? Likeness::sparse : Likeness::random).from);
  std::vector<Signature> made;
  for (std::size_t i = 0; i < count; ++i) made.push_back(palette[random.next() % kinds]);
  return made;
}

std::unique_ptr<Distances> made(const Context& context, const Ground& ground,
                                const DistanceSettings& settings, std::size_t most) {
  Result<std::unique_ptr<Distances>> result =
      Distances::create(context, *workers, ground, settings, most);
  TEST_ASSERT_OK(result);
  return std::move(*result);
}

std::vector<std::uint32_t> costs_of(Distances& distances, const std::vector<Signature>& frame,
                                    std::size_t targets) {
  std::vector<std::uint32_t> costs(frame.size() * targets, 7);
  TEST_ASSERT_OK(distances.run(SignaturesView<Space::host>{frame.data(), frame.size()},
                               CostsView<Space::host>{costs.data(), frame.size()}));
  return costs;
}

/// Signatures the CPU refuses among the others.
void spoil(std::vector<Signature>& frame) {
  frame[frame.size() / 2] = {};
  frame[frame.size() / 3].bins[15] = 3;
  frame[frame.size() / 5].bins = {255, 255, 255};
}

void test_every_solver_equals_the_cpu() {
  for (int bins = kMinBins; bins <= kMaxBins; ++bins)
    for (const int mass : {255, 121, 20, 0})
      for (const Solver solver : {Solver::automatic, Solver::atlas, Solver::packed_simplex}) {
        // Up to 11 bins the atlas is what automatic becomes.
        if (solver == Solver::atlas && (mass != 121 || bins != 12)) continue;
        const Ground ground =
            random_ground(bins, mass == 121 ? Likeness::few_costs : Likeness::random,
                          3 + static_cast<unsigned>(bins));
        DistanceSettings settings;
        settings.mass = mass;
        auto frame = frame_of(bins, mass, 5000, 2000, 4);
        spoil(frame);
        const auto targets = frame_of(bins, mass, 2, 9, 5);
        settings.solver = Solver::network_simplex;
        const auto on_cpu = made(*cpu, ground, settings, frame.size());
        settings.solver = solver;
        const auto on_gpu = made(*gpu, ground, settings, frame.size());
        TEST_ASSERT_OK(on_cpu->set_targets(targets.data(), 2));
        TEST_ASSERT_OK(on_gpu->set_targets(targets.data(), 2));
        char what[80];
        std::snprintf(what, sizeof what, "%s, %d bins, mass %d", name_of(on_gpu->solver()), bins,
                      mass);
        const auto expected = costs_of(*on_cpu, frame, 2);
        assert_equal_bits(expected, costs_of(*on_gpu, frame, 2), what);
        const DistanceCounts counts = *on_gpu->counts();
        TEST_ASSERT_EQUAL_UINT32(on_cpu->counts()->refused, counts.refused);
        TEST_ASSERT_EQUAL_UINT32(
            5000, counts.refused + counts.cached + counts.duplicates + counts.solved);
        assert_equal_bits(expected, costs_of(*on_gpu, frame, 2), "from the cache");
        TEST_ASSERT_EQUAL_UINT32(5000 - counts.refused, on_gpu->counts()->cached);
      }
}

void test_closed_forms_equal_the_cpu() {
  for (int bins = kMinBins; bins <= kMaxBins; ++bins) {
    std::vector<float> flat, uneven;
    for (int i = 0; i < bins; ++i)
      for (int j = 0; j < bins; ++j) {
        flat.push_back(i == j ? 0.0F : 0.5F);
        uneven.push_back(static_cast<float>(std::abs(i * i - j * j)));
      }
    for (const Result<Ground>& ground :
         {Ground::line(bins), Ground::circle(bins), Ground::create(bins, flat.data(), flat.size()),
          Ground::create(bins, uneven.data(), uneven.size())}) {
      TEST_ASSERT_OK(ground);
      auto frame = frame_of(bins, 255, 3001, 900, 4);
      spoil(frame);
      const auto targets = frame_of(bins, 255, 3, 9, 5);
      DistanceSettings settings;
      const auto on_gpu = made(*gpu, *ground, settings, frame.size());
      TEST_ASSERT_EQUAL_STRING("closed", name_of(on_gpu->solver()));
      settings.solver = Solver::network_simplex;
      const auto on_cpu = made(*cpu, *ground, settings, frame.size());
      TEST_ASSERT_OK(on_cpu->set_targets(targets.data(), 3));
      TEST_ASSERT_OK(on_gpu->set_targets(targets.data(), 3));
      assert_equal_bits(costs_of(*on_cpu, frame, 3), costs_of(*on_gpu, frame, 3),
                        name_of(ground->kind()));
    }
  }
}

void test_changed_targets_full_caches_and_keys_that_hash_alike() {
  const Ground ground = random_ground(8, Likeness::random, 1);
  for (const int bits : {0, 3, 32})
    for (const std::int64_t entries : {0, 4, 512, 100000}) {
      DistanceSettings settings;
      settings.hash_bits = bits;
      settings.cache_entries = entries;
      const auto on_gpu = made(*gpu, ground, settings, 20000);
      settings.hash_bits = 32;
      const auto on_cpu = made(*cpu, ground, settings, 20000);
      for (std::uint64_t round = 0; round < 12; ++round) {
        const auto frame = frame_of(8, 255, 20000 - round, 9000, round % 2);
        const std::size_t count = 1 + round / 4 * 3;  // 1, 4, 7
        const auto targets = frame_of(8, 255, count, 20, round / 2);
        TEST_ASSERT_OK(on_cpu->set_targets(targets.data(), static_cast<int>(count)));
        TEST_ASSERT_OK(on_gpu->set_targets(targets.data(), static_cast<int>(count)));
        assert_equal_bits(costs_of(*on_cpu, frame, count), costs_of(*on_gpu, frame, count),
                          "hash alike");
        const DistanceCounts counts = *on_gpu->counts();
        TEST_ASSERT_EQUAL_UINT32(frame.size(), counts.cached + counts.duplicates + counts.solved);
        if (round % 2 == 0) TEST_ASSERT_EQUAL_UINT32(0, counts.cached);
      }
    }
}

void test_planes_in_flight_equal_signatures() {
  const Ground ground = random_ground(11, Likeness::random, 1);
  constexpr std::size_t kCount = 20011, kStride = 20100;
  DistanceSettings settings;
  const auto on_gpu = made(*gpu, ground, settings, kCount);
  const auto on_cpu = made(*cpu, ground, settings, kCount);
  std::vector<std::vector<Signature>> frames;
  std::vector<std::vector<std::uint8_t>> planes;
  std::vector<std::vector<std::uint32_t>> costs(4, std::vector<std::uint32_t>(2 * kCount));
  for (std::uint64_t f = 0; f < 4; ++f) {
    frames.push_back(frame_of(11, 255, kCount, 15000, f));
    planes.emplace_back(11 * kStride);
    for (std::size_t k = 0; k < 11; ++k)
      for (std::size_t i = 0; i < kCount; ++i) planes[f][k * kStride + i] = frames[f][i].bins[k];
  }
  TEST_ASSERT_OK(on_cpu->set_targets(frames[0].data(), 2));
  TEST_ASSERT_OK(on_gpu->set_targets(frames[0].data(), 2));
  std::size_t finished = 0;
  const auto finish = [&] {
    TEST_ASSERT_OK(on_gpu->finish());
    assert_equal_bits(costs_of(*on_cpu, frames[finished], 2), costs[finished], "in flight");
    ++finished;
  };
  for (std::size_t f = 0; f < 4; ++f) {
    if (f - finished == Distances::kAhead) finish();
    TEST_ASSERT_OK(on_gpu->begin({planes[f].data(), f % 2 == 0 ? 11 : 10, kStride, kCount},
                                 {costs[f].data(), kCount}));
  }
  while (finished < 4) finish();
  TEST_ASSERT_ERROR(Errc::invalid_argument, on_gpu->finish());
}

void test_signatures_on_the_device_stay_there() {
  const Ground ground = random_ground(11, Likeness::random, 2);
  const auto frame = frame_of(11, 255, 100000, 60000, 1);
  const auto on_gpu = made(*gpu, ground, {}, frame.size());
  const auto on_cpu = made(*cpu, ground, {}, frame.size());
  TEST_ASSERT_OK(on_cpu->set_targets(frame.data(), 1));
  TEST_ASSERT_OK(on_gpu->set_targets(frame.data(), 1));
  const DeviceBuffer<Signature> in = upload(frame);
  const DeviceBuffer<std::uint32_t> out = upload(std::vector<std::uint32_t>(frame.size()));
  for (int round = 0; round < 2; ++round) {
    TEST_ASSERT_OK(on_gpu->run(SignaturesView<Space::device>{in.device_data(), frame.size()},
                               CostsView<Space::device>{out.device_data(), frame.size()}));
    assert_equal_bits(costs_of(*on_cpu, frame, 1), download(out, frame.size()), "on the device");
  }
}

void test_what_makes_no_sense_is_refused() {
  const Ground ground = random_ground(5, Likeness::random, 1);
  DistanceSettings settings;
  settings.solver = Solver::network_simplex;
  TEST_ASSERT_ERROR(Errc::unsupported, Distances::create(*gpu, *workers, ground, settings, 10));
  const auto distances = made(*gpu, ground, {}, 10);
  const auto frame = frame_of(5, 255, 20, 5, 1);
  std::vector<std::uint32_t> costs(40);
  const auto run = [&](std::size_t count, std::size_t stride) {
    return distances->run(SignaturesView<Space::host>{frame.data(), count},
                          CostsView<Space::host>{costs.data(), stride});
  };
  TEST_ASSERT_ERROR(Errc::invalid_argument, run(5, 5));  // no target yet
  TEST_ASSERT_ERROR(Errc::invalid_argument, distances->set_targets(frame.data(), 9));
  TEST_ASSERT_OK(distances->set_targets(frame.data(), 2));
  TEST_ASSERT_ERROR(Errc::invalid_argument, run(11, 20));
  TEST_ASSERT_ERROR(Errc::invalid_argument, run(5, 4));
  TEST_ASSERT_OK(run(0, 0));
}

}  // namespace

int main() {
  if (const int code = open_gpu(); code != 0) return code;
  cpu.emplace(std::move(*Context::create(BackendChoice::cpu)));
  workers.emplace();
  UNITY_BEGIN();
  RUN_TEST(test_every_solver_equals_the_cpu);
  RUN_TEST(test_closed_forms_equal_the_cpu);
  RUN_TEST(test_changed_targets_full_caches_and_keys_that_hash_alike);
  RUN_TEST(test_planes_in_flight_equal_signatures);
  RUN_TEST(test_signatures_on_the_device_stay_there);
  RUN_TEST(test_what_makes_no_sense_is_refused);
  return UNITY_END();
}
