// SPDX-License-Identifier: Apache-2.0
// The CUDA operators where there is no CUDA.
#include "gpu/image/counts.hpp"
#include "gpu/image/gradients.hpp"
#include "gpu/image/integral.hpp"
#include "gpu/image/remap.hpp"
#include "gpu/image/resize.hpp"
#include "gpu/image/scan.hpp"
#include "gpu/image/split_mosaic.hpp"
#include "gpu/image/to_grey.hpp"
#include "gpu/image/to_luv.hpp"
#include "gpu/image/to_rgb.hpp"
#include "gpu/image/transpose.hpp"

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
Status count_samples(StreamRef, const RawImageView<Space::device>&, std::uint32_t*) {
  return without_cuda("count_samples");
}
Status map_counts(StreamRef, const RawImageView<Space::device>&, const CountMap&,
                  const ImageView<Space::device, std::uint8_t>&) {
  return without_cuda("map_counts");
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
Status Remapper::run(StreamRef, const PlanesView<Space::device, const std::uint8_t>&,
                     const PlanesView<Space::device, std::uint8_t>&) const {
  return without_cuda("remap");
}
Status to_rgb(StreamRef, const RawImageView<Space::device>&,
              const PlanesView<Space::device, std::uint8_t>&) {
  return without_cuda("to_rgb");
}
Status to_luv(StreamRef, const PlanesView<Space::device, const std::uint8_t>&,
              const PlanesView<Space::device, std::uint8_t>&) {
  return without_cuda("to_luv");
}

Status transposing::run(StreamRef, std::size_t, const Side&, const Side&) {
  return without_cuda("transpose");
}

template <typename T>
Status scan_rows(StreamRef, const ImageView<Space::device, std::add_const_t<T>>&, ScanKind,
                 const ImageView<Space::device, T>&) {
  return without_cuda("scan_rows");
}
template <typename In, typename T>
Status integral(StreamRef, const ImageView<Space::device, const In>&, const DeviceBuffer<T>&,
                const ImageView<Space::device, T>&) {
  return without_cuda("integral");
}
template <typename T>
Status tree_integral(StreamRef, const ImageView<Space::device, std::add_const_t<T>>&, TreeForm,
                     const DeviceBuffer<T>&, const ImageView<Space::device, T>&) {
  return without_cuda("tree_integral");
}

#define KERB_INTEGRAL(In, T)                                                     \
  template Status integral(StreamRef, const ImageView<Space::device, const In>&, \
                           const DeviceBuffer<T>&, const ImageView<Space::device, T>&);
KERB_INTEGRAL(std::uint8_t, std::uint32_t)
KERB_INTEGRAL(std::uint32_t, std::uint32_t)
KERB_INTEGRAL(float, float)
KERB_INTEGRAL(double, double)
KERB_INTEGRAL(Float4, Float4)

#define KERB_SCANS(T)                                                                             \
  template Status scan_rows<T>(StreamRef, const ImageView<Space::device, const T>&, ScanKind,     \
                               const ImageView<Space::device, T>&);                               \
  template Status tree_integral<T>(StreamRef, const ImageView<Space::device, const T>&, TreeForm, \
                                   const DeviceBuffer<T>&, const ImageView<Space::device, T>&);
KERB_SCANS(std::uint32_t)
KERB_SCANS(float)
KERB_SCANS(double)
KERB_SCANS(Float4)

}  // namespace kerb
