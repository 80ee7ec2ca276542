// SPDX-License-Identifier: Apache-2.0
// The CUDA operators where there is no CUDA.
#include "gpu/night/temporal_filter.hpp"
#include "gpu/night/tone_curve.hpp"

namespace kerb::night {
namespace {
Error without_cuda(const char* where) {
  return Error{Errc::unsupported, 0, where, "this program was built without CUDA"};
}
}  // namespace

Status ToneCurve::run(StreamRef, const PlanesView<Space::device, const std::uint8_t>&,
                      const PlanesView<Space::device, std::uint8_t>&) {
  return without_cuda("tone curve");
}
Status TemporalFilter::run(StreamRef, const PlanesView<Space::device, const std::uint8_t>&,
                           const MotionField*, const PlanesView<Space::device, std::uint8_t>&) {
  return without_cuda("temporal filter");
}

}  // namespace kerb::night
