// SPDX-License-Identifier: Apache-2.0
#include "gpu/emd/distances.hpp"

#include <array>

#include "gpu/emd/atlas.hpp"
#include "gpu/emd/keys.hpp"
#include "hal/base/rules.hpp"

namespace kerb::emd {
namespace {

constexpr std::array<const char*, 5> kSolverNames = {"auto", "closed", "atlas", "packed",
                                                     "network"};
// With 12 bins it has 130 MB, which a GPU reads faster than any simplex computes.
constexpr int kAutomaticAtlasBins = 11, kAutomaticAtlasBinsCuda = 12;

Error no_solver(const char* what) { return {Errc::unsupported, 0, "earth mover's distance", what}; }

}  // namespace

const char* name_of(Solver solver) noexcept {
  return kSolverNames[static_cast<std::size_t>(solver)];
}

bool parse(std::string_view name, Solver& solver) noexcept {
  for (std::size_t i = 0; i < kSolverNames.size(); ++i)
    if (name == kSolverNames[i]) {
      solver = static_cast<Solver>(i);
      return true;
    }
  return false;
}

Result<Solver> choose_solver(Backend backend, const Ground& ground,
                             const DistanceSettings& settings) {
  const bool equal = settings.mass > 0, closed = ground.kind() != GroundKind::general && equal;
  switch (settings.solver) {
    case Solver::automatic:
      if (closed) return Solver::closed_form;
      if (equal && ground.bins() <=
                       (backend == Backend::cpu ? kAutomaticAtlasBins : kAutomaticAtlasBinsCuda))
        return Solver::atlas;
      return backend == Backend::cpu ? Solver::network_simplex : Solver::packed_simplex;
    case Solver::closed_form:
      if (!closed) return no_solver("no closed form for this ground distance and mass");
      break;
    case Solver::atlas:
      if (!equal || ground.bins() > Atlas::kMaxAtlasBins)
        return no_solver("an atlas needs a fixed mass and at most 12 bins");
      break;
    case Solver::network_simplex:
      if (backend != Backend::cpu) return no_solver("the network simplex is for the CPU");
      break;
    case Solver::packed_simplex:
      break;
  }
  return settings.solver;
}

Result<std::unique_ptr<Distances>> Distances::create(const Context& context, Workers& workers,
                                                     const Ground& ground,
                                                     const DistanceSettings& settings,
                                                     std::size_t most) {
  constexpr const char* kWhere = "earth mover's distance";
  if (Status ok = check_rules(
          {{ground.bins() >= kMinBins, kWhere, "no ground distance"},
           {settings.mass >= 0 && settings.mass <= kMaxMass, kWhere, "mass: 0..255"},
           {settings.hash_bits >= 0 && settings.hash_bits <= 32, kWhere, "hash_bits: 0..32"},
           {settings.cache_entries >= DistanceSettings::kAutomaticCache &&
                settings.cache_entries <= std::int64_t{1} << 30,
            kWhere, "cache_entries: up to 2^30"},
           {most >= 1 && most <= std::size_t{1} << 28, kWhere, "signatures of a frame: 1..2^28"}});
      !ok)
    return ok.error();
  const Result<Solver> solver = choose_solver(context.backend(), ground, settings);
  if (!solver) return solver.error();
  if (context.backend() == Backend::cpu)
    return make_distances_cpu(workers, ground, settings, *solver, most);
  return make_distances_cuda(context, ground, settings, *solver, most);
}

}  // namespace kerb::emd
