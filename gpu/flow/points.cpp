// SPDX-License-Identifier: Apache-2.0
#include "gpu/flow/points.hpp"

#include "hal/base/rules.hpp"

namespace kerb::flow {

Status validate(const PointTrackerSettings& s) {
  constexpr const char* kWhere = "point tracker settings";
  return check_rules(
      {{s.pyramid.levels >= 0 && s.pyramid.levels <= kMaxLevels, kWhere, "levels: 0..12"},
       {s.pyramid.min_side >= 2 && s.pyramid.min_side <= kMaxSide, kWhere, "min_side: 2..16384"},
       {s.radius >= 2 && s.radius <= 10, kWhere, "radius: 2..10"},
       {s.iterations >= 1 && s.iterations <= 64, kWhere, "iterations: 1..64"},
       {s.texture >= 0.0F && s.texture <= 10000.0F, kWhere, "texture: 0..10000"},
       {s.back_tolerance > 0.0F && s.back_tolerance <= 100.0F, kWhere, "back_tolerance: 0..100"}});
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
