// SPDX-License-Identifier: Apache-2.0
#include "firmware/pipeline/image_check.hpp"

#include <algorithm>
#include <cmath>

namespace kerb {

ImageLook ImageCheck::look(const ImageView<Space::host, const std::uint8_t>& grey,
                           Nanos captured) noexcept {
  constexpr int kColumns = 80, kRows = 50;
  const int step_x = std::max(1, grey.width / kColumns);
  const int step_y = std::max(1, grey.height / kRows);
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  std::uint64_t sum = 0, squares = 0, count = 0;
  for (int y = step_y / 2; y < grey.height; y += step_y) {
    const std::uint8_t* row = grey.data + y * grey.row_stride;
    for (int x = step_x / 2; x < grey.width; x += step_x) {
      const std::uint64_t value = row[x];
      hash = (hash ^ value) * 0x100000001b3u;
      sum += value;
      squares += value * value;
      ++count;
    }
  }
  if (!seen_ || hash != last_hash_) {
    seen_ = true;
    last_hash_ = hash;
    same_since_ = captured;
  }
  ImageLook look;
  if (count == 0) return look;
  const double n = static_cast<double>(count);
  look.mean = static_cast<double>(sum) / n;
  look.deviation =
      std::sqrt(std::max(0.0, static_cast<double>(squares) / n - look.mean * look.mean));
  look.unchanged = captured - same_since_;
  return look;
}

}  // namespace kerb
