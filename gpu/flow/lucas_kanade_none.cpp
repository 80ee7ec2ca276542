// SPDX-License-Identifier: Apache-2.0
// What Lucas-Kanade's CUDA half is in builds without CUDA.
#include "gpu/flow/lucas_kanade.hpp"
#include "gpu/flow/points.hpp"

namespace kerb::flow {

Result<std::unique_ptr<Estimator>> make_lucas_kanade_cuda(const Context&,
                                                          const LucasKanadeSettings&, int, int) {
  return Error{Errc::unsupported, 0, "Lucas-Kanade", "built without CUDA"};
}

Result<std::unique_ptr<PointTracker>> make_point_tracker_cuda(const Context&,
                                                              const PointTrackerSettings&, int, int,
                                                              int) {
  return Error{Errc::unsupported, 0, "point tracker", "built without CUDA"};
}

}  // namespace kerb::flow
