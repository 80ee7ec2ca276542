// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpu/hog/model.hpp"
#include "hal/base/result.hpp"

namespace kerb::train {

/// Combines two cascades into one: the second evaluates only windows that the first does not
/// reject, and their score is the mean of both. Name and advice are those of the first. The second
/// adds little time, because few windows reach it. Fails: invalid_argument (not both cumulative
/// cascades of trees; another window, other channels).
Result<hog::Model> join(const hog::Model& first, const hog::Model& second);

}  // namespace kerb::train
