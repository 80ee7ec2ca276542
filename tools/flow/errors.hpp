// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include "hal/base/result.hpp"
#include "tools/flow/field.hpp"

namespace kerb::lab {

/// How far a field is from the truth, over the pixels whose truth is known and that the mask, where
/// there was one, asked for. A vector that is no
/// number counts as infinitely wrong.
struct FlowErrors {
  std::size_t pixels = 0;  ///< with a known truth
  double end_point = 0;    ///< mean distance between vectors, pixels
  double angular = 0;      ///< mean angle between (u, v, 1) of both, degrees
  double over_one = 0;     ///< share of pixels more than 1 pixel off
  double over_three = 0;   ///< more than 3
  double valid_share = 1;  ///< of the pixels, those whose flags say kValid; 1 where there are none
  double valid_error = 0;  ///< end-point error of these
};

/// The mean error of the best part of a field, by its own quality.
struct CoveragePoint {
  double coverage = 1;  ///< part of the pixels that is kept
  double end_point = 0;
};

/// Fails: invalid_argument (sizes differ, no truth is known).
Result<FlowErrors> flow_errors(const Field& field, const Field& truth);

/// Errors when vectors of low quality are dropped: at coverages 1, 0.95 ... 0.05. Vectors that are
/// not kValid go first, then by falling quality; among equals every one counts in proportion, so
/// that no order of pixels is preferred. Empty where the field has no quality. Fails: as above.
Result<std::vector<CoveragePoint>> coverage_curve(const Field& field, const Field& truth);

}  // namespace kerb::lab
