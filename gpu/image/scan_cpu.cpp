// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/scan.hpp"

#include <algorithm>

#include "gpu/image/integral_check.hpp"

namespace kerb::cpu {
namespace {

/// Segments do not wait for each other: the processor works on several at once.
template <typename T>
void scan_row(const T* in, T* out, int width, int shift) {
  T groups{};
  for (int group = 0; group < width; group += kScanGroup) {
    const int group_end = std::min(group + kScanGroup, width);
    T segments{};
    for (int x = group; x < group_end; x += kScanSegment) {
      const int end = std::min(x + kScanSegment, group_end);
      const T start = groups + segments;
      T sum = in[x];
      // Shifted by one for exclusive: then the row's last value has no place.
      if (x + shift < width) out[x + shift] = start + sum;
      for (int i = x + 1; i < end; ++i) {
        sum = sum + in[i];
        if (i + shift < width) out[i + shift] = start + sum;
      }
      segments = segments + sum;
    }
    groups = groups + segments;
  }
  if (shift == 1) out[0] = T{};
}

}  // namespace

template <typename T>
Status scan_rows(const ImageView<Space::host, std::add_const_t<T>>& in, ScanKind kind,
                 const ImageView<Space::host, T>& out) {
  if (Status ok = shapes::check_scan(in, out, kind); !ok) return ok;
  for (int y = 0; y < in.height; ++y)
    scan_row<T>(in.data + y * in.row_stride, out.data + y * out.row_stride, in.width,
                kind == ScanKind::exclusive ? 1 : 0);
  return Done{};
}

#define KERB_SCAN(T)                                                             \
  template Status scan_rows<T>(const ImageView<Space::host, const T>&, ScanKind, \
                               const ImageView<Space::host, T>&);
KERB_SCAN(std::uint32_t)
KERB_SCAN(float)
KERB_SCAN(double)
KERB_SCAN(Float4)

}  // namespace kerb::cpu
