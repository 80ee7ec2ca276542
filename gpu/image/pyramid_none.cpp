// SPDX-License-Identifier: Apache-2.0
// The CUDA pyramid where there is no CUDA.
#include "gpu/image/pyramid.hpp"

namespace kerb {

struct PyramidTables::Device {};

PyramidTables::PyramidTables(std::unique_ptr<Device> device) : device_{std::move(device)} {}
PyramidTables::PyramidTables(PyramidTables&&) noexcept = default;
PyramidTables& PyramidTables::operator=(PyramidTables&&) noexcept = default;
PyramidTables::~PyramidTables() = default;
std::size_t PyramidTables::device_bytes() const noexcept { return 0; }

Result<PyramidTables> PyramidTables::create(const Context&, const PyramidPlan&) {
  return Error{Errc::unsupported, 0, "pyramid", "this program was built without CUDA"};
}
Status pyramid(StreamRef, const PyramidTables&, const ImageView<Space::device, const std::uint8_t>&,
               std::uint8_t*) {
  return Error{Errc::unsupported, 0, "pyramid", "this program was built without CUDA"};
}

}  // namespace kerb
