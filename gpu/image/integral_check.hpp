// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpu/image/integral.hpp"
#include "gpu/image/shapes.hpp"

/// Argument checks of scans and integrals, the same on both backends. For gpu/image alone.
namespace kerb::shapes {

inline constexpr int kBand = 16;          // rows of integral()
inline constexpr int kTreeSegment = 512;  // elements of tree_integral()

[[nodiscard]] constexpr int parts_of(int size, int part) noexcept {
  return (size + part - 1) / part;
}

template <typename In, typename Out>
Status check_scan(const In& in, const Out& out, ScanKind kind) {
  const auto refuse = [](const char* what) {
    return Error{Errc::invalid_argument, 0, "scan", what};
  };
  if (in.data == nullptr || in.width < 1 || in.height < 1 || in.row_stride < in.width)
    return refuse("not an array");
  if (out.data == nullptr || out.width != in.width || out.height != in.height ||
      out.row_stride < out.width)
    return refuse("the output must be as large as the input");
  if (kind == ScanKind::exclusive && static_cast<const void*>(in.data) == out.data)
    return refuse("an exclusive scan in place");
  return Done{};
}

template <typename In, typename Out>
Status check_integral(const In& in, const Out& out) {
  const auto refuse = [](const char* what) {
    return Error{Errc::invalid_argument, 0, "integral", what};
  };
  if (!is_whole(in)) return refuse("not a picture");
  const int more = out.width - in.width;
  if (out.data == nullptr || out.row_stride < out.width || (more != 0 && more != 1) ||
      out.height - in.height != more)
    return refuse("the output must be one wider and higher than the input, or of its size");
  return Done{};
}

template <typename In, typename Out>
Status check_tree(const In& in, const Out& out, TreeForm form) {
  const bool turned = form == TreeForm::transposed;
  if (!is_whole(in) || !is_whole(out) || out.width != (turned ? in.height : in.width) ||
      out.height != (turned ? in.width : in.height))
    return Error{Errc::invalid_argument, 0, "tree integral",
                 "the output must be of the input's size, turned when so asked"};
  return Done{};
}

inline Error too_little_scratch() {
  return Error{Errc::invalid_argument, 0, "integral", "too little scratch memory"};
}

}  // namespace kerb::shapes
