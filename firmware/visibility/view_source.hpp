// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "firmware/types/view.hpp"
#include "hal/base/clock.hpp"
#include "hal/base/view.hpp"

namespace kerb {

/// Says how far people are seen in each picture. One thread at a time.
class ViewSource {
 public:
  virtual ~ViewSource() = default;
  [[nodiscard]] virtual ViewMeasurement measure(
      const ImageView<Space::host, const std::uint8_t>& grey, Nanos captured) noexcept = 0;
};

}  // namespace kerb
