// SPDX-License-Identifier: Apache-2.0
// Signatures on CUDA where there is no CUDA.
#include "gpu/emd/signatures.hpp"

namespace kerb::emd {
namespace {
Error signatures_without_cuda() {
  return {Errc::unsupported, 0, "signatures", "this program was built without CUDA"};
}
}  // namespace

Status window_signatures(StreamRef, const ImageView<Space::device, const std::uint8_t>&,
                         const WindowSettings&, const ImageView<Space::device, Signature>&) {
  return signatures_without_cuda();
}
template <typename T>
Status band_signatures(StreamRef, const PlanesView<Space::device, const T>&, const BandSettings&,
                       const ImageView<Space::device, Signature>&) {
  return signatures_without_cuda();
}
template Status band_signatures(StreamRef, const PlanesView<Space::device, const std::uint8_t>&,
                                const BandSettings&, const ImageView<Space::device, Signature>&);
template Status band_signatures(StreamRef, const PlanesView<Space::device, const std::uint16_t>&,
                                const BandSettings&, const ImageView<Space::device, Signature>&);

}  // namespace kerb::emd
