// SPDX-License-Identifier: Apache-2.0
#include "gpu/flow/points.hpp"

namespace kerb::flow {

Status validate(const PointTrackerSettings& s) {
  struct Rule {
    bool holds;
    const char* text;
  };
  for (const Rule& rule :
       {Rule{s.pyramid.levels >= 0 && s.pyramid.levels <= kMaxLevels, "levels: 0..12"},
        Rule{s.pyramid.min_side >= 2 && s.pyramid.min_side <= kMaxSide, "min_side: 2..16384"},
        Rule{s.radius >= 2 && s.radius <= 10, "radius: 2..10"},
        Rule{s.iterations >= 1 && s.iterations <= 64, "iterations: 1..64"},
        Rule{s.texture >= 0.0F && s.texture <= 10000.0F, "texture: 0..10000"},
        Rule{s.back_tolerance > 0.0F && s.back_tolerance <= 100.0F, "back_tolerance: 0..100"}})
    if (!rule.holds) return Error{Errc::invalid_argument, 0, "point tracker settings", rule.text};
  return Done{};
}

Result<std::unique_ptr<PointTracker>> make_point_tracker(const Context& context, Workers& workers,
                                                         const PointTrackerSettings& settings,
                                                         int width, int height, int max_points) {
  if (Status ok = validate(settings); !ok) return ok.error();
  if (Status ok = check_size("point tracker", width, height); !ok) return ok.error();
  if (max_points < 1 || max_points > 1000000)
    return Error{Errc::invalid_argument, 0, "point tracker", "max_points: 1..1000000"};
  if (context.backend() == Backend::cuda)
    return make_point_tracker_cuda(context, settings, width, height, max_points);
  return make_point_tracker_cpu(workers, settings, width, height, max_points);
}

}  // namespace kerb::flow
