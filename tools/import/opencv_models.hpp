// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "gpu/hog/model.hpp"

/// OpenCV's models as ours. No exception of OpenCV's leaves these functions.
namespace kerb::lab {

/// OpenCV's own people detector: HOGDescriptor::getDefaultPeopleDetector(), 64 x 128.
Result<hog::Model> default_people_detector();

/// What is in a file of OpenCV's, told apart by content; the result is valid:
///   - what HOGDescriptor::save() writes (XML, YAML or JSON) with setSVMDetector()'s numbers in it.
///     Blocks of 16 x 16 every 8 pixels, cells of 8 x 8, 9 bins over 180 degrees, L2-Hys.
///   - what a linear cv::ml::SVM saves, trained on the descriptors of such a 64 x 128 or 48 x 96
///     window. Of two classes the one with the higher label is people.
///   - those numbers alone, as text, apart by white space, commas or semicolons: 3780 of a 64 x 128
///     window, or 1980 of a 48 x 96 one; one more is the bias.
///   - a cascade of opencv_traincascade with -featureType HOG. OpenCV has not been able to run
///     these since 3.0. What ours does otherwise: gradients are rounded to 1/8 grey level, leaves
///     to 1/65536, and a stage's threshold is lower by as much as that rounding can cost.
/// Where the person stands in the window is in none of these: dense windows are taken to have them
/// in the middle half of the width and three quarters of the height, as in INRIA's crops of 64 x
/// 128; cascades in the middle two thirds and five sixths, 32 x 80 of 48 x 96.
///
/// The name is "opencv". Fails: damaged (not readable, something missing), unsupported (another
/// kind of model or descriptor), invalid_argument (it breaks a rule of ours).
Result<hog::Model> parse_opencv_model(std::string_view text);

/// The same from a file of up to 64 MiB, named after it. Fails: also not_found, io, and
/// invalid_argument for what is not a regular file.
Result<hog::Model> read_opencv_model(const std::string& path);

}  // namespace kerb::lab
