// SPDX-License-Identifier: Apache-2.0
#include "gpu/flow/lucas_kanade.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "gpu/flow/lucas_kanade_plan.hpp"
#include "gpu/flow/tiled.hpp"
#include "hal/base/rules.hpp"

namespace kerb::flow {

Status validate(const LucasKanadeSettings& s) {
  constexpr const char* kWhere = "Lucas-Kanade settings";
  return check_rules(
      {{s.pyramid.levels >= 0 && s.pyramid.levels <= kMaxLevels, kWhere, "levels: 0..12"},
       {s.pyramid.min_side >= 2 && s.pyramid.min_side <= kMaxSide, kWhere, "min_side: 2..16384"},
       {s.iterations >= 1 && s.iterations <= 32, kWhere, "iterations: 1..32"},
       {s.finest_iterations >= 1 && s.finest_iterations <= 32, kWhere, "finest_iterations: 1..32"},
       {s.reach >= 1 && s.reach <= lk::kMaxReach, kWhere, "reach: 1..500"},
       {s.prior >= 0.01F && s.prior <= 100.0F, kWhere, "prior: 0.01..100"},
       {s.texture >= 0.0F && s.texture <= 1.0F, kWhere, "texture: 0..1"},
       {s.back_tolerance > 0.0F && s.back_tolerance <= 100.0F, kWhere, "back_tolerance: 0..100"}});
}

LucasKanadeSettings within_reach(const LucasKanadeSettings& settings, int reach, int width,
                                 int height) noexcept {
  constexpr int kSeen = 2;  // pixels of the smallest level
  LucasKanadeSettings out = settings;
  out.reach = reach;
  if (settings.pyramid.levels > 0) return out;
  int levels = 1;
  while (levels < kMaxLevels && reach > kSeen << (levels - 1)) ++levels;
  out.pyramid.levels = std::min(levels, level_count(settings.pyramid, width, height));
  return out;
}

Result<std::unique_ptr<Estimator>> make_lucas_kanade(const Context& context, Workers& workers,
                                                     const LucasKanadeSettings& settings, int width,
                                                     int height) {
  if (Status ok = validate(settings); !ok) return ok.error();
  if (Status ok = check_size("Lucas-Kanade", width, height); !ok) return ok.error();
  if (context.backend() == Backend::cuda)
    return make_lucas_kanade_cuda(context, settings, width, height);
  return make_lucas_kanade_cpu(context, workers, settings, width, height);
}

Result<std::unique_ptr<Estimator>> make_tiled_lucas_kanade(const Context& context, Workers& workers,
                                                           const LucasKanadeSettings& settings,
                                                           int width, int height, int tile) {
  if (Status ok = validate(settings); !ok) return ok.error();
  if (Status ok = check_size("Lucas-Kanade", width, height); !ok) return ok.error();
  const lk::Plan plan = lk::make_plan(settings, width, height);
  LucasKanadeSettings same = settings;  // a window has as many levels as the whole picture
  same.pyramid.levels = static_cast<int>(plan.levels.size());
  const int step = 1 << (plan.levels.size() - 1);
  // The way back is followed from where a vector leads, which is within that far again.
  const int rim = lk::dependence(plan) * (settings.check_back ? 2 : 1);
  return make_tiled(context, {"Lucas-Kanade", "lk", width, height, tile, step, rim},
                    [&](int across, int down) {
                      return make_lucas_kanade(context, workers, same, across, down);
                    });
}

namespace lk {

Plan make_plan(const LucasKanadeSettings& settings, int width, int height) {
  Plan plan;
  const int count = level_count(settings.pyramid, width, height);
  int wanted = 0;  // how far below (in pixels of this level) vectors of this level are asked for
  for (int i = 0; i < count; ++i) {
    Level level;
    level.width = width;
    level.height = height;
    level.stride = (kRimLeft + width + kRimRight + 15) / 16 * 16;
    level.iterations = i == 0 ? settings.finest_iterations : settings.iterations;
    level.samples = plan.samples + static_cast<std::size_t>(kRimRows) * level.stride + kRimLeft;
    plan.samples += static_cast<std::size_t>(level.stride) * (height + 2 * kRimRows);
    level.reach = std::max((settings.reach * kUnit) >> i, 1);
    level.radius = wanted + kLook * (level.iterations - 1);
    wanted = (wanted + kLook * level.iterations + 1) / 2 + 2;
    plan.levels.push_back(level);
    width = (width + 1) / 2;
    height = (height + 1) / 2;
  }
  plan.vectors = static_cast<std::size_t>(plan.levels[0].stride) * plan.levels[0].height;
  return plan;
}

int dependence(const Plan& plan) noexcept {
  int most = 0;
  for (std::size_t i = 0; i < plan.levels.size(); ++i) {
    const Level& level = plan.levels[i];
    // Vectors, what they read and where they lead, interpolation, the halved pictures' filters.
    const int pixels = level.radius + kLook + level.reach / kUnit + 1 + 3 + 3;
    most = std::max(most, pixels << i);
  }
  return most;
}

}  // namespace lk
}  // namespace kerb::flow
