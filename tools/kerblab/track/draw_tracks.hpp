// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "firmware/lens/camera_geometry.hpp"
#include "firmware/risk/car_path.hpp"
#include "firmware/types/person.hpp"
#include "firmware/warning/warning_logic.hpp"
#include "tools/eval/mot.hpp"

namespace kerb::lab {

/// A colour of its own for each of many ids; neighbours differ most.
[[nodiscard]] cv::Scalar colour_of_id(int id);

/// Boxes with their ids.
void draw_boxes(cv::Mat& bgr, const std::vector<eval::MotBox>& boxes);

/// The picture with boxes, id and metres from the middle of the rear axle; at the feet an arrow to
/// where the person will be in a second, as they move over ground; thin where the detector has not
/// seen them in this frame. To its right the same from above: the car's front half at the bottom,
/// the farthest person or 40 metres ahead at the top.
[[nodiscard]] cv::Mat drawn_people(const cv::Mat& bgr, const std::vector<track::Person>& people,
                                   const Camera& camera);

/// The strip of road the car will drive over, as far as it gets in three seconds and at least its
/// own length ahead, with a line across for each second.
void draw_path(cv::Mat& bgr, const risk::CarPath& path, const risk::CarShape& car,
               const Camera& camera);

/// The warning level as a border around the picture and a line at its top: red for a collision
/// warning, yellow for information, nothing for none.
void draw_warning(cv::Mat bgr, const WarningDecision& told);

/// A line of text in the lower left corner.
void draw_caption(cv::Mat& bgr, const std::string& text);

}  // namespace kerb::lab
