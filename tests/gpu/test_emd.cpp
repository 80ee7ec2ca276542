// SPDX-License-Identifier: Apache-2.0
// Distances of whole frames on CUDA are those of the CPU, number for number: every solver, number
// of bins and kind of mass; with caches that are full, keys that hash alike, targets that change.
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "gpu/emd/distances_check.hpp"
#include "gpu/emd/keys.hpp"
#include "tests/gpu/device.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/emd_oracle.hpp"

using namespace kerb;
using namespace kerb::emd;
using namespace kerb::test;

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

/// How many of the signatures that a frame has find no place in the cache on CUDA: all beyond the
/// first four of a set.
std::uint32_t beyond_the_ways(const std::vector<Signature>& frame, int bins, int mass) {
  std::map<std::uint32_t, std::set<std::array<std::uint8_t, kMaxBins>>> sets;
  const std::uint32_t mask = cache_sets({}, frame.size(), Backend::cuda) - 1;
  for (const Signature& s : frame) {
    KeyWords words{};
    std::memcpy(&words, &s, sizeof words);
    if (is_good(s, bins, mass)) sets[hash_of(words) & mask].insert(s.bins);
  }
  std::size_t beyond = 0;
  for (const auto& [place, keys] : sets)
    beyond += keys.size() - std::min<std::size_t>(keys.size(), kWays);
  return static_cast<std::uint32_t>(beyond);
}

void check_a_solver(int bins, int mass, Solver solver) {
  const std::size_t count = small_sizes() ? 600 : 5000;
  const Ground ground = random_ground(bins, mass == 121 ? Likeness::few_costs : Likeness::random,
                                      3 + static_cast<unsigned>(bins));
  DistanceSettings settings;
  settings.mass = mass;
  auto frame = frame_of(bins, mass, count, count * 2 / 5, 4);
  spoil(frame);
  const auto targets = frame_of(bins, mass, 2, 9, 5);
  settings.solver = Solver::network_simplex;
  const auto on_cpu = made(*cpu, ground, settings, frame.size());
  settings.solver = solver;
  const auto on_gpu = made(*gpu, ground, settings, frame.size());
  TEST_ASSERT_OK(on_cpu->set_targets(targets.data(), 2));
  TEST_ASSERT_OK(on_gpu->set_targets(targets.data(), 2));
  char what[80];
  std::snprintf(what, sizeof what, "%s, %d bins, mass %d", name_of(on_gpu->solver()), bins, mass);
  const auto expected = costs_of(*on_cpu, frame, 2);
  assert_equal_bits(expected, costs_of(*on_gpu, frame, 2), what);
  DistanceCounts counts = *on_gpu->counts();
  TEST_ASSERT_EQUAL_UINT32_MESSAGE(on_cpu->counts()->refused, counts.refused, what);
  TEST_ASSERT_EQUAL_UINT32_MESSAGE(0, counts.cached, what);
  TEST_ASSERT_EQUAL_UINT32_MESSAGE(count, counts.refused + counts.duplicates + counts.solved, what);
  assert_equal_bits(expected, costs_of(*on_gpu, frame, 2), "from the cache");
  // All are found again but those whose four places in the cache others have taken. Which of them
  // these are, and so how many of the frame are like them, is up to who came first.
  counts = *on_gpu->counts();
  TEST_ASSERT_EQUAL_UINT32_MESSAGE(beyond_the_ways(frame, bins, mass), counts.solved, what);
  TEST_ASSERT_EQUAL_UINT32_MESSAGE(
      count, counts.refused + counts.cached + counts.duplicates + counts.solved, what);
}

TEST(every_solver_equals_the_cpu) {
  for (int bins = kMinBins; bins <= kMaxBins; ++bins)
    for (const int mass : {255, 121, 20, 0}) {
      if (small_sizes() && (bins % 3 != 0 || mass == 255 || mass == 20)) continue;
      // Automatic: walks in the atlas up to 12 bins, and beyond what is below.
      if (mass > 0 && bins <= 12) check_a_solver(bins, mass, Solver::automatic);
      check_a_solver(bins, mass, Solver::packed_simplex);
    }
}

TEST(closed_forms_equal_the_cpu) {
  for (int bins = kMinBins; bins <= kMaxBins; ++bins) {
    if (small_sizes() && bins % 7 != 2) continue;
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

TEST(changed_targets_full_caches_and_keys_that_hash_alike) {
  const Ground ground = random_ground(8, Likeness::random, 1);
  const std::size_t most = small_sizes() ? 800 : 20000;
  for (const int bits : {0, 3, 32})
    for (const std::int64_t entries : {0, 4, 512, 100000}) {
      DistanceSettings settings;
      settings.hash_bits = bits;
      settings.cache_entries = entries;
      settings.adaptive = bits != 3;
      const auto on_gpu = made(*gpu, ground, settings, most);
      settings.hash_bits = 32;
      const auto on_cpu = made(*cpu, ground, settings, most);
      for (std::uint64_t round = 0; round < 12; ++round) {
        const auto frame = frame_of(8, 255, most - round, most * 9 / 20, round % 2);
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

/// Signatures of which no two are alike, but that one in twenty is the same as the one before it.
std::vector<Signature> hardly_alike(std::size_t count, std::uint64_t seed) {
  Random random{seed};
  std::vector<Signature> made;
  for (std::size_t i = 0; i < count; ++i)
    made.push_back(i % 20 == 19 ? made.back()
                                : random_problem(random, 8, 255, Likeness::random).from);
  return made;
}

TEST(what_is_hardly_found_is_hardly_looked_for) {
  const Ground ground = random_ground(8, Likeness::random, 1);
  const std::size_t count = small_sizes() ? 5000 : 40000;
  const auto few = static_cast<std::uint32_t>(count / 20);
  std::array<std::vector<Signature>, 4> frames;
  for (std::size_t f = 0; f < frames.size(); ++f) frames[f] = hardly_alike(count, f);
  for (const bool adaptive : {false, true}) {
    DistanceSettings settings;
    settings.adaptive = adaptive;
    const auto on_gpu = made(*gpu, ground, settings, count);
    const auto on_cpu = made(*cpu, ground, settings, count);
    TEST_ASSERT_OK(on_cpu->set_targets(frames[0].data(), 1));
    TEST_ASSERT_OK(on_gpu->set_targets(frames[0].data(), 1));
    const auto run = [&](std::size_t f) {
      assert_equal_bits(costs_of(*on_cpu, frames[f], 1), costs_of(*on_gpu, frames[f], 1), "adapts");
      const DistanceCounts counts = *on_gpu->counts();
      TEST_ASSERT_EQUAL_UINT32(count, counts.cached + counts.duplicates + counts.solved);
      return counts;
    };
    TEST_ASSERT_EQUAL_UINT32(few, run(0).duplicates);
    for (std::size_t f = 1; f < frames.size(); ++f) {
      const DistanceCounts counts = run(f);
      if (adaptive)  // of those that are looked for some are alike
        TEST_ASSERT_TRUE(counts.duplicates > 0 && counts.duplicates < few / 4);
      else
        TEST_ASSERT_EQUAL_UINT32(few, counts.duplicates);
      TEST_ASSERT_EQUAL_UINT32(0, counts.cached);
    }
    // The last one again. The two frames before had nothing in common: it is hardly looked up. But
    // then all who were looked up are found, and so all are kept, and found.
    const std::uint32_t first = run(3).cached;
    if (adaptive)
      TEST_ASSERT_TRUE(first > 0 && first < 2 * few);
    else
      TEST_ASSERT_TRUE(first > 18 * few);
    (void)run(3);
    TEST_ASSERT_TRUE(run(3).cached > 18 * few);
    // Forgetting says nothing of what is worth looking up.
    TEST_ASSERT_OK(on_gpu->forget());
    TEST_ASSERT_EQUAL_UINT32(0, run(3).cached);
    TEST_ASSERT_TRUE(run(3).cached > 18 * few);
  }
}

TEST(planes_in_flight_equal_signatures) {
  const int bins = small_sizes() ? 9 : 11;
  const Ground ground = random_ground(bins, Likeness::random, 1);
  const std::size_t count = small_sizes() ? 1011 : 20011, stride = count + 89;
  DistanceSettings settings;
  const auto on_gpu = made(*gpu, ground, settings, count);
  const auto on_cpu = made(*cpu, ground, settings, count);
  std::vector<std::vector<Signature>> frames;
  std::vector<std::vector<std::uint8_t>> planes;
  std::vector<std::vector<std::uint32_t>> costs(4, std::vector<std::uint32_t>(2 * count));
  for (std::uint64_t f = 0; f < 4; ++f) {
    frames.push_back(frame_of(bins, 255, count, count * 3 / 4, f));
    planes.emplace_back(static_cast<std::size_t>(bins) * stride);
    for (std::size_t k = 0; k < static_cast<std::size_t>(bins); ++k)
      for (std::size_t i = 0; i < count; ++i) planes[f][k * stride + i] = frames[f][i].bins[k];
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
    TEST_ASSERT_OK(on_gpu->begin({planes[f].data(), bins - static_cast<int>(f % 2), stride, count},
                                 {costs[f].data(), count}));
  }
  while (finished < 4) finish();
  TEST_ASSERT_ERROR(Errc::invalid_argument, on_gpu->finish());
}

TEST(signatures_on_the_device_stay_there) {
  const int bins = small_sizes() ? 7 : 11;
  const std::size_t count = small_sizes() ? 2000 : 100000;
  const Ground ground = random_ground(bins, Likeness::random, 2);
  const auto frame = frame_of(bins, 255, count, count * 3 / 5, 1);
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

TEST(what_makes_no_sense_is_refused) {
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

BEFORE_SUITE(words) {
  using kerb::test::Start;
  if (const Start start = kerb::test::open_gpu(); start != Start::run) return start;
  cpu.emplace(std::move(*Context::create(BackendChoice::cpu)));
  workers.emplace();
  return Start::run;
}
