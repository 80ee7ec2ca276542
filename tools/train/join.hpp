// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gpu/hog/model.hpp"
#include "hal/base/result.hpp"

namespace kerb::train {

/// One cascade of two: what the first throws out stays thrown out, and the score of all else is the
/// mean of both scores. Name and advice are the first one's. The second costs next to nothing, as
/// few windows get to it. Fails: invalid_argument (not both cumulative cascades of trees; another
/// window, other channels).
Result<hog::Model> join(const hog::Model& first, const hog::Model& second);

}  // namespace kerb::train
