// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "gpu/hog/engine.hpp"

namespace kerb::hog {

/// The values of one window, before any weights: 36 to a block, in the order of
/// DenseModel::weights. The window's corner is pixel (x, y) of the picture, which is not scaled;
/// gradients at the window's rim use the pixels around it, and at the picture's rim its mirror
/// image. The same bits as an engine computes for that window, by plain code, for training, tools
/// and tests. The model's weights and bias are not used and may be missing.
/// Fails: invalid_argument (window sides, sigma or clip that validate() would refuse; a window not
/// within the picture; a picture as search() refuses).
Result<std::vector<float>> descriptor(const DenseModel& model, const Picture<Space::host>& picture,
                                      int x = 0, int y = 0);

/// bias + the weighted sum of a descriptor, in the engines' order: the window's score, bit for bit.
/// Fails: invalid_argument (not as many values as weights, or as the window has).
Result<float> score_of(const DenseModel& model, const std::vector<float>& values);

}  // namespace kerb::hog
