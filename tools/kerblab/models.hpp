// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "gpu/hog/model.hpp"

namespace kerb::lab {

/// A model of ours, or one of OpenCV's, told apart by content. Fails: as hog::load() and the
/// importers.
Result<hog::Model> load_model(const std::string& path);

/// What is used without --model: OpenCV's people detector, until the project ships its own.
Result<hog::Model> default_model();

}  // namespace kerb::lab
