// SPDX-License-Identifier: Apache-2.0
// sensor.cpp's rows compiled for AVX2: nothing of this may run before a check of the CPU.
#include "tools/simulator/render/sensor_lanes.hpp"

namespace kerb::sim {

const RowWork& avx2::row_work() noexcept {
  static constexpr RowWork kWork{smear_row, finish_rows};
  return kWork;
}

}  // namespace kerb::sim
