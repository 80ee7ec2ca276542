// SPDX-License-Identifier: Apache-2.0
#include "gpu/image/integral.hpp"

#include <algorithm>
#include <vector>

#include "gpu/image/integral_check.hpp"
#include "gpu/image/transpose.hpp"

namespace kerb {

using shapes::kBand;
using shapes::kTreeSegment;
using shapes::parts_of;

std::size_t integral_scratch(int width, int height) noexcept {
  if (width < 1 || height < 1) return 0;
  return static_cast<std::size_t>(parts_of(height, kBand)) * static_cast<std::size_t>(width) +
         static_cast<std::size_t>(parts_of(width, kScanGroup)) * static_cast<std::size_t>(height);
}

std::size_t tree_integral_scratch(int width, int height) noexcept {
  if (width < 1 || height < 1) return 0;
  const auto w = static_cast<std::size_t>(width), h = static_cast<std::size_t>(height);
  return 2 * w * h + std::max(h * static_cast<std::size_t>(parts_of(width, kTreeSegment)),
                              w * static_cast<std::size_t>(parts_of(height, kTreeSegment)));
}

namespace cpu {
namespace {

/// Integers: any order will do.
template <typename In>
void integrate_integers(const ImageView<Space::host, const In>& in,
                        const ImageView<Space::host, std::uint32_t>& out) {
  std::fill_n(out.data, out.width, 0u);
  for (int y = 1; y < out.height; ++y) {
    const In* __restrict from = in.data + (y - 1) * in.row_stride;
    std::uint32_t* __restrict to = out.data + y * out.row_stride;
    const std::uint32_t* above = to - out.row_stride;
    std::uint32_t sum = 0;
    to[0] = 0;
    for (int x = 1; x < out.width; ++x) {
      sum += from[x - 1];
      to[x] = above[x] + sum;
    }
  }
}

/// Scans up to a group of values as scan_rows() does; `groups` is the sum of the row's groups so
/// far. Segments do not wait for each other: the processor works on several at once.
template <typename T>
void scan_group(const T* __restrict values, T* __restrict out, int count, T& groups) {
  T segments{};
  for (int x = 0; x < count; x += kScanSegment) {
    const int end = std::min(x + kScanSegment, count);
    const T start = groups + segments;
    T sum = values[x];
    out[x] = start + sum;
    for (int i = x + 1; i < end; ++i) {
      sum = sum + values[i];
      out[i] = start + sum;
    }
    segments = segments + sum;
  }
  groups = groups + segments;
}
/// For the vectoriser.
template <typename T>
void add_to(T* __restrict sums, const T* __restrict values, int count) {
  for (int i = 0; i < count; ++i) sums[i] = sums[i] + values[i];
}
template <typename T>
void put_sums(const T* __restrict a, const T* __restrict b, T* __restrict to, int count) {
  for (int i = 0; i < count; ++i) to[i] = a[i] + b[i];
}

/// A band at a time and in it a group of columns at a time, whose sums stay in the first cache. The
/// output's first row holds V until it is made what it is to be: 0.
template <typename T>
void integrate(const ImageView<Space::host, const T>& in, const ImageView<Space::host, T>& out) {
  const int width = out.width - 1, height = out.height - 1;  // of the input, as far as it counts
  T* const columns = out.data + 1;
  std::fill_n(out.data, out.width, T{});
  for (int top = 0; top < height; top += kBand) {
    const int rows = std::min(kBand, height - top);
    T groups_above{}, groups[kBand] = {};
    for (int left = 0; left < width; left += kScanGroup) {
      const int count = std::min(kScanGroup, width - left);
      T above[kScanGroup], sums[kScanGroup] = {}, scanned[kScanGroup];
      scan_group(columns + left, above, count, groups_above);
      for (int j = 0; j < rows; ++j) {
        add_to(sums, in.data + (top + j) * in.row_stride + left, count);
        scan_group(sums, scanned, count, groups[j]);
        put_sums(above, scanned, out.data + (top + j + 1) * out.row_stride + left + 1, count);
      }
      add_to(columns + left, sums, count);
    }
    for (int j = 0; j < rows; ++j) out.data[(top + j + 1) * out.row_stride] = T{};
  }
  std::fill_n(out.data, out.width, T{});
}

/// The work-efficient scan of one segment, exclusive; returns the segment's sum.
template <typename T>
T scan_tree(T (&tree)[kTreeSegment]) {
  int offset = 1;
  for (int d = kTreeSegment / 2; d > 0; d /= 2, offset *= 2)
    for (int i = 0; i < d; ++i) {
      const int a = offset * (2 * i + 1) - 1, b = offset * (2 * i + 2) - 1;
      tree[b] = tree[b] + tree[a];
    }
  const T total = tree[kTreeSegment - 1];
  tree[kTreeSegment - 1] = T{};
  for (int d = 1; d < kTreeSegment; d *= 2) {
    offset /= 2;
    for (int i = 0; i < d; ++i) {
      const int a = offset * (2 * i + 1) - 1, b = offset * (2 * i + 2) - 1;
      const T left = tree[a];
      tree[a] = tree[b];
      tree[b] = tree[b] + left;
    }
  }
  return total;
}

template <typename T>
void scan_row_by_trees(const T* from, T* to, int width) {
  T sums[kTreeSegment] = {};  // 65536 / 512 at most
  for (int left = 0; left < width; left += kTreeSegment) {
    T tree[kTreeSegment] = {};
    const int count = std::min(kTreeSegment, width - left);
    std::copy_n(from + left, count, tree);
    sums[left / kTreeSegment] = scan_tree(tree);
    std::copy_n(tree, count, to + left);
  }
  if (width <= kTreeSegment) return;
  (void)scan_tree(sums);
  for (int x = kTreeSegment; x < width; ++x) to[x] = to[x] + sums[x / kTreeSegment];
}

}  // namespace

template <typename In, typename T>
Status integral(const ImageView<Space::host, const In>& in, const ImageView<Space::host, T>& out) {
  if (Status ok = shapes::check_integral(in, out); !ok) return ok;
  if constexpr (std::is_same_v<T, std::uint32_t>)
    integrate_integers(in, out);
  else
    integrate(in, out);
  return Done{};
}

template <typename T>
Status tree_integral(const ImageView<Space::host, std::add_const_t<T>>& in, TreeForm form,
                     const ImageView<Space::host, T>& out) {
  if (Status ok = shapes::check_tree(in, out, form); !ok) return ok;
  const int width = in.width, height = in.height;
  const auto size = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  std::vector<T> rows(size), turned(size);
  for (int y = 0; y < height; ++y)
    scan_row_by_trees(in.data + y * in.row_stride, rows.data() + std::ptrdiff_t{y} * width, width);
  Status ok = transpose<T>({rows.data(), width, height, width},
                           ImageView<Space::host, T>{turned.data(), height, width, height});
  if (!ok) return ok;
  const bool upright = form == TreeForm::upright;
  for (int x = 0; x < width; ++x)
    scan_row_by_trees(
        turned.data() + std::ptrdiff_t{x} * height,
        upright ? rows.data() + std::ptrdiff_t{x} * height : out.data + x * out.row_stride, height);
  if (!upright) return Done{};
  return transpose<T>({rows.data(), height, width, height}, out);
}

#define KERB_INTEGRAL(In, T)                                        \
  template Status integral(const ImageView<Space::host, const In>&, \
                           const ImageView<Space::host, T>&);
KERB_INTEGRAL(std::uint8_t, std::uint32_t)
KERB_INTEGRAL(std::uint32_t, std::uint32_t)
KERB_INTEGRAL(float, float)
KERB_INTEGRAL(double, double)
KERB_INTEGRAL(Float4, Float4)

#define KERB_TREE(T)                                                                 \
  template Status tree_integral<T>(const ImageView<Space::host, const T>&, TreeForm, \
                                   const ImageView<Space::host, T>&);
KERB_TREE(std::uint32_t)
KERB_TREE(float)
KERB_TREE(double)
KERB_TREE(Float4)

}  // namespace cpu
}  // namespace kerb
