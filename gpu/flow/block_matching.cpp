// SPDX-License-Identifier: Apache-2.0
#include "gpu/flow/block_matching.hpp"

#include <algorithm>
#include <utility>

#include "gpu/flow/block_matching_plan.hpp"
#include "gpu/flow/tiled.hpp"
#include "gpu/memory/no_memory.hpp"

namespace kerb::flow {
namespace {

constexpr const char* kWhere = "block matching";
constexpr int kLeastSide = 12;  // of the smallest level: three blocks
constexpr int kMaxReach = 256, kMaxSteps = 8;

Error refuse(const char* what) { return Error{Errc::invalid_argument, 0, kWhere, what}; }

constexpr int align(int n) { return (n + bm::kAlign - 1) / bm::kAlign * bm::kAlign; }

Result<std::unique_ptr<Estimator>> make_one(const Context& context, Workers& workers,
                                            bm::Plan plan) {
  return context.backend() == Backend::cuda ? bm::make_cuda(context, std::move(plan))
                                            : bm::make_cpu(workers, std::move(plan));
}

}  // namespace

const char* name_of(Cost cost) noexcept {
  switch (cost) {
    case Cost::ncc:
      return "ncc";
    case Cost::ssd:
      return "ssd";
    case Cost::sad:
      return "sad";
  }
  return "?";
}

Status validate(const BlockMatchingSettings& settings) {
  if (settings.cost != Cost::ncc && settings.cost != Cost::ssd && settings.cost != Cost::sad)
    return refuse("cost must be ncc, ssd or sad");
  if (settings.levels < 1 || settings.levels > kMaxLevels)
    return refuse("levels must be between 1 and 12");
  if (settings.reach < 1 || settings.reach > kMaxReach)
    return refuse("reach must be between 1 and 256 pixels");
  if (settings.steps < 0 || settings.steps > kMaxSteps)
    return refuse("steps must be between 0 and 8");
  if (!(settings.noise >= 0 && settings.noise <= 64))
    return refuse("noise must be between 0 and 64 grey levels");
  if (!(settings.doubt >= 0 && settings.doubt <= 1)) return refuse("doubt must be between 0 and 1");
  return Done{};
}

BlockMatchingSettings within_reach(const BlockMatchingSettings& settings, int reach) noexcept {
  constexpr int kTried = 3;  // pixels of the smallest level
  BlockMatchingSettings out = settings;
  out.reach = reach;
  int levels = 1;
  while (levels < settings.levels && reach >= kTried << levels) ++levels;
  out.levels = levels;
  return out;
}

namespace bm {

int levels_for(const BlockMatchingSettings& settings, int width, int height) noexcept {
  int levels = 1;
  for (int side = std::min(width, height); levels < settings.levels; ++levels) {
    side = (side + 1) / 2;
    if (side < kLeastSide) break;
  }
  return levels;
}

Plan make_plan(const BlockMatchingSettings& settings, int width, int height, int levels) {
  Plan plan;
  plan.settings = settings;
  plan.width = width;
  plan.height = height;
  const int top = levels - 1, radius = (settings.reach + (1 << top) - 1) >> top;
  for (int i = 0; i < levels; ++i) {
    Level level;
    level.width = width;
    level.height = height;
    level.columns = (width + kCell - 1) / kCell;
    level.rows = (height + kCell - 1) / kCell;
    // A step beside the doubled vector above, on each level.
    level.limit = radius << (top - i);
    level.row_stride = align(width + 2 * kRim + kBlock);
    level.image = plan.samples + static_cast<std::size_t>(level.row_stride) * kRim + kRim;
    plan.samples +=
        static_cast<std::size_t>(level.row_stride) * static_cast<std::size_t>(height + 2 * kRim);
    level.sums_stride = align(places(width));
    level.sums = plan.sums;
    if (settings.cost == Cost::ncc)
      plan.sums +=
          static_cast<std::size_t>(level.sums_stride) * static_cast<std::size_t>(places(height));
    level.block = plan.blocks;
    plan.blocks += static_cast<std::size_t>(level.columns) * static_cast<std::size_t>(level.rows);
    plan.levels.push_back(level);
    width = (width + 1) / 2;
    height = (height + 1) / 2;
  }
  plan.samples += kAlign;  // the last row's vectors may be read beyond its end
  const int last = plan.levels.back().limit;
  for (int y = -last; y <= last; ++y)
    for (int x = -last; x <= last; ++x) plan.shifts.push_back({x, y});
  std::stable_sort(plan.shifts.begin(), plan.shifts.end(), [](const Shift& a, const Shift& b) {
    return a.x * a.x + a.y * a.y < b.x * b.x + b.y * b.y;
  });
  return plan;
}

int dependence(const BlockMatchingSettings& settings, int levels) noexcept {
  const int top = levels - 1, radius = (settings.reach + (1 << top) - 1) >> top;
  int most = 0, blocks = 1 + kMedian;  // around the pixel's own: on this level, in blocks
  for (int i = 0; i < levels; ++i) {
    // A block, its shift, the refinement, the halved pictures' filters; plus the cell itself.
    const int pixels = (blocks + 1) * kCell + kBlock + (radius << (top - i)) + 2 * kSpare + 2;
    most = std::max(most, pixels << i);
    blocks = (blocks + 1) / 2 + kNeighbours + 1 + kMedian;
  }
  return most;
}

}  // namespace bm

Result<std::unique_ptr<Estimator>> make_block_matching(const Context& context, Workers& workers,
                                                       const BlockMatchingSettings& settings,
                                                       int width, int height) {
  if (Status ok = validate(settings); !ok) return ok.error();
  if (Status ok = check_size(kWhere, width, height); !ok) return ok.error();
  return or_no_memory(kWhere, [&] {
    return make_one(
        context, workers,
        bm::make_plan(settings, width, height, bm::levels_for(settings, width, height)));
  });
}

Result<std::unique_ptr<Estimator>> make_tiled_block_matching(const Context& context,
                                                             Workers& workers,
                                                             const BlockMatchingSettings& settings,
                                                             int width, int height, int tile) {
  if (Status ok = validate(settings); !ok) return ok.error();
  if (Status ok = check_size(kWhere, width, height); !ok) return ok.error();
  const int levels = bm::levels_for(settings, width, height);
  // Windows begin where a block of every level does.
  const int step = bm::kCell << (levels - 1);
  return make_tiled(
      context, {kWhere, "bm", width, height, tile, step, bm::dependence(settings, levels)},
      [&](int across, int down) {
        return make_one(context, workers, bm::make_plan(settings, across, down, levels));
      });
}

}  // namespace kerb::flow
