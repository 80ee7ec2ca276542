// SPDX-License-Identifier: Apache-2.0
// The CUDA operators where there is no CUDA.
#include "gpu/image/gradients.hpp"
#include "gpu/image/resize.hpp"
#include "gpu/image/split_mosaic.hpp"
#include "gpu/image/to_grey.hpp"
#include "gpu/image/to_luv.hpp"
#include "gpu/image/to_rgb.hpp"

namespace kerb {
namespace {
Error without_cuda(const char* where) {
  return Error{Errc::unsupported, 0, where, "this program was built without CUDA"};
}
}  // namespace

Status to_grey(StreamRef, const RawImageView<Space::device>&,
               const ImageView<Space::device, std::uint8_t>&) {
  return without_cuda("to_grey");
}
Status split_mosaic(StreamRef, const RawImageView<Space::device>&,
                    const PlanesView<Space::device, std::uint16_t>&) {
  return without_cuda("split_mosaic");
}
Status gradients(StreamRef, const ImageView<Space::device, const std::uint8_t>&,
                 const GradientParams&, const ImageView<Space::device, std::uint16_t>&) {
  return without_cuda("gradients");
}
Status gradients(StreamRef, const PlanesView<Space::device, const std::uint8_t>&,
                 const GradientParams&, const ImageView<Space::device, std::uint16_t>&) {
  return without_cuda("gradients");
}
Status Resizer::run(StreamRef, const ImageView<Space::device, const std::uint8_t>&,
                    const ImageView<Space::device, std::uint8_t>&) const {
  return without_cuda("resize");
}
Status to_rgb(StreamRef, const RawImageView<Space::device>&,
              const PlanesView<Space::device, std::uint8_t>&) {
  return without_cuda("to_rgb");
}
Status to_luv(StreamRef, const PlanesView<Space::device, const std::uint8_t>&,
              const PlanesView<Space::device, std::uint8_t>&) {
  return without_cuda("to_luv");
}

}  // namespace kerb
