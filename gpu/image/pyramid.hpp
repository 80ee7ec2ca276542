// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>

#include "gpu/image/levels.hpp"
#include "gpu/memory/context.hpp"
#include "gpu/memory/workers.hpp"
#include "hal/base/result.hpp"
#include "hal/base/view.hpp"

namespace kerb {

/// A PyramidPlan where kernels read it, and its work cut into tiles. Made once; constant after.
class PyramidTables {
 public:
  /// Fails: device, unsupported (a CPU context).
  static Result<PyramidTables> create(const Context& context, const PyramidPlan& plan);
  PyramidTables(PyramidTables&&) noexcept;
  PyramidTables& operator=(PyramidTables&&) noexcept;
  ~PyramidTables();

  struct Device;
  [[nodiscard]] const Device& device() const noexcept { return *device_; }
  [[nodiscard]] std::size_t device_bytes() const noexcept;

 private:
  explicit PyramidTables(std::unique_ptr<Device> device);
  std::unique_ptr<Device> device_;
};

/// Makes every level of the plan, rims included, from one 8-bit plane, and the octaves it needs for
/// that. Each sample is, exactly,
///   (sum of the four neighbours, weighted by their taps + 32768) >> 16
/// so the result is the same on both backends, and a level without a scale is a copy.
///   in      of the plan's size; row_stride >= width
///   out     plan.samples samples; what lies between a row's end and the next row is undefined
///   costs   one launch for all levels, and one for all octaves if there are any; allocates
///   nothing, synchronises nothing fails   invalid_argument (another size), device, unsupported
///   (built without CUDA)
Status pyramid(StreamRef stream, const PyramidTables& tables,
               const ImageView<Space::device, const std::uint8_t>& in, std::uint8_t* out);

namespace cpu {
/// The same contract on the CPU, done on return: the definition.
Status pyramid(Workers& workers, const PyramidPlan& plan,
               const ImageView<Space::host, const std::uint8_t>& in, std::uint8_t* out);
/// Numbers that pyramid_level() needs room for.
[[nodiscard]] std::size_t pyramid_scratch(const PyramidPlan& plan) noexcept;
/// All octaves of the plan, `out` being where the first one goes (PyramidPlan::octaves_at()).
void pyramid_octaves(Workers& workers, const PyramidPlan& plan,
                     const ImageView<Space::host, const std::uint8_t>& in, std::uint8_t* out);
/// What a level is made from: `in`, or the octave of those at `octaves`.
[[nodiscard]] ImageView<Space::host, const std::uint8_t> pyramid_source(
    const PyramidPlan& plan, const Level& level,
    const ImageView<Space::host, const std::uint8_t>& in, const std::uint8_t* octaves) noexcept;
/// One level alone from its source, its rim's corner at `first`. Writes whole rows, up to the
/// level's stride.
void pyramid_level(const PyramidPlan& plan, const Level& level,
                   const ImageView<Space::host, const std::uint8_t>& in, std::uint8_t* first,
                   std::uint16_t* scratch);
}  // namespace cpu

}  // namespace kerb
