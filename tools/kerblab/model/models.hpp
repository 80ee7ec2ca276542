// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "gpu/hog/model.hpp"

namespace kerb::lab {

/// Whether a file begins like a model of Kerbwatch.
bool is_our_model(const std::string& path);

/// Loads a model of Kerbwatch or of OpenCV, recognised by its content. Fails:
/// invalid_argument (not a regular file), and as hog::load() and the importers.
Result<hog::Model> load_model(const std::string& path);

/// What is used without --model: default.kwm of the models that come with Kerbwatch or, where there
/// is none, OpenCV's people detector. Fails: as hog::load().
Result<hog::Model> default_model();
/// A warning for the user if OpenCV's detector is used; otherwise empty.
[[nodiscard]] std::string default_model_note();

}  // namespace kerb::lab
