// SPDX-License-Identifier: Apache-2.0
// Distances of whole frames on the CPU: every solver, the cache, duplicates, keys that hash alike.
#include <optional>

#include "gpu/emd/distances.hpp"
#include "gpu/emd/transport.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/test.hpp"
#include "tests/unit/gpu/emd_oracle.hpp"

using namespace kerb;
using namespace kerb::emd;
using namespace kerb::test;

namespace {

std::optional<Context> cpu;

Ground random_ground(int bins, std::uint64_t seed) {
  Random random{seed};
  const Problem problem = random_problem(random, bins, 100, Likeness::random);
  const Result<Ground> made = Ground::create(bins, problem.costs.data(), problem.costs.size());
  TEST_ASSERT_OK(made);
  return *made;
}

/// `kinds` different signatures, each several times, mixed.
std::vector<Signature> frame_of(int bins, int mass, std::size_t count, std::size_t kinds,
                                std::uint64_t seed) {
  Random random{seed};
  std::vector<Signature> palette;
  for (std::size_t k = 0; k < kinds; ++k)
    palette.push_back(random_problem(random, bins, mass, Likeness::sparse).from);
  std::vector<Signature> made;
  for (std::size_t i = 0; i < count; ++i) made.push_back(palette[random.next() % kinds]);
  return made;
}

std::unique_ptr<Distances> made(Workers& workers, const Ground& ground,
                                const DistanceSettings& settings, std::size_t most) {
  Result<std::unique_ptr<Distances>> result =
      Distances::create(*cpu, workers, ground, settings, most);
  TEST_ASSERT_OK(result);
  return std::move(*result);
}

void assert_right(const Ground& ground, const std::vector<Signature>& frame,
                  const std::vector<Signature>& targets, const std::vector<std::uint32_t>& costs,
                  const char* what) {
  Transport transport;  // itself tested against the oracle
  for (std::size_t t = 0; t < targets.size(); ++t)
    for (std::size_t i = 0; i < frame.size(); ++i)
      TEST_ASSERT_EQUAL_UINT32_MESSAGE(transport.solve(ground, frame[i], targets[t]),
                                       costs[t * frame.size() + i], what);
}

void run_and_check(Distances& distances, const Ground& ground, const std::vector<Signature>& frame,
                   const std::vector<Signature>& targets, const char* what) {
  std::vector<std::uint32_t> costs(frame.size() * targets.size(), 7);
  TEST_ASSERT_OK(distances.run(SignaturesView<Space::host>{frame.data(), frame.size()},
                               CostsView<Space::host>{costs.data(), frame.size()}));
  assert_right(ground, frame, targets, costs, what);
}

TEST(every_solver_gives_the_same_costs) {
  Workers workers{2};
  for (const int bins : {2, 5, 8, 13, 16})
    for (const int mass : {121, 0})
      for (const Solver solver :
           {Solver::automatic, Solver::atlas, Solver::packed_simplex, Solver::network_simplex}) {
        if (solver == Solver::atlas && (mass == 0 || bins > 12)) continue;
        const Ground ground = random_ground(bins, 3);
        DistanceSettings settings;
        settings.mass = mass;
        settings.solver = solver;
        const auto frame = frame_of(bins, mass, 1000, 120, 4);
        const auto targets = frame_of(bins, mass, 3, 3, 5);
        const auto distances = made(workers, ground, settings, frame.size());
        TEST_ASSERT_OK(distances->set_targets(targets.data(), 3));
        run_and_check(*distances, ground, frame, targets, name_of(solver));
        run_and_check(*distances, ground, frame, targets, "again, from the cache");
      }
}

TEST(the_solver_is_chosen_by_the_ground_and_the_mass) {
  DistanceSettings equal, partial;
  partial.mass = 0;
  const auto chosen = [](Backend backend, const Ground& ground, const DistanceSettings& settings) {
    return name_of(*choose_solver(backend, ground, settings));
  };
  const Ground line = *Ground::line(11), any = random_ground(11, 1), large = random_ground(14, 1);
  TEST_ASSERT_EQUAL_STRING("closed", chosen(Backend::cuda, line, equal));
  TEST_ASSERT_EQUAL_STRING("packed", chosen(Backend::cuda, line, partial));
  TEST_ASSERT_EQUAL_STRING("atlas", chosen(Backend::cpu, any, equal));
  const Ground twelve = random_ground(12, 1);
  TEST_ASSERT_EQUAL_STRING("network", chosen(Backend::cpu, twelve, equal));
  TEST_ASSERT_EQUAL_STRING("atlas", chosen(Backend::cuda, twelve, equal));
  TEST_ASSERT_EQUAL_STRING("network", chosen(Backend::cpu, large, equal));
  TEST_ASSERT_EQUAL_STRING("packed", chosen(Backend::cuda, large, equal));
  for (const Solver solver : {Solver::closed_form, Solver::atlas}) {
    equal.solver = partial.solver = solver;
    TEST_ASSERT_ERROR(Errc::unsupported, choose_solver(Backend::cpu, large, equal));
    TEST_ASSERT_ERROR(Errc::unsupported, choose_solver(Backend::cpu, line, partial));
    Solver parsed = Solver::automatic;
    TEST_ASSERT_TRUE(parse(name_of(solver), parsed));
    TEST_ASSERT_TRUE(parsed == solver);
  }
  Solver parsed = Solver::atlas;
  TEST_ASSERT_FALSE(parse("best", parsed));
}

TEST(a_second_frame_is_looked_up_and_duplicates_are_solved_once) {
  Workers workers{1};
  const Ground ground = random_ground(6, 1);
  const auto frame = frame_of(6, 255, 20000, 500, 2);
  const auto targets = frame_of(6, 255, 1, 1, 3);
  const auto distances = made(workers, ground, {}, frame.size());
  TEST_ASSERT_OK(distances->set_targets(targets.data(), 1));
  run_and_check(*distances, ground, frame, targets, "first");
  DistanceCounts counts = *distances->counts();
  TEST_ASSERT_EQUAL_UINT32(20000, counts.duplicates + counts.solved);
  TEST_ASSERT_TRUE(counts.solved <= 500);
  run_and_check(*distances, ground, frame, targets, "second");
  counts = *distances->counts();
  TEST_ASSERT_EQUAL_UINT32(20000, counts.cached);
  TEST_ASSERT_OK(distances->forget());
  run_and_check(*distances, ground, frame, targets, "forgotten");
  counts = *distances->counts();
  TEST_ASSERT_EQUAL_UINT32(0, counts.cached);
}

TEST(a_changed_target_is_never_answered_from_the_cache) {
  Workers workers{2};
  const Ground ground = random_ground(7, 1);
  const auto frame = frame_of(7, 255, 5000, 100, 2);
  const auto distances = made(workers, ground, {}, frame.size());
  for (std::uint64_t round = 0; round < 6; ++round) {
    const auto targets = frame_of(7, 255, 1 + round % 3, 5, 30 + round);
    TEST_ASSERT_OK(distances->set_targets(targets.data(), static_cast<int>(targets.size())));
    run_and_check(*distances, ground, frame, targets, "changed target");
    TEST_ASSERT_EQUAL_UINT32(0, distances->counts()->cached);
    TEST_ASSERT_OK(distances->set_targets(targets.data(), static_cast<int>(targets.size())));
    run_and_check(*distances, ground, frame, targets, "same target");
    TEST_ASSERT_EQUAL_UINT32(5000, distances->counts()->cached);
  }
}

TEST(full_caches_and_keys_that_hash_alike_give_right_costs) {
  Workers workers{2};
  const Ground ground = random_ground(5, 1);
  const auto targets = frame_of(5, 255, 2, 2, 3);
  for (const int bits : {0, 1, 4, 32})
    for (const std::int64_t entries : {0, 4, 64, 100000}) {
      DistanceSettings settings;
      settings.hash_bits = bits;
      settings.cache_entries = entries;
      const auto distances = made(workers, ground, settings, 1200);
      TEST_ASSERT_OK(distances->set_targets(targets.data(), 2));
      for (std::uint64_t f = 0; f < 5; ++f) {
        const auto frame = frame_of(5, 255, 1200, 600, f % 3);
        run_and_check(*distances, ground, frame, targets, "hash alike");
        const DistanceCounts counts = *distances->counts();
        TEST_ASSERT_EQUAL_UINT32(1200, counts.cached + counts.duplicates + counts.solved);
        if (entries == 0) TEST_ASSERT_EQUAL_UINT32(0, counts.cached);
      }
    }
}

TEST(signatures_of_the_wrong_mass_are_refused_one_by_one) {
  Workers workers{1};
  const Ground grounds[] = {random_ground(5, 1), *Ground::line(5)};
  for (const Ground& ground : grounds)
    for (const int mass : {200, 0}) {
      DistanceSettings settings;
      settings.mass = mass;
      auto frame = frame_of(5, 200, 100, 10, 1);
      const Signature target = frame[3];
      frame[10] = {};
      frame[20].bins = {255, 255, 0, 0, 0};
      frame[30].bins[5] = 1;  // beyond the bins
      const auto distances = made(workers, ground, settings, frame.size());
      TEST_ASSERT_OK(distances->set_targets(&target, 1));
      std::vector<std::uint32_t> costs(frame.size());
      TEST_ASSERT_OK(distances->run(SignaturesView<Space::host>{frame.data(), frame.size()},
                                    CostsView<Space::host>{costs.data(), frame.size()}));
      for (const std::size_t bad : {10U, 20U, 30U})
        TEST_ASSERT_EQUAL_UINT32(kNoDistance, costs[bad]);
      TEST_ASSERT_EQUAL_UINT32(0, costs[3]);
      TEST_ASSERT_EQUAL_UINT32(3, distances->counts()->refused);
      Signature heavier = target, beyond = target;
      ++heavier.bins[0];
      std::swap(beyond.bins[4], beyond.bins[9]);
      beyond.bins[9] = 1;
      if (mass > 0) TEST_ASSERT_ERROR(Errc::invalid_argument, distances->set_targets(&heavier, 1));
      TEST_ASSERT_ERROR(Errc::invalid_argument, distances->set_targets(&beyond, 1));
      const Signature empty;
      TEST_ASSERT_ERROR(Errc::invalid_argument, distances->set_targets(&empty, 1));
    }
}

TEST(planes_are_the_same_signatures_and_the_last_one_may_be_missing) {
  Workers workers{1};
  const Ground ground = random_ground(5, 1);
  const auto frame = frame_of(5, 255, 1000, 50, 1);
  const Signature target = frame[0];
  std::vector<std::uint8_t> planes(5 * 1100);
  for (std::size_t k = 0; k < 5; ++k)
    for (std::size_t i = 0; i < frame.size(); ++i) planes[k * 1100 + i] = frame[i].bins[k];
  const auto distances = made(workers, ground, {}, 1000);
  TEST_ASSERT_ERROR(Errc::invalid_argument, distances->finish());
  TEST_ASSERT_OK(distances->set_targets(&target, 1));
  for (const int count : {5, 4}) {
    std::vector<std::uint32_t> costs(1000);
    TEST_ASSERT_OK(distances->begin({planes.data(), count, 1100, 1000}, {costs.data(), 1000}));
    TEST_ASSERT_OK(distances->finish());
    assert_right(ground, frame, {target}, costs, "planes");
  }
  std::vector<std::uint32_t> costs(1000);
  const CostsView<Space::host> out{costs.data(), 1000};
  TEST_ASSERT_ERROR(Errc::invalid_argument, distances->begin({planes.data(), 3, 1100, 1000}, out));
  TEST_ASSERT_ERROR(Errc::invalid_argument, distances->begin({planes.data(), 5, 900, 1000}, out));
  for (std::size_t i = 0; i < 1000; ++i) planes[i] = 255, planes[1100 + i] = 255;
  TEST_ASSERT_OK(distances->begin({planes.data(), 4, 1100, 1000}, out));
  TEST_ASSERT_OK(distances->begin({planes.data(), 4, 1100, 1000}, out));
  TEST_ASSERT_ERROR(Errc::invalid_argument, distances->begin({planes.data(), 4, 1100, 1000}, out));
  TEST_ASSERT_EQUAL_UINT32(kNoDistance, costs[5]);
}

TEST(what_makes_no_sense_is_refused) {
  Workers workers{1};
  const Ground ground = random_ground(5, 1);
  const auto refused = [&](DistanceSettings settings, std::size_t most) {
    TEST_ASSERT_ERROR(Errc::invalid_argument,
                      Distances::create(*cpu, workers, ground, settings, most));
  };
  DistanceSettings settings;
  refused(settings, 0);
  settings.mass = 256;
  refused(settings, 10);
  settings.mass = -1;
  refused(settings, 10);
  settings = {};
  settings.hash_bits = 33;
  refused(settings, 10);
  settings = {};
  settings.cache_entries = -2;
  refused(settings, 10);
  const auto distances = made(workers, ground, {}, 10);
  const auto frame = frame_of(5, 255, 20, 5, 1);
  std::vector<std::uint32_t> costs(40);
  const auto run = [&](std::size_t count, std::uint32_t* out, std::size_t stride) {
    return distances->run(SignaturesView<Space::host>{frame.data(), count},
                          CostsView<Space::host>{out, stride});
  };
  TEST_ASSERT_ERROR(Errc::invalid_argument, run(5, costs.data(), 5));  // no target yet
  TEST_ASSERT_ERROR(Errc::invalid_argument, distances->set_targets(frame.data(), 0));
  TEST_ASSERT_ERROR(Errc::invalid_argument, distances->set_targets(frame.data(), 9));
  TEST_ASSERT_ERROR(Errc::invalid_argument, distances->set_targets(nullptr, 1));
  TEST_ASSERT_OK(distances->set_targets(frame.data(), 2));
  TEST_ASSERT_ERROR(Errc::invalid_argument, run(11, costs.data(), 20));
  TEST_ASSERT_ERROR(Errc::invalid_argument, run(5, nullptr, 5));
  TEST_ASSERT_ERROR(Errc::invalid_argument, run(5, costs.data(), 4));
  TEST_ASSERT_ERROR(Errc::unsupported,
                    distances->run(SignaturesView<Space::device>{}, CostsView<Space::device>{}));
  TEST_ASSERT_OK(run(0, costs.data(), 0));
}

TEST(a_frame_allocates_nothing) {
  Workers workers{2};
  for (const Solver solver : {Solver::atlas, Solver::packed_simplex, Solver::network_simplex}) {
    DistanceSettings settings;
    settings.solver = solver;
    const auto frame = frame_of(5, 255, 1000, 300, 1);
    const auto distances = made(workers, random_ground(5, 1), settings, frame.size());
    TEST_ASSERT_OK(distances->set_targets(frame.data(), 2));
    std::vector<std::uint32_t> costs(2000);
    const std::uint64_t before = allocations();
    TEST_ASSERT_OK(distances->run(SignaturesView<Space::host>{frame.data(), frame.size()},
                                  CostsView<Space::host>{costs.data(), frame.size()}));
    TEST_ASSERT_EQUAL_UINT64(before, allocations());
  }
}

}  // namespace

BEFORE_SUITE(words) {
  using kerb::test::Start;
  cpu.emplace(std::move(*Context::create(BackendChoice::cpu)));
  return Start::run;
}
