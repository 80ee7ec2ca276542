// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>

#include "gpu/flow/flow.hpp"

namespace kerb::flow {

/// How a picture is processed in overlapping windows.
struct TileLayout {
  const char* where;  ///< for errors
  const char* name;   ///< the method's
  int width, height;  ///< of the picture
  int tile;           ///< side of the part of each window that is used, about; at least 64 pixels
  int step;           ///< windows begin at multiples of this
  int rim;            ///< distance up to which a pixel's result depends on its surroundings
};
/// Makes the estimator for a window of this size.
using MakeWindow = std::function<Result<std::unique_ptr<Estimator>>(int width, int height)>;

/// An estimator that gives a method's result for the whole picture while it holds memory for one
/// window only. All windows have one size, so there is one estimator for them. Host pictures only.
/// Where windows with their rims would take as much memory as the whole: the whole's estimator,
/// whose windows() is 1.
/// Fails: invalid_argument (tile), io (no memory), and as `make`. For gpu/flow alone.
Result<std::unique_ptr<Estimator>> make_tiled(const Context& context, const TileLayout& layout,
                                              const MakeWindow& make);

}  // namespace kerb::flow
